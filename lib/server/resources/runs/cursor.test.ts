import { expect, test } from 'vitest'
import { cursorAfter, readCursor, tracedFrom } from './cursor'

const row = (second: number, id = `r${second}`) => ({ id, startedAt: new Date(second * 1000).toISOString() })
const since = (second: number) => tracedFrom(new Date(second * 1000).toISOString())
const after = (rows: object[], limit: number, traced?: ReturnType<typeof since>, from?: string) =>
  cursorAfter(rows as ReturnType<typeof row>[], { limit, traced, after: from ? readCursor(from) : undefined })

test('a full page goes on after its last row, in traces too if they were read that far', () => {
  expect(after([row(9), row(8), row(7)], 2)).toBe('8000_r8')
  expect(after([row(9), row(8), row(7)], 2, since(3))).toBe('8000_r8')
  expect(after([row(9), row(2), row(1)], 2, since(3))).toBe('2000_r2|3000_~')
  expect(after([row(9), row(8)], 2)).toBeNull()
})

test('a page that is not full goes on where its traces do', () => {
  expect(after([], 2, since(3))).toBe('3000_~')
  expect(after([row(9)], 2, since(3))).toBe('9000_r9|3000_~')
  expect(after([row(1)], 2, since(3))).toBe('1000_r1|3000_~')
})

test('runs that only traces know do not bring recordings back', () => {
  const from = '1000_r1|6000_~'
  expect(after([row(5), row(4), row(3)], 2, undefined, from)).toBe('1000_r1|4000_r4')
  expect(after([], 2, since(2), from)).toBe('1000_r1|2000_~')
  expect(readCursor(from)).toEqual({ edge: { at: 1000, id: 'r1' }, traced: { at: 6000, id: '~' } })
  expect(readCursor('1000_r_1')).toEqual({ edge: { at: 1000, id: 'r_1' }, traced: { at: 1000, id: 'r_1' } })
  for (const odd of ['', '_', 'x_1', '1000_r1|x']) expect(readCursor(odd)).toBeUndefined()
})
