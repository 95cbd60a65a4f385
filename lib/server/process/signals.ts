import 'server-only'
import { setMaxListeners } from 'node:events'

/**
 * A signal that aborts with the first of the given ones; call `release` when done. AbortSignal.any leaks more than 1 kB
 * per call on a signal that lives as long as the process (measured on Node 20).
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
    // One signal may end many requests; Node warns about a leak above ten listeners.
    setMaxListeners(0, signal)
    signal.addEventListener('abort', onAbort)
  }
  return { signal: controller.signal, abort: (reason?: unknown) => controller.abort(reason), release }
}

/** Waits for a shared promise until the signal aborts, then throws its reason. The shared work goes on. */
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
 * The same stream; `done` runs once when it ends, fails or is cancelled. Reads nothing ahead, and is much cheaper than
 * `pipeThrough` for small events.
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
