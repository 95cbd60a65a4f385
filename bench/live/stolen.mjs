// What was taken away from the machine: a virtual processor that its host gives to others stands still, and with it whatever
// runs on it. A delay that falls into such a moment is the host's and not the page's.
import { readFileSync } from 'node:fs'

const LOOK_MS = 20
const TICK_MS = 10
/** The system counts in steps of this. */
const LEAST_MS = 10

/** Milliseconds taken away so far, of all processors. 0 where the system does not tell. */
function taken() {
  try {
    return Number(readFileSync('/proc/stat', 'utf8').split('\n', 1)[0].split(/\s+/)[8] ?? 0) * TICK_MS
  } catch {
    return 0
  }
}

/** Notes what is taken away until `end()`. `left(events)` gives those `{ at, duration }` into which none of it falls. */
export function watchStolen() {
  const marks = []
  let before = taken()
  let from = Date.now()
  const timer = setInterval(() => {
    const now = taken()
    const to = Date.now()
    if (now > before) marks.push({ from, to, ms: now - before })
    before = now
    from = to
  }, LOOK_MS)
  const during = (begin, end) =>
    marks.reduce((sum, mark) => sum + (mark.to >= begin - LOOK_MS && mark.from <= end + LOOK_MS ? mark.ms : 0), 0)
  return {
    left: (events) => events.filter(({ at, duration }) => during(at, at + duration) < LEAST_MS),
    end: () => clearInterval(timer),
  }
}
