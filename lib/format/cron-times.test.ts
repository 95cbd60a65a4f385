import { expect, test } from 'vitest'
import { nextFirings } from './cron-times'

const after = new Date('2027-03-27T10:00:00Z')
const isoOf = (given: Parameters<typeof nextFirings>[0], count?: number) => {
  const found = nextFirings(given, after, count)
  return 'problem' in found ? found.problem : found.times.map((time) => time.toISOString())
}

test('lists the next five firings in the given time zone, across a clock change', () => {
  expect(isoOf({ schedule: '30 9 * * *', timezone: 'Europe/Berlin' }, 3)).toEqual([
    '2027-03-28T07:30:00.000Z', // the clock went forward in the night
    '2027-03-29T07:30:00.000Z',
    '2027-03-30T07:30:00.000Z',
  ])
  expect(isoOf({ schedule: '0 */6 * * 1-5', timezone: 'UTC' })).toHaveLength(5)
})

test('nothing fires after the end', () => {
  const end = new Date('2027-03-27T12:30:00Z')
  expect(isoOf({ schedule: '0 * * * *', timezone: 'UTC', end })).toEqual([
    '2027-03-27T11:00:00.000Z',
    '2027-03-27T12:00:00.000Z',
  ])
  expect(isoOf({ schedule: '0 0 1 1 *', timezone: 'UTC', end })).toBe('It never fires before its end.')
})

test.each([
  ['* * *', 'UTC', /five fields/],
  ['61 * * * *', 'UTC', /61/],
  ['* * * * * *', 'UTC', /five fields/],
  ['0 0 31 2 *', 'UTC', /never fires/],
  ['0 0 * * *', 'Berlin', /IANA/],
  ['0 0 * * *', '+02:00', /IANA/],
])('%s in %s is reported as invalid', (schedule, timezone, problem) => {
  expect(isoOf({ schedule, timezone })).toMatch(problem)
})
