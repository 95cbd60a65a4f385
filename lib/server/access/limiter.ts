import 'server-only'

export type Limit = { key: string; max: number; windowMs: number }
export type Attempt =
  | { isAllowed: true /** Call it after a success: the attempt no longer counts. */; forgive(): void }
  | { isAllowed: false; retryAfterMs: number }

const MAX_KEYS = 50_000

/**
 * Counts attempts by key in a sliding window, from the moment they are taken, so that concurrent attempts cannot all pass.
 * The counts are in memory: each process has its own, and a restart clears them.
 */
export function createLimiter(now: () => number = Date.now) {
  const times = new Map<string, number[]>()

  function recent({ key, windowMs }: Limit): number[] {
    const since = now() - windowMs
    const kept = (times.get(key) ?? []).filter((at) => at > since)
    // Deleting and setting keeps the map in order of use, so that the least recently used key is evicted first.
    times.delete(key)
    if (kept.length > 0) times.set(key, kept)
    return kept
  }

  return {
    /** Takes one attempt against all limits. It is allowed if none is used up, and counts only then. */
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
            const kept = times.get(key) ?? []
            const index = kept.indexOf(at)
            if (index >= 0) kept.splice(index, 1)
          }
        },
      }
    },
  }
}
