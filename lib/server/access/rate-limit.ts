import 'server-only'

export type Limit = { key: string; max: number; windowMs: number }
export type Attempt =
  | { isAllowed: true /** The attempt was a good one: it does not count. */; forgive(): void }
  | { isAllowed: false; retryAfterMs: number }

const MAX_KEYS = 50_000

/**
 * Counts attempts by key within a sliding window. An attempt counts from the moment it is taken, so that many at once
 * cannot all pass before the first has failed. In memory: each process counts for itself, a restart forgets.
 */
export function createLimiter(now: () => number = Date.now) {
  const times = new Map<string, number[]>()

  function recent({ key, windowMs }: Limit): number[] {
    const since = now() - windowMs
    const kept = (times.get(key) ?? []).filter((at) => at > since)
    // Deleted and set again: the map's order is then that of use, and the longest unused is dropped first.
    times.delete(key)
    if (kept.length > 0) times.set(key, kept)
    return kept
  }

  return {
    /** One attempt against all limits: allowed when none is used up; counted only then. */
    take(limits: Limit[]): Attempt {
      const waits = limits.flatMap((limit) => {
        const kept = recent(limit)
        const oldest = kept.at(-limit.max)
        return oldest === undefined ? [] : [oldest + limit.windowMs - now()]
      })
      if (waits.length > 0) return { isAllowed: false, retryAfterMs: Math.max(...waits, 1000) }
      const at = now()
      for (const { key } of limits) times.set(key, [...(times.get(key) ?? []), at])
      for (const key of times.keys()) {
        if (times.size <= MAX_KEYS) break
        times.delete(key)
      }
      return {
        isAllowed: true,
        forgive() {
          for (const { key } of limits) {
            const kept = times.get(key)
            const index = kept?.indexOf(at) ?? -1
            if (index >= 0) kept?.splice(index, 1)
          }
        },
      }
    },
  }
}

const shared = globalThis as { pilothouseSignInLimiter?: ReturnType<typeof createLimiter> }
const QUARTER_HOUR = 15 * 60_000

/**
 * One attempt to sign in. Few for a pair of account and address; more for an account from everywhere, so that a stranger
 * cannot lock its owner out at once; and a cap on what one address may try over all accounts.
 */
export function takeSignInAttempt(email: string, address: string): Attempt {
  shared.pilothouseSignInLimiter ??= createLimiter()
  return shared.pilothouseSignInLimiter.take([
    { key: `pair:${JSON.stringify([email, address])}`, max: 5, windowMs: QUARTER_HOUR },
    { key: `email:${email}`, max: 25, windowMs: QUARTER_HOUR },
    { key: `address:${address}`, max: 60, windowMs: QUARTER_HOUR },
  ])
}

/** For tests: every count starts again. */
export function forgetSignInAttempts(): void {
  shared.pilothouseSignInLimiter = undefined
}
