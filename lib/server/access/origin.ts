import 'server-only'
import { isLoopback } from '@/lib/contracts/wire/address'
import { AppError } from '@/lib/errors'
import { env } from '../process/env'

/**
 * Whether a request comes from a page of this console. A missing or `null` Origin is refused, and only the configured
 * address and `Host` are trusted; Next's own check accepts a missing Origin and trusts `X-Forwarded-Host`.
 */
export function isOwnOrigin(headers: Pick<Headers, 'get'>): boolean {
  const origin = headers.get('origin') ?? ''
  if (!URL.canParse(origin)) return false
  if (headers.get('sec-fetch-site') === 'cross-site') return false
  const own = new URL(env().NEXTAUTH_URL)
  if (origin === own.origin) return true
  // The same console under another name, such as 127.0.0.1 for localhost: Origin then matches the requested host.
  const given = new URL(origin)
  return given.origin === origin && given.protocol === own.protocol && given.host === headers.get('host')
}

/** Throws AppError forbidden unless the request comes from this console. */
export function assertOwnOrigin(headers: Pick<Headers, 'get'>): void {
  if (!isOwnOrigin(headers))
    throw new AppError(
      'forbidden',
      'This request did not come from a page of the console. Reload the page and try again.',
    )
}

/**
 * Whether a request was sent from this machine to a name that no other site can have. A page that makes its own name point to
 * the loopback interface (DNS rebinding) still sends that name as `Host`.
 */
export function isLocalRequest(host: string | undefined, localAddress: string | undefined): boolean {
  const url = `http://${host ?? ''}`
  return URL.canParse(url) && isLoopback(new URL(url).hostname) && isLoopback(localAddress ?? '')
}
