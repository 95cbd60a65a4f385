export const SPANS = [
  { value: '1h', label: 'Last hour', seconds: 3_600 },
  { value: '24h', label: 'Last 24 hours', seconds: 86_400 },
  { value: '7d', label: 'Last 7 days', seconds: 604_800 },
  { value: 'all', label: 'All times', seconds: undefined },
] as const
export const USUAL = '24h'
const MINUTE = 60_000

/** The time of the lines to show, ISO 8601; without `from` since the first line, without `to` up to now and later. */
type LogSpan = { from?: string; to?: string; label: string }

/**
 * The span in a URL: `from` and `to`, or one of `SPANS` in `since`. Whole minutes, so that several viewers of one log share
 * a reader.
 */
export function logSpan(search: Pick<URLSearchParams, 'get'>, now: number): LogSpan {
  const [from, to] = [search.get('from'), search.get('to')].map((text) => (text ? Date.parse(text) : Number.NaN))
  if (from !== undefined && !Number.isNaN(from)) {
    const end = to !== undefined && to > from ? to : undefined
    const start = new Date(from).toISOString()
    return end === undefined
      ? { from: start, label: 'Since the chosen time' }
      : { from: start, to: new Date(end).toISOString(), label: 'The chosen time' }
  }
  const since = search.get('since') ?? USUAL
  const { seconds, label } = SPANS.find(({ value }) => value === since) ?? SPANS[1]
  if (seconds === undefined) return { label }
  return { from: new Date(Math.floor(now / MINUTE) * MINUTE - seconds * 1000).toISOString(), label }
}
