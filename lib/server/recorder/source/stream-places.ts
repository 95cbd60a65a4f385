import 'server-only'
import { AppError } from '@/lib/errors'
import { env } from '../../process/env'
import type { Destination } from '../../upstream/destination'
import { freeStreams } from '../../upstream/request'
import { StartQueue } from './start-queue'

/** How long a start may wait in all. */
const LONGEST_MS = 10 * 60_000

type Place = { queue: StartQueue; held: number; going: Set<string> }
// On globalThis: actions and route handlers each have their own copy of this module.
const shared = globalThis as { pilothouseStarts?: Map<string, Place> }
const places = () => {
  shared.pilothouseStarts ??= new Map()
  return shared.pilothouseStarts
}

/** Starts that wait for a free stream of this process. */
export const waitingStarts = (): number => [...places().values()].reduce((sum, { queue }) => sum + queue.waiting, 0)

/**
 * Holds a stream for a start until the returned function is called. Throws AppError rate_limited if none is free:
 * with `queue` if the start has a place and should ask again with the same ticket.
 */
export function holdStream({ what, base }: Destination, ticket: string | undefined): () => void {
  const { PILOTHOUSE_STREAMS: limit, PILOTHOUSE_QUEUED_STARTS: most } = env()
  const all = places()
  const place = all.get(base.origin) ?? { queue: new StartQueue(), held: 0, going: new Set<string>() }
  all.set(base.origin, place)
  // A repeat that arrives while the first is being made gets its result, and needs no stream.
  if (ticket !== undefined && place.going.has(ticket)) return () => {}
  const turn = place.queue.ask(ticket, freeStreams(base) - place.held, { most, longestMs: LONGEST_MS })
  const server = `the ${what} at ${base.origin}`
  if (turn.kind === 'late')
    throw new AppError(
      'rate_limited',
      `No stream to ${server} became free within ${LONGEST_MS / 60_000} minutes. Nothing was started. Try again later.`,
    )
  if (turn.kind === 'full')
    throw new AppError(
      'rate_limited',
      `No stream to ${server} is free (${limit} in use), and no more starts may wait. Nothing was started. Try again later.`,
    )
  if (turn.kind === 'wait') {
    const { place: at, of, retryAfterMs } = turn
    throw new AppError(
      'rate_limited',
      `No stream to ${server} is free (${limit} in use). This start has place ${at} of ${of}, and nothing was started yet. Try again.`,
      { retryAfterMs, queue: { place: at, of } },
    )
  }
  place.held += 1
  if (ticket !== undefined) place.going.add(ticket)
  let isHeld = true
  return () => {
    if (!isHeld) return
    isHeld = false
    place.held -= 1
    if (ticket !== undefined) place.going.delete(ticket)
  }
}
