// CPU time that the host gave to other machines, during which this one stands still.
import { readFileSync } from 'node:fs'

const STOLEN = 7

/** Ticks of all processors by use. */
function ticks() {
  try {
    return readFileSync('/proc/stat', 'utf8')
      .split('\n', 1)[0]
      .split(/\s+/)
      .slice(1, STOLEN + 2)
      .map(Number)
  } catch {
    return [] // this system does not report it
  }
}

/** Returns a function that returns the share of CPU time that was stolen since. */
export function watchStolen() {
  const before = ticks()
  return () => {
    const spent = ticks().map((count, index) => count - before[index])
    const all = spent.reduce((sum, count) => sum + count, 0)
    return all > 0 ? spent[STOLEN] / all : 0
  }
}
