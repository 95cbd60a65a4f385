// What the machine's host gave to others: a virtual processor of which it takes the time stands still, with all that runs on it.
import { readFileSync } from 'node:fs'

const STOLEN = 7

/** Ticks of all processors by what they were spent on. */
function ticks() {
  try {
    return readFileSync('/proc/stat', 'utf8')
      .split('\n', 1)[0]
      .split(/\s+/)
      .slice(1, STOLEN + 2)
      .map(Number)
  } catch {
    return [] // a system that does not tell
  }
}

/** Gives what tells, later, the share of the processors' time that was taken away since. */
export function watchStolen() {
  const before = ticks()
  return () => {
    const spent = ticks().map((count, index) => count - before[index])
    const all = spent.reduce((sum, count) => sum + count, 0)
    return all > 0 ? spent[STOLEN] / all : 0
  }
}
