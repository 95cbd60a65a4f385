import { expect, test } from 'vitest'
import type { LogEntry, RecordingSummary } from './log'
import { endedTimes, replayedUntil, timesOf } from './run-times'

const seen = { startedAt: 1_000, endedAt: 1_670 }
const at = (ms: number) => new Date(ms).toISOString()

test('an ended run has the times of its server’s record, else those that the console saw', () => {
  expect(endedTimes({ created_at: at(900), updated_at: at(1_332) }, seen)).toEqual({ startedAt: 900, endedAt: 1_332 })
  // The server gives only one, gives text, or never updates its records.
  for (const run of [
    undefined,
    {},
    { created_at: at(900) },
    { created_at: 'x', updated_at: at(9) },
    { created_at: 900, updated_at: 1_332 },
    { updated_at: at(1_332) },
  ])
    expect(endedTimes(run, seen)).toEqual(seen)
  expect(endedTimes({ created_at: at(900), updated_at: at(900) }, seen)).toEqual(seen)
  expect(endedTimes(undefined, { startedAt: 5, endedAt: 4 })).toEqual({ startedAt: 5, endedAt: 5 })
})

test('a page has the times of the list’s row: before the run’s end, at its end, and of an older recording', () => {
  const summary = { startedAt: at(1_000), endedAt: null } as RecordingSummary
  const final = { seq: 1, at: 1_700, kind: 'final', outcome: 'success' } as Extract<LogEntry, { kind: 'final' }>
  expect(timesOf({ final: undefined }, summary)).toEqual({ startedAt: 1_000, endedAt: undefined })
  expect(timesOf({ final: { ...final, startedAt: 900, endedAt: 1_332 } }, summary)).toEqual({
    startedAt: 900,
    endedAt: 1_332,
  })
  expect(timesOf({ final }, { ...summary, endedAt: at(1_700) })).toEqual({ startedAt: 1_000, endedAt: 1_700 })
})

test('what a late reader was told at once has no times of its own', () => {
  const summary = { id: 'one', request: '{}', startedAt: at(1_000) } as RecordingSummary
  const final = { seq: 1, at: 9_000, kind: 'final', outcome: 'success', startedAt: 1_000, endedAt: 3_000 } as const
  const until = (startedAt: number, of = summary) => replayedUntil({ startedAt, final }, of)
  expect(until(1_500)).toBe(-Infinity)
  expect(until(2_000)).toBe(-Infinity)
  expect(until(3_000)).toBe(Infinity)
  expect(replayedUntil({ startedAt: undefined, final }, summary)).toBe(-Infinity)
  expect(until(2_500)).toBe(3_500)
  expect(until(8_000)).toBe(Infinity)
  expect(until(8_000, { ...summary, request: '{"metadata":{"pilothouse_recording":"one"}}' })).toBe(-Infinity)
})
