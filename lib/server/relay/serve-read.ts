import 'server-only'
import { printJson } from '@/lib/json/lossless'
import { type Actor, sessionActor } from '../access/actor'
import type { CallOptions } from '../upstream/call-context'
import { errorResponse, PRIVATE_HEADERS, refuseForeignSite } from './relay'

/** Answers a GET with a reading of ours that is no single operation, as the relay answers one. `read` gets the query and who asks. */
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
