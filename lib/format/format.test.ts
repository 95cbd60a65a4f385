import { expect, test } from 'vitest'
import { relativeTime } from './format'

test('a relative time counts whole days and names none, which only a calendar could', () => {
  const now = Date.parse('2026-11-28T16:20Z')
  expect(relativeTime(Date.parse('2026-11-30T09:00Z'), now)).toBe('in 1 day')
  expect(relativeTime(Date.parse('2026-11-26T23:00Z'), now)).toBe('1 day ago')
  expect(relativeTime(Date.parse('2026-11-28T16:17Z'), now)).toBe('3 min. ago')
  expect(relativeTime(now - 20_000, now)).toBe('just now')
})
