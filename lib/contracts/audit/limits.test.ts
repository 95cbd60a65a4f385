import { expect, test } from 'vitest'
import { dueAt, limitsFor } from './limits'

const DAY = 86_400_000
const used = { rows: 5, bytes: 500, recentBytes: 0, recentDays: 7, oldest: { seq: 3, at: 1_000 } }

test('each limit of a workspace is its own, else that of the console', () => {
  const console_ = { days: 90, maxBytes: 5, own: { a: { days: 30, maxBytes: null }, b: { days: null, maxBytes: 7 } } }
  expect(limitsFor('a', console_)).toEqual({ days: 30, maxBytes: 5 })
  expect(limitsFor('b', console_)).toEqual({ days: 90, maxBytes: 7 })
  expect(limitsFor('*', console_)).toEqual({ days: 90, maxBytes: 5 })
})

test('an entry leaves a day after its age, at once beyond the size, and never before an export', () => {
  const limits = { days: 30, maxBytes: 500 }
  expect(dueAt(used, limits, 3)).toBe(1_000 + 31 * DAY)
  expect(dueAt({ ...used, bytes: 501 }, limits, 3)).toBe(1_000)
  expect(dueAt({ ...used, bytes: 501 }, limits, 2)).toBeNull()
  expect(dueAt(used, { days: null, maxBytes: 500 }, 3)).toBeNull()
  expect(dueAt({ ...used, oldest: null }, limits, 3)).toBeNull()
})
