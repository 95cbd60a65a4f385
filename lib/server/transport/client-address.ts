import 'server-only'
import { type AddressRange, parseAddress } from '@/lib/contracts/wire/address'

/**
 * The client's address: the connection's peer, or where that is a trusted proxy, the last address in `X-Forwarded-For` that
 * is not one. Clients can write everything before it themselves.
 */
export function clientAddress(
  peer: string | undefined,
  forwardedFor: string | undefined,
  trusted: readonly AddressRange[],
): string {
  let client = parseAddress(peer ?? '')
  const before = (forwardedFor ?? '').split(',').map((entry) => entry.trim())
  while (client && trusted.some(([base, bits]) => base.kind() === client?.kind() && client.match(base, bits))) {
    const next = parseAddress(before.pop() ?? '')
    if (!next) break
    client = next
  }
  return client?.toString() ?? 'unknown'
}
