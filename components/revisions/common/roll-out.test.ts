import { expect, test } from 'vitest'
import { deployedAt, partsOf, rollOutOf } from './roll-out'

const START = Date.UTC(2026, 0, 1)
const history = (...steps: [string, number][]) =>
  steps.map(([status, second]) => ({ status, at: new Date(START + second * 1000).toISOString() }))
const FIRST = [
  ['CREATING', 0],
  ['QUEUED', 1],
  ['BUILDING', 2],
  ['DEPLOYING', 12],
  ['DEPLOYED', 15],
] as [string, number][]
const rollOut = (status: string, ...steps: [string, number][]) =>
  rollOutOf({ status, status_history: history(...steps) })

test('a roll-out has each stage with its time, up to its final status', () => {
  expect(rollOut('DEPLOYED', ...FIRST)).toEqual({
    from: START,
    to: START + 15_000,
    stages: [
      { status: 'CREATING', from: START, to: START + 1_000 },
      { status: 'QUEUED', from: START + 1_000, to: START + 2_000 },
      { status: 'BUILDING', from: START + 2_000, to: START + 12_000 },
      { status: 'DEPLOYING', from: START + 12_000, to: START + 15_000 },
    ],
  })
})

test('only the last roll-out counts after a redeploy, and a stage in progress stays open', () => {
  const again = rollOut('DEPLOYING', ...FIRST, ['QUEUED', 100], ['DEPLOYING', 101])
  expect(again).toMatchObject({ from: START + 100_000, to: null })
  expect(again?.stages.map(({ status, to }) => [status, to])).toEqual([
    ['QUEUED', START + 101_000],
    ['DEPLOYING', null],
  ])
  expect(again && partsOf(again, START + 105_000)).toEqual({ waiting: 1_000, build: 0, 'roll-out': 4_000 })
})

test('a failed or interrupted roll-out ends with the stage that it reached', () => {
  const failed = rollOut('BUILD_FAILED', ['CREATING', 0], ['BUILDING', 1], ['BUILD_FAILED', 4])
  expect(failed?.stages.at(-1)).toEqual({ status: 'BUILDING', from: START + 1_000, to: START + 4_000 })
  expect(failed && partsOf(failed, START)).toEqual({ waiting: 1_000, build: 3_000, 'roll-out': 0 })
})

test('nothing is claimed without a record, or with one that does not fit the status', () => {
  expect(rollOutOf({ status: 'DEPLOYED' })).toBeUndefined()
  expect(rollOut('DEPLOYED')).toBeUndefined()
  expect(rollOut('DEPLOYED', ['CREATING', 0], ['BUILDING', 1])).toBeUndefined()
  expect(rollOut('DEPLOYED', ['DEPLOYED', 1])).toBeUndefined()
  expect(rollOutOf({ status: 'BUILDING', status_history: [{ status: 'BUILDING', at: 'then' }] })).toBeUndefined()
})

test('a revision serves from its last roll-out', () => {
  expect(deployedAt({ status: 'DEPLOYED', status_history: history(...FIRST) })).toBe(START + 15_000)
  const again = history(...FIRST, ['QUEUED', 100], ['DEPLOYED', 110])
  expect(deployedAt({ status: 'DEPLOYED', status_history: again })).toBe(START + 110_000)
  expect(deployedAt({ status: 'BUILDING', status_history: null })).toBeUndefined()
})
