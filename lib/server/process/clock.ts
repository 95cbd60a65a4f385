import 'server-only'

/** What waits between two looks at an upstream. */
export type Clock = { pause: (ms: number) => Promise<void> }

const realClock: Clock = { pause: (ms) => new Promise((resolve) => setTimeout(resolve, ms)) }
const shared = globalThis as { pilothouseClock?: Clock }

/** The clock of this process. */
export const clock = (): Clock => shared.pilothouseClock ?? realClock

/** For tests: this clock instead of the real one. Undefined: the real one again. */
export function adoptClock(given: Clock | undefined): void {
  shared.pilothouseClock = given
}
