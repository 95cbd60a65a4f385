import { expect, test } from 'vitest'
import { growthOf, growthText } from './growth'

const used = { days: 30, maxBytes: null, bytes: 500, recentBytes: 700, recentDays: 7 }

test('without a size limit, recordings level out at what their age allows', () => {
  expect(growthOf(used)).toEqual({ kind: 'levels', bytes: 3000 })
  expect(growthOf({ ...used, maxBytes: 3000 })).toEqual({ kind: 'levels', bytes: 3000 })
  expect(growthOf({ ...used, recentBytes: 0 })).toEqual({ kind: 'levels', bytes: 0 })
})

test('a size limit that is reached first tells when, and how long recordings are kept then', () => {
  expect(growthOf({ ...used, maxBytes: 1000 })).toEqual({ kind: 'fills', inDays: 5, keptDays: 10 })
  expect(growthOf({ ...used, maxBytes: 400 })).toEqual({ kind: 'fills', inDays: 0, keptDays: 4 })
})

test('a few hours say nothing about a week', () => {
  expect(growthOf({ ...used, recentDays: 0.1 })).toEqual({ kind: 'unknown' })
})

test('without any limit it grows, and with a size only it fills', () => {
  const kept = { ...used, days: null }
  expect(growthText(growthOf(kept), null)).toBe('≈ 100 B more a day, without a limit')
  expect(growthOf({ ...kept, maxBytes: 1000 })).toEqual({ kind: 'fills', inDays: 5, keptDays: 10 })
  expect(growthOf({ ...kept, maxBytes: 1000, recentBytes: 0 })).toEqual({ kind: 'grows', perDay: 0 })
})
