'use client'
import { useStale } from '@/components/shared/feedback/stale-notice'
import { makeClock } from '@/components/shared/text/clock'
import { duration } from '@/lib/format/format'
import type { Span } from './times'

const useNow = makeClock(1_000)

/** A duration, ticking while it is open and what it is of is read. The tooltip has the exact times, or why the duration is unknown. */
export function SpanText({ span }: { span: Span | undefined }) {
  if (!span) return <span className="text-ink-3">–</span>
  if ('unknown' in span)
    return (
      <span title={span.unknown} className="text-ink-3">
        unknown
      </span>
    )
  const { from, to } = span
  if (Number.isNaN(from)) return <span className="text-ink-3">–</span>
  if (to === null) return <Growing from={from} />
  return <span title={`${iso(from)} – ${iso(to)}`}>{coarse(to - from)}</span>
}

function Growing({ from }: { from: number }) {
  const now = useNow()
  const stale = useStale()
  return (
    <span title={`since ${iso(from)}`} suppressHydrationWarning className="tabular-nums">
      {coarse(Math.max(0, (stale?.at ?? now) - from))} {stale ? 'when last read' : 'so far'}
    </span>
  )
}

const iso = (at: number) => new Date(at).toISOString()
const DAY_MS = 86_400_000
/** Whole days from two days up, because nobody needs the hours of a month. */
const coarse = (ms: number) =>
  ms >= 2 * DAY_MS
    ? `${Math.floor(ms / DAY_MS)} days`
    : ms < 1000
      ? duration(ms)
      : ms < 60_000
        ? `${Math.floor(ms / 1000)} s`
        : duration(ms)
