import 'server-only'
import { intervalFor } from '@/lib/format/intervals'

/** Adjoining intervals of `step` seconds from `first` (epoch ms). */
export type Intervals = { first: number; step: number; counts: number }

/**
 * The intervals that cover a span in epoch ms. They begin at round times of the reader's clock, which is `zone` minutes
 * ahead of UTC; so the first may begin before the span and the last end after it.
 */
export function intervalsOf(since: number, until: number, zone: number): Intervals {
  const end = Math.max(until, since + 1)
  const step = intervalFor((end - since) / 1000)
  const ahead = zone * 60_000
  const ms = step * 1000
  const first = Math.floor((since + ahead) / ms) * ms - ahead
  return { first, step, counts: Math.ceil((end - first) / ms) }
}

/** The interval of a time. A time outside, such as that of a server whose clock is ahead, is in the nearest. */
export const intervalOf = (at: number, { first, step, counts }: Intervals): number =>
  Math.min(counts - 1, Math.max(0, Math.floor((at - first) / (step * 1000))))
