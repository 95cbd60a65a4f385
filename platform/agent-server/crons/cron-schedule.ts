import { Cron as Pattern } from 'croner'
import { invalid } from '../kernel/errors'

/** When a cron fires. Pure: the current time is always a parameter. */

export type Schedule = { schedule: string; timezone: string; end_time: Date | null; enabled: boolean }

export const DEFAULT_TIMEZONE = 'UTC'

/** A missed firing is made up for once within this time; older ones are skipped. */
export const CATCH_UP_MS = 60 * 60 * 1000

/** Throws a 422 for a schedule that is invalid or never fires. */
export function checkSchedule({ schedule, timezone }: Pick<Schedule, 'schedule' | 'timezone'>): void {
  if (!isTimezone(timezone))
    throw invalid(['body', 'timezone'], `"${timezone}" is not a time zone. Use an IANA name such as Europe/Berlin.`)
  let next: Date | null
  try {
    next = pattern(schedule, timezone).nextRun(new Date(0))
  } catch (error) {
    throw invalid(['body', 'schedule'], (error as Error).message.replace(/^CronPattern: /, ''))
  }
  if (!next) throw invalid(['body', 'schedule'], `The schedule "${schedule}" never fires`)
}

/**
 * The first firing after a moment, or null. When clocks go forward, a skipped time fires right after the change; when
 * they go back, a repeated one fires only once, and intervals of minutes or hours follow elapsed time.
 */
export function nextFiring({ schedule, timezone, end_time, enabled }: Schedule, after: Date): Date | null {
  if (!enabled) return null
  const next = pattern(schedule, timezone).nextRun(after)
  return next && end_time && next > end_time ? null : next
}

/** Whether a missed firing is still due: it, or a later missed one, is recent enough. */
export function isStillDue(schedule: Schedule, due: Date, now: Date): boolean {
  const oldest = new Date(now.getTime() - CATCH_UP_MS)
  if (due >= oldest) return true
  const later = nextFiring(schedule, oldest)
  return later !== null && later <= now
}

/** Parses a time from a request; UTC if it has no offset. Throws a 422 for an invalid one. */
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
  // Node accepts offsets as well, but they are not time zones and have no daylight saving.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}
