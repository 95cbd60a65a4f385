import { describe, expect, test } from 'vitest'
import type { LogLine } from '@/lib/contracts/deployments/logs'
import { LogSearch, splitAt, stepFrom } from './log-search'
import { LogStore, matches } from './log-store'

const lines = (from: number, to: number, message = (n: number) => `line ${n}`): LogLine[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    seq: from + index,
    level: 'INFO',
    message: message(from + index),
  }))
const info = { total: 0, phase: 'live', epoch: 1 }
const store = (filter = {}) => new LogStore(filter, (task) => task())

describe('log store', () => {
  test('numbers rows across multi-line messages, with time and level only on the first row', () => {
    const log = store()
    log.onLines(
      [
        { seq: 1, message: 'a\nb' },
        { seq: 2, message: 'c' },
      ],
      info,
    )
    expect(log.rows.map(({ n, text, isFirst }) => [n, text, isFirst])).toEqual([
      [1, 'a', true],
      [2, 'b', false],
      [3, 'c', true],
    ])
  })
  test('restarts when the server does, and reports when older lines are missing', () => {
    const log = store()
    log.onLines(lines(1, 3), info)
    log.onLines(lines(4, 5), info)
    expect([log.rows.length, log.isCut]).toEqual([5, false])
    log.onLines(lines(8, 9), { ...info, epoch: 2 })
    expect([log.rows.map(({ text }) => text), log.isCut]).toEqual([['line 8', 'line 9'], true])
    log.onLines(lines(1, 1), { ...info, epoch: 3 })
    expect([log.rows.length, log.isCut]).toEqual([1, false])
  })
  test('drops the oldest rows above its limit', () => {
    const log = store()
    log.onLines(lines(1, 70_000), info)
    expect([log.rows.length, log.first, log.next, log.isCut]).toEqual([60_000, 10_001, 70_001, true])
    expect(log.at(10_001)?.text).toBe('line 10001')
  })
  test('keeps its rows when the server fails, and clears the error with the next response', () => {
    const log = store()
    log.onLines(lines(1, 2), info)
    log.onError({ code: 'upstream_unreachable', message: 'No response.' })
    expect([log.rows.length, log.problem?.message]).toEqual([2, 'No response.'])
    log.onLines([], info)
    expect(log.problem).toBeUndefined()
  })
  test('shows only lines that match the filter, whatever the server sends', () => {
    const log = store({ level: 'WARNING', query: 'DISK' })
    log.onLines(
      [
        { seq: 1, level: 'ERROR', message: 'disk full' },
        { seq: 2, level: 'INFO', message: 'disk ok' },
        { seq: 3, level: 'ERROR', message: 'net' },
        { seq: 4, message: 'disk?' },
      ],
      info,
    )
    expect(log.rows.map(({ text }) => text)).toEqual(['disk full'])
    expect(matches({ level: 'critical', message: '' }, { level: 'ERROR' })).toBe(true)
  })
  test('keeps the lines of its time, both ends included, and those without a time', () => {
    const filter = { from: '2026-11-24T05:00:00Z', to: '2026-11-24T06:00:00Z' }
    const times = [
      '2026-11-24T04:59:59.999Z',
      '2026-11-24T05:00:00Z',
      Date.parse(filter.to),
      '1795503601000',
      undefined,
    ]
    const kept = times.map((timestamp) => matches({ level: 'INFO', message: '', timestamp }, filter))
    expect(kept).toEqual([false, true, true, false, true])
  })
})

describe('search', () => {
  test('finds matches in present and later rows, and forgets dropped ones', () => {
    const log = store()
    const search = new LogSearch('NEEDLE')
    log.onLines(
      lines(1, 10, (n) => (n % 5 === 0 ? `needle ${n}` : 'hay')),
      info,
    )
    expect(search.advance(log)).toEqual([5, 10])
    log.onLines(
      lines(11, 15, (n) => (n === 12 ? 'Needle' : 'hay')),
      info,
    )
    expect(search.advance(log)).toEqual([5, 10, 12])
    log.onLines(
      lines(1, 1, () => 'needle again'),
      { ...info, epoch: 2 },
    )
    expect(search.advance(log)).toEqual([16])
  })
  test('wraps around at the ends', () => {
    expect([stepFrom([3, 7], undefined, 1), stepFrom([3, 7], undefined, -1)]).toEqual([3, 7])
    expect([stepFrom([3, 7], 3, 1), stepFrom([3, 7], 7, 1), stepFrom([3, 7], 3, -1), stepFrom([], 3, 1)]).toEqual([
      7,
      3,
      7,
      undefined,
    ])
  })
  test('marks matches in any case, up to a limit per row', () => {
    expect(splitAt('a ERROR b error', 'error')).toEqual(['a ', 'ERROR', ' b ', 'error', ''])
    expect(splitAt('İerror', 'error').join('')).toBe('İerror')
    expect(splitAt('x'.repeat(1000), 'x').length).toBe(41)
  })
})
