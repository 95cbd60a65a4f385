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

test.each([
  ['0 9 * * 1-5', 'Europe/Berlin'],
  ['*/5 * * * *', 'UTC'],
  ['0 0 29 2 *', 'Etc/GMT+2'],
])('the schedule %j in %s is accepted', (schedule, timezone) => {
  expect(() => checkSchedule({ schedule, timezone })).not.toThrow()
})

describe('a missed firing', () => {
  const due = new Date('2026-01-01T09:00Z')
  test.each([
    ['0 9 * * *', '2026-01-01T09:59:59Z', true],
    ['0 9 * * *', '2026-01-01T10:00:00Z', true],
    ['0 9 * * *', '2026-01-01T10:00:01Z', false],
    ['0 9 * * *', '2026-01-03T09:00:00Z', true],
    ['* * * * *', '2026-03-01T00:00:00Z', true],
  ])('of "%s" at 9:00 is made up for at %s: %s', (schedule, now, expected) => {
    expect(isStillDue(cron(schedule), due, new Date(now))).toBe(expected)
  })

  test('is not made up for once the cron has ended', () => {
    const ended = cron('0 9 * * *', 'UTC', { end_time: new Date('2026-01-01T09:30Z') })
    expect(isStillDue(ended, due, new Date('2026-01-01T09:59Z'))).toBe(true)
    expect(isStillDue(ended, due, new Date('2026-01-01T10:01Z'))).toBe(false)
  })
})

test.each([
  ['2027-01-31T12:00:00', '2027-01-31T12:00:00.000Z'],
  ['2027-01-31 12:00', '2027-01-31T12:00:00.000Z'],
  ['2027-01-31T12:00Z', '2027-01-31T12:00:00.000Z'],
  ['2027-01-31t12:00:00z', '2027-01-31T12:00:00.000Z'],
  ['2027-01-31T12:00:00.1234Z', '2027-01-31T12:00:00.123Z'],
  ['2027-01-31T12:00:00+02:00', '2027-01-31T10:00:00.000Z'],
  ['2027-01-31T12:00:00-0230', '2027-01-31T14:30:00.000Z'],
  ['2027-01-31', '2027-01-31T00:00:00.000Z'],
])('the time %s is %s, in UTC if it has no offset', (text, expected) => {
  expect(readTime('end_time', text)?.toISOString()).toBe(expected)
})

test.each([
  ...['tomorrow', '2027-13-01', '12', '2027-01-31T99:00Z', 'on 2027-01-31', '2027-01-31T12:00:00Z (noon)'],
  ...['2027-01-31T12:00:00.xZ', '2027-01-31T12', '31 Jan 2027', '2027-1-31'],
])('the time %j is refused by its field', (text) => {
  expect(() => readTime('end_time', text)).toThrow('ISO 8601')
  expect(() => readTime('end_time', text)).toThrow('["body","end_time"]')
})

test('no time is none', () => {
  expect([readTime('end_time', null), readTime('end_time', undefined)]).toEqual([null, null])
})
