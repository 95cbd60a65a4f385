import { intervalFor } from '@/lib/format/intervals'

/** The time spans to choose from, with the chart interval (`step`) in seconds. */

export const SPANS = [
  { value: '1h', label: 'Last hour', seconds: 3_600, step: 60 },
  { value: '24h', label: 'Last 24 hours', seconds: 86_400, step: 1_800 },
  { value: '7d', label: 'Last 7 days', seconds: 604_800, step: 10_800 },
  { value: '30d', label: 'Last 30 days', seconds: 2_592_000, step: 43_200 },
] as const
const DEFAULT = SPANS[2]

export type Span = {
  value: string
  from: string
  /** Absent if the span ends now. */
  to?: string
  /** The chart interval in seconds. */
  step: number
  /** The start of the first interval and the end of the last, in epoch milliseconds. */
  first: number
  last: number
}

type Search = Pick<URLSearchParams, 'get'>

/**
 * The span in a URL: one of `SPANS`, or `from` and `to`. Rounded to the interval, so that the same query is reused for a
 * while.
 */
export function readSpan(search: Search, now: number): Span {
  const from = timeIn(search.get('from'))
  const to = timeIn(search.get('to'))
  if (from !== undefined && (to === undefined || to > from)) return customSpan(from, to, now)
  const { value, seconds, step } = SPANS.find((one) => one.value === search.get('since')) ?? DEFAULT
  const last = Math.ceil(now / (step * 1000)) * step * 1000
  const first = last - seconds * 1000
  return { value, from: new Date(first).toISOString(), step, first, last }
}

function customSpan(from: number, to: number | undefined, now: number): Span {
  const end = to ?? Math.max(from + 1000, Math.ceil(now / 60_000) * 60_000)
  const step = intervalFor((end - from) / 1000)
  const align = (at: number, round: (at: number) => number) => round(at / (step * 1000)) * step * 1000
  return {
    value: 'custom',
    from: new Date(from).toISOString(),
    ...(to !== undefined && { to: new Date(to).toISOString() }),
    step,
    first: align(from, Math.floor),
    last: align(end, Math.ceil),
  }
}

const timeIn = (text: string | null): number | undefined => {
  const at = text ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : at
}

/** The intervals of a span in order. Servers omit intervals without data, which then have no bucket. */
export function piecesOf<Bucket extends { start_time: string }>(
  { first, last, step }: Pick<Span, 'first' | 'last' | 'step'>,
  buckets: readonly Bucket[],
): { at: number; bucket: Bucket | undefined }[] {
  const known = new Map(buckets.map((bucket) => [Date.parse(bucket.start_time), bucket]))
  const count = Math.min(1_000, Math.max(1, Math.round((last - first) / (step * 1000))))
  return Array.from({ length: count }, (_, index) => {
    const at = first + index * step * 1000
    return { at, bucket: known.get(at) }
  })
}
