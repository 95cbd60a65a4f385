import dns from 'node:dns'
import type { LookupFunction, Socket } from 'node:net'
import { buildConnector } from 'undici'
import { type AddressRange, mayConnect, parseAddress } from '@/lib/contracts/wire/address'
import { invalid } from '../kernel/errors'
import { refusalByConfig, type WebhookRules } from '../kernel/webhook-rules'

/**
 * Which addresses may receive webhooks: public ones and the operator's ranges, so that callers cannot reach internal
 * hosts. Checked in the DNS lookup of the socket itself, which rules out rebinding.
 */

const MAX_LENGTH = 2048

/** Throws a 422 for an invalid or refused address. Host names are checked when connecting. */
export function checkWebhook(text: string, rules: WebhookRules): void {
  const refuse = (msg: string) => invalid(['body', 'webhook'], msg)
  if (text.length > MAX_LENGTH) throw refuse(`A webhook has at most ${MAX_LENGTH} characters`)
  // A relative path would point at this server itself, which accepts no webhooks.
  if (!URL.canParse(text)) throw refuse('A webhook must be an absolute http or https address')
  const { protocol, hostname, username, password } = new URL(text)
  if (protocol !== 'http:' && protocol !== 'https:') throw refuse('A webhook must be an absolute http or https address')
  if (username || password)
    throw refuse('A webhook address cannot contain a user name or password. Put credentials in its query')
  const address = /^(.+\.)?localhost\.?$/.test(hostname) ? '127.0.0.1' : hostname
  const refusal = refusalByConfig(text, rules)
  if (refusal) throw refuse(refusal)
  if (parseAddress(address) && !mayConnect(address, 'open', rules.ranges))
    throw refuse(
      `Webhooks to ${hostname} are refused: it is not a public address. PILOTHOUSE_WEBHOOK_RANGES can allow it`,
    )
}

/** The guard's refusal; it reaches callers as the cause of undici's error. */
export class RefusedTarget extends Error {
  override name = 'RefusedTarget'
}

/** Opens sockets to allowed addresses only. Tests replace DNS through `resolve`. */
export function webhookConnector(
  ranges: readonly AddressRange[],
  resolve: typeof dns.lookup = dns.lookup,
): buildConnector.connector {
  const refused = (hostname: string, address: string) =>
    new RefusedTarget(`${hostname} is at ${address}, where webhooks may not go`)
  const lookup: LookupFunction = (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      const bad = addresses.find(({ address }) => !mayConnect(address, 'open', ranges))
      if (bad) return done(refused(hostname, bad.address), '')
      const [first] = addresses
      if (!first) return done(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '')
      return options.all ? done(null, addresses) : done(null, first.address, first.family)
    })
  }
  const connect = buildConnector({ lookup })
  return (options, done) => {
    // A literal address needs no lookup, so it is checked here.
    if (parseAddress(options.hostname) && !mayConnect(options.hostname, 'open', ranges))
      return done(refused(options.hostname, options.hostname), null)
    return connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) return done(error, null)
      const remote = (socket as Socket).remoteAddress ?? ''
      if (mayConnect(remote, 'open', ranges)) return done(null, socket)
      socket.destroy()
      return done(refused(options.hostname, remote), null)
    })
  }
}
