import { expect, test } from 'vitest'
import { failingRuns } from './failing-runs'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 26, 14, 20)
const hours = (...last: [runs: number, failed: number][]) => [
  ...Array.from({ length: 25 - last.length }, () => ({ runs: 10, failed: 0 })),
  ...last.map(([runs, failed]) => ({ runs, failed })),
]

test('runs fail since the hour from which each hour with runs has failures', () => {
  const since = (at: number) => Date.UTC(2026, 10, 26, at)
  expect(failingRuns(hours([10, 5]), NOW)).toEqual({ since: since(14), runs: 10, failed: 5 })
  expect(failingRuns(hours([20, 4], [0, 0], [10, 5]), NOW)).toEqual({ since: since(12), runs: 30, failed: 9 })
  expect(failingRuns(hours([20, 4], [10, 0], [10, 5]), NOW)).toEqual({ since: since(14), runs: 10, failed: 5 })
  expect(failingRuns(hours([10, 5], [0, 0]), NOW)).toEqual({ since: since(13), runs: 10, failed: 5 })
})

test('a recovery, one failure in many runs, or too few runs say nothing', () => {
  expect(failingRuns(hours([10, 5], [10, 0]), NOW)).toBeUndefined()
  expect(failingRuns(hours([100, 9]), NOW)).toBeUndefined()
  expect(failingRuns(hours([4, 4]), NOW)).toBeUndefined()
  expect(failingRuns(hours([5, 2]), NOW)).toBeUndefined()
  expect(failingRuns(null, NOW)).toBeUndefined()
  expect(failingRuns(hours(), NOW + HOUR)).toBeUndefined()
})

test('fewer than five good runs, or runs that still run, are no recovery', () => {
  const since = Date.UTC(2026, 10, 26, 13)
  expect(failingRuns(hours([30, 10], [1, 0]), NOW)).toEqual({ since, runs: 31, failed: 10 })
  expect(failingRuns(hours([30, 10], [4, 0]), NOW)).toEqual({ since, runs: 34, failed: 10 })
  expect(failingRuns(hours([30, 10], [5, 0]), NOW)).toBeUndefined()
  expect(failingRuns(hours([30, 10], [2, 0], [0, 0], [3, 0]), NOW)).toBeUndefined()
  expect(failingRuns(hours([10, 5], [3, 0], [30, 10]), NOW)).toMatchObject({ runs: 43, failed: 15 })
  expect(failingRuns(hours([9, 0], [3, 0], [30, 10]), NOW)).toMatchObject({ runs: 30, failed: 10 })
})
