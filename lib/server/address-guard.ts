import 'server-only'
import dns from 'node:dns'
import { isIP, type LookupFunction, type Socket } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'

// The guard against server-side request forgery. Names and texts are never judged, only addresses, and only where the
// connection is made: every address that a name resolves to is checked in the very lookup that the socket connects with,
// so that a resolver which answers differently the second time finds no second time. Literal addresses never reach a
// lookup in Node, so they are checked before; the socket's remote address is checked again afterwards.

/**
 * `listed`: an origin that an administrator named; it may be private. `open`: any other, which must be public.
 * `ranges`: only what the operator's ranges hold.
 */
export type Reach = 'listed' | 'open' | 'ranges'
export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** `never` is for addresses no deployment has (link-local, metadata services, multicast, tunnels): only a range named in the environment opens them. */
export type AddressKind = 'public' | 'private' | 'never'

/** Metadata services that live in ranges which are otherwise private or even public. */
const METADATA = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'])
const PRIVATE = new Set(['loopback', 'private', 'carrierGradeNat', 'uniqueLocal'])
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** An address in the form the socket will use: mapped IPv4 is unmapped, so that `::ffff:7f00:1` is 127.0.0.1. */
function parseAddress(text: string) {
  const bare = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  return isIP(bare) ? ipaddr.process(bare) : undefined
}

export function classifyAddress(text: string): AddressKind {
  const address = parseAddress(text)
  if (!address || METADATA.has(address.toString())) return 'never'
  const range = address.range()
  if (PRIVATE.has(range)) return 'private'
  if (address instanceof ipaddr.IPv6) {
    // Behind DNS64 every public IPv4 host has such an address; what it embeds decides.
    if (address.match(NAT64)) {
      const embedded = address.toByteArray().slice(12).join('.')
      return classifyAddress(embedded) === 'public' ? 'public' : 'never'
    }
    // Unassigned space counts as `unicast` there, and with it forms such as `::7f00:1`.
    return range === 'unicast' && address.match(GLOBAL_UNICAST) ? 'public' : 'never'
  }
  return range === 'unicast' ? 'public' : 'never'
}

/** Whether a socket may connect to this address. */
export function mayConnect(text: string, reach: Reach, ranges: readonly AddressRange[]): boolean {
  const kind = classifyAddress(text)
  if (kind === 'public' && reach !== 'ranges') return true
  if (kind === 'private' && reach === 'listed') return true
  const address = parseAddress(text)
  return !!address && ranges.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
}

/** `10.0.0.0/8` or one address; undefined for anything else. */
export function parseRange(text: string): AddressRange | undefined {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  const address = parseAddress(text)
  return address && [address, address.kind() === 'ipv4' ? 32 : 128]
}

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

type GuardOptions = { reach: Reach; ranges: readonly AddressRange[]; timeoutMs: number; resolve?: Resolve }

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
  const connect = buildConnector({ timeout: timeoutMs, lookup })
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
