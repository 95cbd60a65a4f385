import { useEffect } from 'react'

/** By the server's time when a page was rendered: this machine's time when the page was there. */
const seen = new Map<number, number>()

/** Called by a page whose parts that show durations may come much later than the page. */
export function useServerClock(serverNow: number): void {
  useEffect(() => {
    if (!seen.has(serverNow)) seen.set(serverNow, Date.now())
  }, [serverNow])
}

/** By how much this machine's clock is ahead of the server's. */
export const skewOf = (serverNow: number): number => (seen.get(serverNow) ?? Date.now()) - serverNow
