'use client'
import { useEffect, useState } from 'react'
import { RelativeTime } from '@/components/shared/text/relative-time'
import type { Firings } from '@/lib/format/cron-times'
import { UTC } from '@/lib/format/format'
import { ScheduleWords } from './schedule-words'

type Props = { id: string; schedule: string; timezone: string; end?: string }

/** The next run times for a schedule as it is typed, in its time zone and in UTC. */
export function FiringsPreview({ id, schedule, timezone, end }: Props) {
  const firings = useFirings(schedule, timezone, end)
  if (firings && 'problem' in firings)
    return (
      <p id={id} role="alert" className="text-error text-xs">
        {firings.problem}
      </p>
    )
  return (
    <div id={id} className="min-h-38">
      <p className="mb-1 min-h-5 text-sm">
        <ScheduleWords schedule={schedule} />
      </p>
      <p className="text-ink-3 text-xs">Next five runs{timezone === UTC ? ' (UTC)' : ''}</p>
      <ol aria-live="polite" className="mt-1 space-y-0.5 text-sm tabular-nums">
        {firings?.times.map((time) => (
          <li key={time.getTime()} className="flex flex-wrap items-baseline gap-x-3">
            <span>{inZone(time, timezone)}</span>
            {timezone === UTC ? null : <span className="text-ink-3">{inZone(time, UTC)} UTC</span>}
            <span className="text-ink-3 text-xs">
              <RelativeTime at={time.getTime()} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  )
}

/** The next run times. Loads the cron library on demand. */
function useFirings(schedule: string, timezone: string, end: string | undefined): Firings | undefined {
  const [firings, setFirings] = useState<Firings>()
  useEffect(() => {
    let isGone = false
    const until = end ? new Date(end) : undefined
    void import('@/lib/format/cron-times').then(({ nextFirings }) => {
      if (isGone) return
      const isDate = until && !Number.isNaN(until.getTime())
      setFirings(nextFirings({ schedule, timezone, ...(isDate && { end: until }) }, new Date()))
    })
    return () => {
      isGone = true
    }
  }, [schedule, timezone, end])
  return firings
}

const inZone = (time: Date, timeZone: string): string =>
  time.toLocaleString('en-GB', {
    timeZone,
    weekday: 'short',
    day: '2-digit',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
  })
