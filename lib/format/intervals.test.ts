import { expect, test } from 'vitest'
import { intervalFor, intervalName, MAX_INTERVALS } from './intervals'

const DAY = 86_400

test('the interval is the shortest with which a span fits, however long it is', () => {
  expect([1, 60, 61, 3_600, DAY, 7 * DAY, 30 * DAY].map(intervalFor)).toEqual([1, 1, 5, 60, 1_800, 10_800, 43_200])
  for (const seconds of [60 * 30 * DAY, 60 * 30 * DAY + 1, 192 * 365 * DAY])
    expect(seconds / intervalFor(seconds)).toBeLessThanOrEqual(MAX_INTERVALS)
})

test('a day is named without its hour only if it begins at midnight in local time', () => {
  const midnight = new Date(2026, 10, 24).getTime()
  expect(intervalName(midnight, DAY)).toBe('Nov 24')
  expect(intervalName(midnight + 5.5 * 3_600_000, DAY)).toBe('Nov 24, 05:30')
  expect(intervalName(midnight, 3_600)).toBe('Nov 24, 00:00')
  expect(intervalName(midnight, 5)).toBe('Nov 24, 00:00:00')
  expect(intervalName(midnight, 30 * DAY)).toBe('Nov 24, 2026')
})
