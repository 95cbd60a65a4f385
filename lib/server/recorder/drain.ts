import 'server-only'
import { type SseEvent, SseParser } from '@/lib/stream/sse'
import type { RecorderTiming } from './timing'

export type Ending =
  /** The server closed the stream, which does not mean that the run is over. */
  { how: 'closed' } | { how: 'broken' | 'refused'; reason: string } | { how: 'stopped' }

/** A read below this size is a trickle. A larger one is followed by the next read without waiting. */
const TRICKLE_BYTES = 4096

type Options = {
  onEvents: (events: SseEvent[]) => void
  /** Milliseconds until the current frame is sent. A trickle gathers in the connection until then. */
  frameRest: () => number
  /** Awaited before the next read, so that a full store slows down the upstream. */
  room: () => Promise<void> | undefined
  /** Called after a silence if the server sends no heartbeats. */
  isRunOver: () => Promise<boolean>
  signal: AbortSignal
  timing: RecorderTiming
}

/** Reads one upstream stream to its end. Never throws because of the upstream. */
export async function drain(
  body: ReadableStream<Uint8Array>,
  { onEvents, frameRest, room, isRunOver, signal, timing }: Options,
): Promise<Ending> {
  const heartbeat = { last: 0, interval: 0, count: 0 }
  const parser = new SseParser({
    onComment: () => {
      const now = Date.now()
      if (heartbeat.count++ > 0) heartbeat.interval = Math.max(heartbeat.interval, now - heartbeat.last)
      heartbeat.last = now
    },
  })
  const reader = body.getReader()
  let ending: Ending | undefined
  const end = (how: Ending) => {
    ending ??= how
    // Wakes the read below; a body that ignores it must not block us.
    void reader.cancel(how.how).catch(() => {})
  }
  let endPause = () => {}
  const onAbort = () => {
    end({ how: 'stopped' })
    endPause()
  }
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort)

  let heardAt = Date.now()
  let askAfter = timing.quietMs
  let isAsking = false
  const watch = setInterval(() => {
    const silence = Date.now() - heardAt
    if (heartbeat.count >= 2) {
      const limit = Math.min(Math.max(heartbeat.interval * 3, timing.heartbeatMinMs), timing.heartbeatMaxMs)
      if (silence > limit)
        end({ how: 'broken', reason: `The server's heartbeats stopped for ${Math.round(silence / 1000)} s.` })
    } else if (silence > askAfter && !isAsking) {
      isAsking = true
      askAfter = Math.min(askAfter * 2, timing.quietMs * 4)
      isRunOver()
        .then(
          (isOver) => isOver && end({ how: 'closed' }),
          () => {},
        )
        .finally(() => {
          isAsking = false
        })
    }
  }, timing.watchMs)

  try {
    while (!ending) {
      const { done, value } = await reader.read()
      if (ending) break
      if (done) {
        ending = { how: 'closed' }
        break
      }
      heardAt = Date.now()
      askAfter = timing.quietMs
      const events = parser.push(value)
      if (events.length > 0) onEvents(events)
      const wait = room()
      if (wait) await wait
      const rest = value.length < TRICKLE_BYTES ? frameRest() : 0
      if (rest > 0 && !ending)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, rest)
          endPause = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      heardAt = Date.now()
    }
  } catch (error) {
    // Compared by name, because another copy of the module may have thrown it.
    if (error instanceof Error && error.name === 'SseTooLargeError') end({ how: 'refused', reason: error.message })
    else ending ??= { how: 'broken', reason: `The connection broke (${textOf(error)}).` }
  } finally {
    clearInterval(watch)
    signal.removeEventListener('abort', onAbort)
    parser.end()
  }
  return ending ?? { how: 'closed' }
}

const textOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown error'
  const { cause } = error
  return cause instanceof Error && cause.message ? cause.message : error.message
}
