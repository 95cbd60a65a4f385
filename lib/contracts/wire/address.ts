import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Which addresses may be connected to: one set of rules for the console and the embedded platform. */

/**
 * `listed`: an origin that an admin entered; may be private. `open`: any other, which must be public. `ranges`: only
 * within the operator's ranges.
 */
export type Reach = 'listed' | 'open' | 'ranges'
export type AddressRange = [ipaddr.IPv4 | ipaddr.IPv6, number]

/**
 * `never`: addresses that no deployment has (link-local, metadata services, multicast, tunnels). Only a range in the
 * environment allows them.
 */
export type AddressKind = 'public' | 'private' | 'never'

/** Metadata services in ranges that otherwise count as private or even public. */
const METADATA = new Set(['100.100.100.200', '168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254'])
const PRIVATE = new Set(['loopback', 'private', 'carrierGradeNat', 'uniqueLocal'])
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** An address as the socket uses it: mapped IPv4 is unmapped, so `::ffff:7f00:1` is 127.0.0.1. */
export function parseAddress(text: string) {
  const bare = text.replace(/^\[|\]$/g, '').replace(/%.*$/, '')
  return isIP(bare) ? ipaddr.process(bare) : undefined
}

/** Whether a host name or address reaches this machine only. */
export const isLoopback = (host: string): boolean =>
  host.toLowerCase() === 'localhost' || parseAddress(host)?.range() === 'loopback'

export function classifyAddress(text: string): AddressKind {
  const address = parseAddress(text)
  if (!address || METADATA.has(address.toString())) return 'never'
  const range = address.range()
  if (PRIVATE.has(range)) return 'private'
  if (address instanceof ipaddr.IPv6) {
    // Behind DNS64 every public IPv4 host has such an address, so the embedded address decides.
    if (address.match(NAT64)) {
      const embedded = address.toByteArray().slice(12).join('.')
      return classifyAddress(embedded) === 'public' ? 'public' : 'never'
    }
    // The library counts unassigned space, such as `::7f00:1`, as `unicast`.
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
