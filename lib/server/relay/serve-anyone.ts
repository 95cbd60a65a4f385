import 'server-only'
import { AppError } from '@/lib/errors'
import { createLimiter } from '../access/limiter'
import { type FileParts, fileResponse } from './download'
import { errorResponse, refuseForeignSite } from './relay'

const MINUTE_MS = 60_000
/** In each process, by address and in all. */
const PER_ADDRESS = 30
const IN_ALL = 600
const shared = globalThis as { pilothousePublicReads?: ReturnType<typeof createLimiter> }

/** For tests: resets all counts. */
export function forgetPublicReads(): void {
  shared.pilothousePublicReads = undefined
}

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
    shared.pilothousePublicReads ??= createLimiter()
    const attempt = shared.pilothousePublicReads.take([
      { key: `address:${request.headers.get('x-forwarded-for')}`, max: PER_ADDRESS, windowMs: MINUTE_MS },
      { key: 'all', max: IN_ALL, windowMs: MINUTE_MS },
    ])
    if (!attempt.isAllowed) {
      const message = 'Too many requests. Try again in a minute.'
      throw new AppError('rate_limited', message, { retryAfterMs: attempt.retryAfterMs })
    }
    return await fileResponse(await open())
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 })
    return errorResponse(error)
  }
}
