/** The longest stretch of work before the browser may handle input. */
const SLICE_MS = 8

/**
 * Runs the steps in slices, so that the page stays responsive, and passes the result to `onDone`. Returns a function that
 * stops it.
 */
export function inSlices<Result>(steps: Iterator<unknown, Result>, onDone: (result: Result) => void): () => void {
  const channel = new MessageChannel()
  const stop = () => channel.port1.close()
  const work = () => {
    for (const end = performance.now() + SLICE_MS; performance.now() < end; ) {
      const step = steps.next()
      if (!step.done) continue
      stop()
      return onDone(step.value)
    }
    next()
  }
  const next = () => channel.port2.postMessage(null) // not a timer: nested timers are clamped to 4 ms
  channel.port1.onmessage = work
  next()
  return stop
}
