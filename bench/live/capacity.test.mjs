import { expect, test } from 'vitest'
import { runsPerSecond, sharingOf } from './capacity.mjs'

/** 10 ms in the agent server, 5 in the database and 5 in the client for each of 1000 runs, on a machine with spare processors. */
const ONE = { runs: 1000, seconds: 10, agents: 10, stored: 5, client: 5, others: 0, processors: 16 }
const NONE = { agents: 0, stored: 0 }

test('processes add up while the machine has room', () => {
  expect([1, 2, 4].map((n) => runsPerSecond(ONE, NONE, n))).toEqual([100, 200, 400])
})

test('the machine ends that, without what other programs use', () => {
  expect(runsPerSecond({ ...ONE, processors: 3 }, NONE, 2)).toBe(150)
  expect(runsPerSecond({ ...ONE, processors: 3, others: 10 }, NONE, 2)).toBe(100)
})

test('sharing costs agent servers per process, and the database per run that is read elsewhere', () => {
  const small = { ...ONE, processors: 3 }
  expect(runsPerSecond(small, { agents: 0.5, stored: 0 }, 3)).toBe(100) // 20 + 5 + 5 ms
  expect(runsPerSecond(small, { agents: 0, stored: 3 }, 3)).toBe(100) // 10 + 15 + 5 ms
})

test('the cost of sharing follows from two processes', () => {
  const two = { ...ONE, runs: 2000, agents: 22, stored: 15 }
  expect(sharingOf(ONE, two)).toEqual({ agents: expect.closeTo(0.1), stored: expect.closeTo(1) })
})
