'use client'
import { relativeTime } from '@/lib/format/format'
import { makeClock } from './clock'

const useNow = makeClock(10_000)

type Props = {
  at: string | number | null | undefined
  /** Something planned: it is not "just now" before it happens. */
  isPlanned?: boolean
}

/** "3 min. ago", with the exact time in the tooltip. `at` is an ISO time or epoch milliseconds. */
export function RelativeTime({ at, isPlanned }: Props) {
  const shown = useNow()
  const time = at === null || at === undefined ? Number.NaN : new Date(at).getTime()
  if (Number.isNaN(time)) return <span className="text-ink-3">–</span>
  const iso = new Date(time).toISOString()
  return (
    <time dateTime={iso} title={iso} suppressHydrationWarning className="whitespace-nowrap">
      {isPlanned && Math.abs(time - shown) < 60_000 ? 'within a minute' : relativeTime(time, shown)}
    </time>
  )
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

/** "20:47:11 (3 min. ago)". `at`: epoch milliseconds. */
export const ClockTime = ({ at }: { at: number }) => (
  <span suppressHydrationWarning>
    {clock.format(at)} (<RelativeTime at={at} />)
  </span>
)
