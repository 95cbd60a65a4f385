import 'server-only'
import dns from 'node:dns'
import type { LookupFunction, Socket } from 'node:net'
import { buildConnector } from 'undici'
import { type AddressRange, mayConnect, parseAddress, type Reach } from '@/lib/contracts/wire/address'

// The guard against server-side request forgery. Names and texts are never judged, only addresses, and only where the
// connection is made: every address that a name resolves to is checked in the very lookup that the socket connects with,
// so that a resolver which answers differently the second time finds no second time. Literal addresses never reach a
// lookup in Node, so they are checked before; the socket's remote address is checked again afterwards.

export const REFUSED_ADDRESS = 'ERR_REFUSED_ADDRESS'
/** The guard's refusal. It reaches callers as the cause of undici's error. */
export class RefusedAddress extends Error {
  readonly code = REFUSED_ADDRESS
  constructor(
    readonly hostname: string,
    readonly address: string,
  ) {
    super(`${hostname} is at ${address}, where this server may not connect.`)
    this.name = 'RefusedAddress'
  }
}

type Resolve = (
  hostname: string,
  options: dns.LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: dns.LookupAddress[]) => void,
) => void

type GuardOptions = {
  reach: Reach
  ranges: readonly AddressRange[]
  timeoutMs: number
  highWaterMark?: number
  resolve?: Resolve
}

/** An undici connector for requests of this reach. To a stranger's public address it speaks TLS on a usual port or not at all. */
export function guardedConnector(options: GuardOptions): buildConnector.connector {
  const connect = addressConnector(options)
  const connectInRanges = addressConnector({ ...options, reach: 'ranges' })
  return (to, done) => {
    const isUsual = to.protocol === 'https:' && ['', '443', '8443'].includes(to.port ?? '')
    return (options.reach === 'open' && !isUsual ? connectInRanges : connect)(to, done)
  }
}

/** Opens no socket to an address which `mayConnect` refuses. `resolve` stands in for DNS in tests. */
export function addressConnector({
  reach,
  ranges,
  timeoutMs,
  highWaterMark,
  resolve = dns.lookup,
}: GuardOptions): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, done) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, '')
      // One refused address refuses the name: which of them the socket would pick is not ours to know.
      const refused = addresses.find(({ address }) => !mayConnect(address, reach, ranges))
      if (refused) return done(new RefusedAddress(hostname, refused.address), '')
      const first = addresses[0]
      if (!first) return done(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '')
      return options.all ? done(null, addresses) : done(null, first.address, first.family)
    })
  }
  const connect = buildConnector({ timeout: timeoutMs, lookup, ...(highWaterMark && { highWaterMark }) })
  return (options, done) => {
    const literal = parseAddress(options.hostname)
    if (literal && !mayConnect(options.hostname, reach, ranges)) {
      done(new RefusedAddress(options.hostname, literal.toString()), null)
      return
    }
    connect(options, (...[error, socket]: Parameters<buildConnector.Callback>) => {
      if (error) return done(error, null)
      const remote = (socket as Socket).remoteAddress ?? ''
      if (mayConnect(remote, reach, ranges)) return done(null, socket)
      socket.destroy()
      return done(new RefusedAddress(options.hostname, remote || 'an unknown address'), null)
    })
  }
}
