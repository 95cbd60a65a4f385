import { Cron as Pattern } from 'croner'
import { invalid } from '../kernel/errors'

/** When a cron fires. Pure: the time of day is always given. */

export type Schedule = { schedule: string; timezone: string; end_time: Date | null; enabled: boolean }

export const DEFAULT_TIMEZONE = 'UTC'

/** A firing that was missed is made up for within this time, once; what is older is left out. */
export const CATCH_UP_MS = 60 * 60 * 1000

/** Throws the 422 of a schedule that cannot be read or that never fires. */
export function checkSchedule({ schedule, timezone }: Pick<Schedule, 'schedule' | 'timezone'>): void {
  if (!isTimezone(timezone))
    throw invalid(['body', 'timezone'], `"${timezone}" is no time zone. Give an IANA name such as Europe/Berlin.`)
  let next: Date | null
  try {
    next = pattern(schedule, timezone).nextRun(new Date(0))
  } catch (error) {
    throw invalid(['body', 'schedule'], (error as Error).message.replace(/^CronPattern: /, ''))
  }
  if (!next) throw invalid(['body', 'schedule'], `The schedule "${schedule}" never fires`)
}

/**
 * The first firing after a moment; null where there is none. In the night in which a clock is put forward, a time of day
 * that is left out fires when the clock goes on; where one comes twice, it fires the first time only. Schedules of
 * every so many minutes or hours go by time that passes.
 */
export function nextFiring({ schedule, timezone, end_time, enabled }: Schedule, after: Date): Date | null {
  if (!enabled) return null
  const next = pattern(schedule, timezone).nextRun(after)
  return next && end_time && next > end_time ? null : next
}

/** Whether a firing that was due is still to be made: it, or a later one that was missed too, is not too old. */
export function isStillDue(schedule: Schedule, due: Date, now: Date): boolean {
  const oldest = new Date(now.getTime() - CATCH_UP_MS)
  if (due >= oldest) return true
  const later = nextFiring(schedule, oldest)
  return later !== null && later <= now
}

/** A moment as requests write it; without an offset it is meant in UTC. Throws the 422 of what is none. */
export function readTime(field: string, text: string | null | undefined): Date | null {
  if (text === null || text === undefined) return null
  const isDate = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text)
  const time = new Date(isDate?.[1] && !isDate[4] ? `${text}Z` : text)
  if (!isDate || Number.isNaN(time.getTime()))
    throw invalid(['body', field], 'Expected an ISO 8601 time such as 2027-01-31T12:00:00Z', 'datetime_parsing')
  return time
}

const pattern = (schedule: string, timezone: string) =>
  new Pattern(schedule, { timezone, mode: '5-part', paused: true })

function isTimezone(name: string): boolean {
  // Offsets are taken by Node as well, but they are no zones and know no summer.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
