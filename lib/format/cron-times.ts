import { Cron } from 'croner'

/** When a schedule fires, from the same library and five-field mode as in the embedded agent server. */

export type Firings = { times: Date[] } | { problem: string }

/** The next firings after a moment, none after `end`; or why the schedule or its time zone is invalid. */
export function nextFirings(
  { schedule, timezone, end }: { schedule: string; timezone: string; end?: Date },
  after: Date,
  count = 5,
): Firings {
  if (schedule.trim().split(/\s+/).length !== 5)
    return { problem: 'A schedule has five fields: minute, hour, day of month, month, day of week.' }
  if (!isTimezone(timezone)) return { problem: 'Enter an IANA time zone such as Europe/Berlin, or UTC.' }
  try {
    const pattern = new Cron(schedule.trim(), { timezone, mode: '5-part', paused: true })
    const times = pattern.nextRuns(count, after).filter((time) => !end || time <= end)
    return times.length > 0 ? { times } : { problem: end ? 'It never fires before its end.' : 'It never fires.' }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { problem: `${error.message.replace(/^CronPattern: /, '').replace(/\.?$/, '.')}` }
  }
}

export function isTimezone(name: string): boolean {
  // Offsets are not time zones, because they have no daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
