import 'server-only'
import { printJson } from '@/lib/json/lossless'
import { type Actor, sessionActor } from '../access/actor'
import type { CallOptions } from '../upstream/call-context'
import { errorResponse, PRIVATE_HEADERS, refuseForeignSite } from './relay'

/** Serves a GET like the relay, for one of our own reads that is not a single operation. */
export async function serveRead(
  request: Request,
  read: (query: Record<string, string>, options: CallOptions & { actor: Actor }) => Promise<unknown>,
): Promise<Response> {
  try {
    refuseForeignSite(request)
    const actor = await sessionActor()
    const query = Object.fromEntries(new URL(request.url).searchParams)
    const text = printJson(await read(query, { actor, signal: request.signal }))
    return new Response(text, { headers: { ...PRIVATE_HEADERS, 'content-type': 'application/json; charset=utf-8' } })
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 })
    return errorResponse(error)
  }
}
