import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** What kind of place an address is, and who may connect to it: one judgement for the console and for the embedded platform. */

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
export function parseAddress(text: string) {
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
