export type ConcurrencyLimiter = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>

/** Runs at most `slots` tasks at a time. The others wait in order, or leave when their signal aborts. */
export function createLimiter(slots: number): ConcurrencyLimiter {
  let free = slots
  const waiting = new Set<() => void>()
  const leave = () => {
    const [next] = waiting
    if (next) next()
    else free += 1
  }
  const enter = (signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      signal.throwIfAborted()
      if (free > 0) {
        free -= 1
        return resolve()
      }
      const turn = () => {
        waiting.delete(turn)
        signal.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = () => {
        waiting.delete(turn)
        reject(signal.reason as Error)
      }
      waiting.add(turn)
      signal.addEventListener('abort', giveUp, { once: true })
    })

  return async (signal, work) => {
    await enter(signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}
