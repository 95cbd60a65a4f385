import 'server-only'
import type { Subscription } from '@/lib/contracts/wire/live'
import { NO_RIGHTS } from '@/lib/contracts/wire/rights'
import { type Actor, assertSession, claimedActor } from '../access/actor'
import { assertOwnOrigin } from '../access/origin'
import { recentRightsOf } from '../access/recent-rights'
import { parseInput } from '../process/result'
import { onDrain, shutdownSignal } from '../process/shutdown'
import { errorResponse, readBody } from '../relay/relay'
import { BODY_LIMITS } from '../transport/body-limits'
import { Connection } from './connection'
import { mayFollow } from './permitted'
import { LivePost } from './subscriptions'
import { LIVE_TIMING, type LiveTiming } from './timing'

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // `no-transform`: compression would hold small frames back. The last one is for nginx.
  'cache-control': 'private, no-store, no-transform',
  'x-content-type-options': 'nosniff',
  'x-accel-buffering': 'no',
  vary: 'cookie',
}

type Options = { who?: (headers: Headers) => Promise<Actor>; timing?: LiveTiming }

/** Handles `POST /api/live` for the session's user, or for `who`. */
export async function serveLive(
  request: Request,
  { who = claimedActor, timing = LIVE_TIMING }: Options = {},
): Promise<Response> {
  try {
    assertOwnOrigin(request.headers)
    const reading = readBody(request, BODY_LIMITS.live)
    reading.catch(() => {}) // who it is comes first
    const actor = await who(request.headers)
    const { subscriptions } = parseInput(LivePost, await reading)
    return new Response(await open(actor, subscriptions, timing, request.signal), { headers: HEADERS })
  } catch (error) {
    if (request.signal.aborted) return new Response(null, { status: 499 }) // the client left before its request was read
    return errorResponse(error)
  }
}

async function open(
  actor: Actor,
  subscriptions: readonly Subscription[],
  timing: LiveTiming,
  signal: AbortSignal,
): Promise<ReadableStream<Uint8Array>> {
  const workspaces = [...new Set(subscriptions.map(({ workspace }) => workspace))]
  // Read again, so that a recording is not opened with rights from before a change.
  const found = workspaces.map(async (one) => [one, await recentRightsOf(actor, one, 0)] as const)
  const rights = new Map(await Promise.all(found))
  const isAllowed = (wanted: Subscription) => mayFollow(rights.get(wanted.workspace) ?? NO_RIGHTS, wanted)
  if (!subscriptions.every(isAllowed)) await assertSession(actor)
  const onShutdown = () => connection.hint('shutdown')
  const stay = onDrain(onShutdown)
  const onGone = () => connection.leave()
  const connection = new Connection(actor, subscriptions.filter(isAllowed), rights, timing, () => {
    stay()
    signal.removeEventListener('abort', onGone)
  })
  // Without a role in a workspace or at a deployment, it must look as if it did not exist.
  for (const wanted of subscriptions)
    if (!isAllowed(wanted))
      connection.refuse(wanted.id, 'not_found', 'This does not exist, or you have no access to it.')
  if (shutdownSignal().aborted) onShutdown()
  signal.addEventListener('abort', onGone)
  return connection.stream
}
