import { describe, expect, test } from 'vitest'
import { checkSchedule, isStillDue, nextFiring, readTime, type Schedule } from './cron-schedule'

const cron = (schedule: string, timezone = 'UTC', more: Partial<Schedule> = {}): Schedule => ({
  schedule,
  timezone,
  end_time: null,
  enabled: true,
  ...more,
})
function firings(schedule: Schedule, after: string, count: number): string[] {
  const found: string[] = []
  for (let at = nextFiring(schedule, new Date(after)); at && found.length < count; at = nextFiring(schedule, at))
    found.push(at.toISOString().slice(0, 16))
  return found
}

describe('a schedule', () => {
  test('is read in its own time zone, by default in UTC', () => {
    expect(firings(cron('0 9 * * 1-5', 'America/New_York'), '2026-11-20T00:00Z', 2)).toEqual([
      '2026-11-20T14:00',
      '2026-11-23T14:00',
    ])
    expect(firings(cron('0 9 * * *'), '2026-11-20T09:00:00Z', 1)).toEqual(['2026-11-21T09:00'])
    expect(firings(cron('0 0 29 2 *'), '2026-11-20T00:00Z', 2)).toEqual(['2028-02-29T00:00', '2032-02-29T00:00'])
    // Either day of month or day of week matches, as in standard cron.
    expect(firings(cron('0 0 1 * 0'), '2026-11-28T00:00Z', 3)).toEqual([
      '2026-11-29T00:00',
      '2026-12-01T00:00',
      '2026-12-06T00:00',
    ])
  })

  test('whose time is skipped in spring fires right after the clock change', () => {
    expect(firings(cron('30 2 * * *', 'Europe/Berlin'), '2026-03-28T12:00Z', 2)).toEqual([
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ])
  })

  test('whose time occurs twice in autumn fires once', () => {
    expect(firings(cron('30 2 * * *', 'Europe/Berlin'), '2026-10-24T12:00Z', 2)).toEqual([
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ])
  })

  test('of every half hour follows elapsed time across both clock changes', () => {
    const halfHours = cron('*/30 * * * *', 'Europe/Berlin')
    expect(firings(halfHours, '2026-03-29T00:10Z', 3)).toEqual([
      '2026-03-29T00:30',
      '2026-03-29T01:00',
      '2026-03-29T01:30',
    ])
    expect(firings(halfHours, '2026-10-25T00:10Z', 4)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ])
  })

  test('never fires while it is disabled or after its end', () => {
    expect(firings(cron('0 * * * *', 'UTC', { enabled: false }), '2026-01-01T00:00Z', 1)).toEqual([])
    const ending = cron('0 * * * *', 'UTC', { end_time: new Date('2026-01-01T02:00Z') })
    expect(firings(ending, '2026-01-01T00:30Z', 9)).toEqual(['2026-01-01T01:00', '2026-01-01T02:00'])
  })

  test.each([
    ['61 * * * *', 'UTC', 'schedule', 'Invalid value for minute'],
    ['0 0 31 2 *', 'UTC', 'schedule', 'never fires'],
    ['a b c d e', 'UTC', 'schedule', 'illegal characters'],
    ['* * * * * *', 'UTC', 'schedule', 'exactly 5'],
    ['* * * * *', 'Nowhere/Land', 'timezone', 'not a time zone'],
    ['* * * * *', '+02:00', 'timezone', 'not a time zone'],
  ])('%j in %s is refused', (schedule, timezone, field, message) => {
    expect(() => checkSchedule({ schedule, timezone })).toThrow(message)
    expect(() => checkSchedule({ schedule, timezone })).toThrow(`"${field}"`)
  })
})

describe('a missed firing', () => {
  const due = new Date('2026-01-01T09:00Z')
  test.each([
    ['0 9 * * *', '2026-01-01T09:59:59Z', true],
    ['0 9 * * *', '2026-01-01T10:00:01Z', false],
    ['* * * * *', '2026-03-01T00:00:00Z', true],
  ])('of "%s" at 9:00 is made up for at %s: %s', (schedule, now, expected) => {
    expect(isStillDue(cron(schedule), due, new Date(now))).toBe(expected)
  })
})

test('a time without an offset is UTC, and an invalid time is refused', () => {
  expect(readTime('end_time', '2027-01-31T12:00:00')?.toISOString()).toBe('2027-01-31T12:00:00.000Z')
  expect(readTime('end_time', '2027-01-31T12:00:00+02:00')?.toISOString()).toBe('2027-01-31T10:00:00.000Z')
  expect(readTime('end_time', '2027-01-31')?.toISOString()).toBe('2027-01-31T00:00:00.000Z')
  expect(readTime('end_time', null)).toBeNull()
  for (const text of ['tomorrow', '2027-13-01', '12', '2027-01-31T99:00Z'])
    expect(() => readTime('end_time', text)).toThrow('ISO 8601')
})
