import 'server-only'
import { addressLimit, assertAllowed, sharedLimiter } from '../access/shared-limiter'
import { type FileParts, fileResponse } from './download'
import { errorResponse, refuseForeignSite } from './relay'

const MINUTE_MS = 60_000
const PER_ADDRESS = { max: 30, windowMs: MINUTE_MS }
const IN_ALL = { key: 'public reads', max: 600, windowMs: MINUTE_MS }

/** Serves a file to readers without a session, whose cookies are never read. */
export async function serveAnyone(
  request: Request,
  open: () => Promise<{ name: string; type: string; parts: FileParts }>,
): Promise<Response> {
  const response = await answer(request, open)
  response.headers.set('x-robots-tag', 'noindex, nofollow')
  return response
}

async function answer(request: Request, open: Parameters<typeof serveAnyone>[1]): Promise<Response> {
  try {
    refuseForeignSite(request)
    const address = request.headers.get('x-forwarded-for')
    const attempt = await sharedLimiter().take(addressLimit('public reads', address, PER_ADDRESS), IN_ALL)
    assertAllowed(attempt, 'Too many requests. Try again in a minute.')
    return await fileResponse(await open())
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 })
    return errorResponse(error)
  }
}
