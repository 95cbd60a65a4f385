/** Longest stretch of work between two looks at what the person does. */
const SLICE_MS = 8

/** Runs the steps in slices that leave the page at hand, the first one soon, and tells what they came to. Gives what stops it. */
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
  const next = () => channel.port2.postMessage(null) // no timer: nested ones wait four milliseconds each
  channel.port1.onmessage = work
  next()
  return stop
}
