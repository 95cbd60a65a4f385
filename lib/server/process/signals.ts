import 'server-only'
import { setMaxListeners } from 'node:events'

/**
 * A signal that aborts with the first of the given ones; call `release` when the work is over. Not AbortSignal.any: on a
 * signal that lives as long as the process (shutdown) it keeps more than 1 kB for every call (measured on Node 20).
 */
export function joinSignals(...signals: (AbortSignal | undefined)[]) {
  const controller = new AbortController()
  const given = signals.filter((signal) => signal !== undefined)
  const release = () => {
    for (const signal of given) signal.removeEventListener('abort', onAbort)
  }
  function onAbort(this: AbortSignal) {
    release()
    controller.abort(this.reason)
  }
  for (const signal of given) {
    if (signal.aborted) {
      onAbort.call(signal)
      break
    }
    // One signal may end many requests; Node takes more than ten listeners for a leak and says so.
    setMaxListeners(0, signal)
    signal.addEventListener('abort', onAbort)
  }
  return { signal: controller.signal, abort: (reason?: unknown) => controller.abort(reason), release }
}

/** Waits for what others wait for too, until the signal aborts: then it throws the signal's reason, and the work goes on. */
export function raceAbort<T>(shared: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return shared
  const { signal: own, release } = joinSignals(signal)
  const aborted = new Promise<never>((_, reject) => {
    if (own.aborted) reject(own.reason)
    else own.addEventListener('abort', () => reject(own.reason))
  })
  return Promise.race([shared, aborted]).finally(release)
}

/**
 * The same stream; `done` runs once when it ends, fails or is cancelled. Nothing is read ahead of the one who reads. Not
 * `pipeThrough`: on a stream of small events its queues and promises cost more than all that is done with them.
 */
export function onStreamEnd(body: ReadableStream<Uint8Array>, done: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let isDone = false
  const end = () => {
    if (isDone) return
    isDone = true
    done()
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done: isOver, value } = await reader.read()
          if (!isOver) return controller.enqueue(value)
          end()
          controller.close()
        } catch (error) {
          end()
          controller.error(error)
        }
      },
      cancel(reason) {
        end()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
