import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AppError, type FieldError } from '@/lib/errors'
import { refusalOf, withoutRefused } from './refused-keys'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
  ;(globalThis as { pilothouseRefused?: unknown }).pilothouseRefused = undefined
})
afterEach(() => {
  vi.useRealTimers()
})

const body = {
  limit: 100,
  select: ['a'],
  extract: { b: 'c' },
  sort_by: 'state_updated_at',
  sort_order: 'desc',
  other: 1,
}
const refused = (message: string, fields: FieldError[] = [], code: 'invalid' | 'conflict' = 'invalid') =>
  refusalOf('place', body, new AppError(code, message, { fields }))
const sent = () => withoutRefused('place', body)

test('nothing is left out before a server has refused something', () => {
  expect(sent()).toBe(body)
})

test.each([
  ['select projection is not supported', ['select']],
  ['extract: Extra inputs are not permitted', ['extract']],
  ['select and extract are unknown', ['select', 'extract']],
])('"%s" leaves out %j', (message, keys) => {
  expect(refused(message)).toBe(true)
  const rest: Record<string, unknown> = { ...body }
  for (const key of keys) delete rest[key]
  expect(sent()).toEqual(rest)
  expect(withoutRefused('elsewhere', body)).toBe(body)
})

test('a refused field is found by its path too', () => {
  expect(refused('Some fields are invalid.', [{ path: ['extract', 'b'], message: 'No.' }])).toBe(true)
  expect(sent()).not.toHaveProperty('extract')
  expect(sent()).toHaveProperty('select')
})

test.each([
  ['Thread not found', 'invalid'],
  ['selection is unknown', 'invalid'],
  ['select is not supported', 'conflict'],
  ['limit is wrong', 'invalid'],
  ['limit: Input should be less than or equal to 200', 'invalid'],
  ['limit: Input should be less than or equal to 100', 'invalid'],
  ['limit: Input should be at most 0', 'invalid'],
] as const)('"%s" (%s) says nothing that can be left out', (message, code) => {
  expect(refused(message, [], code)).toBe(false)
  expect(sent()).toBe(body)
})

test.each(['limit: Input should be less than or equal to 8', 'limit <= 8', 'limit is at most 8'])(
  'the limit is the one that "%s" names',
  (message) => {
    expect(refused(message)).toBe(true)
    expect(sent()).toEqual({ ...body, limit: 8 })
    expect(withoutRefused('place', { limit: 3 })).toEqual({ limit: 3 })
    expect(withoutRefused('place', { sort_by: 'name' })).toEqual({ sort_by: 'name' })
    // What was found stays when something else is refused later.
    expect(refused('select is unknown')).toBe(true)
    expect(sent()).toMatchObject({ limit: 8, extract: body.extract })
    expect(sent()).not.toHaveProperty('select')
  },
)

test('what was refused before stays left out when something else is refused', () => {
  expect(refused('select is unknown')).toBe(true)
  expect(refused('sort_by: Input should be another')).toBe(true)
  expect(refused('extract is unknown')).toBe(true)
  expect(sent()).toEqual({ limit: 100, sort_by: 'updated_at', sort_order: 'desc', other: 1 })
  expect(refused('sort_by: Input should be another')).toBe(true)
  expect(sent()).toEqual({ limit: 100, other: 1 })
})

test('a time that a server cannot sort by is replaced by the nearest one, or left out', () => {
  expect(refused('sort_by: Input should be another')).toBe(true)
  expect(sent()).toMatchObject({ sort_by: 'updated_at', sort_order: 'desc' })
  expect(refused('sort_by: Input should be another')).toBe(true)
  const { sort_by: _, sort_order: __, ...unsorted } = body
  expect(sent()).toEqual(unsorted)
  expect(refused('sort_by: Input should be another')).toBe(false)
  const byName = { sort_by: 'name', sort_order: 'asc' }
  expect(withoutRefused('place', byName)).toEqual(byName)
  expect(refusalOf('place', byName, new AppError('invalid', 'sort_by is unknown'))).toBe(true)
  expect(withoutRefused('place', byName)).toEqual({})
})

test('what a server refused is tried again after ten minutes', () => {
  refused('select is unknown')
  vi.advanceTimersByTime(10 * 60_000 - 1)
  expect(sent()).not.toHaveProperty('select')
  vi.advanceTimersByTime(1)
  expect(sent()).toBe(body)
  refused('extract is unknown')
  expect(sent()).toHaveProperty('select')
})

test('a key that was not sent was not refused', () => {
  expect(refusalOf('place', { limit: 5 }, new AppError('invalid', 'select is unknown'))).toBe(false)
  refused('select is unknown')
  expect(refused('select is unknown')).toBe(false)
})

test('only so many servers are remembered', () => {
  for (let index = 0; index < 500; index++) refusalOf(`${index}`, body, new AppError('invalid', 'select is unknown'))
  expect(withoutRefused('0', body)).not.toHaveProperty('select')
  refused('select is unknown')
  expect([withoutRefused('0', body), 'select' in sent()]).toEqual([body, false])
})
