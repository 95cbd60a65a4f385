import { expect, test } from 'vitest'
import { rowStatus, runStatus, shownPhase, threadStatus } from './run-status'

const active = { phase: 'live', outcome: null } as const

test.each([
  [active, 'progress', 'Running'],
  [{ ...active, phase: 'starting' }, 'progress', 'Starting'],
  [{ ...active, phase: 'reconnecting' }, 'warn', 'Running'],
  [{ ...active, isCancelling: true }, 'progress', 'Cancelling…'],
  [{ ...active, isWaitingForHuman: true }, 'progress', 'Running'],
] as const)('an active run %j is %s: %s', (known, tone, label) => {
  expect(runStatus(known)).toMatchObject({ tone, label, isOver: false })
})

test.each([
  ['success', false, 'ok', 'Finished'],
  ['success', true, 'warn', 'Needs input'],
  ['interrupted', true, 'warn', 'Needs input'],
  ['interrupted', false, 'warn', 'Interrupted'],
  ['error', true, 'error', 'Failed'],
  ['timeout', false, 'error', 'Timed out'],
  ['cancelled', true, 'warn', 'Cancelled'],
  ['deleted', false, 'warn', 'Rolled back'],
  ['continued', false, 'ok', 'Continued'],
  ['unknown', false, 'unknown', 'Unknown'],
  [null, false, 'unknown', 'Unknown'],
] as const)('an ended run of outcome %s, waiting: %s, is %s: %s', (outcome, isWaitingForHuman, tone, label) => {
  expect(runStatus({ phase: 'ended', outcome, isWaitingForHuman })).toMatchObject({ tone, label, isOver: true })
})

test('an outcome counts even if a cancel is under way and the phase lags behind', () => {
  expect(runStatus({ phase: 'live', outcome: 'success', isCancelling: true })).toMatchObject({ isOver: true })
})

test.each([
  ['pending', 'progress', 'Queued', false],
  ['starting', 'progress', 'Starting', false],
  ['reconnecting', 'warn', 'Running', false],
  ['running', 'progress', 'Running', false],
  ['success', 'ok', 'Finished', true],
  ['paused', 'unknown', 'paused', true],
  ['toString', 'unknown', 'toString', true],
])('a row of status %s is %s: %s', (status, tone, label, isOver) => {
  expect(rowStatus(status)).toMatchObject({ tone, label, isOver })
})

test('a page that has not read how a run ended shows it as running, never as unknown', () => {
  const shown = (...given: Parameters<typeof shownPhase>) =>
    runStatus({ phase: shownPhase(...given), outcome: null }).label
  expect(shown('live', 'ended', false)).toBe('Running')
  expect(shown('starting', undefined, false)).toBe('Starting')
  expect(shown('live', 'reconnecting', false)).toBe('Running')
  expect(shown('ended', undefined, false)).toBe('Unknown')
  expect(shownPhase('live', 'live', true)).toBe('ended')
})

test.each([
  ['idle', 'neutral', 'Idle'],
  ['interrupted', 'warn', 'Needs input'],
  ['paused', 'unknown', 'paused'],
  ['toString', 'unknown', 'toString'],
  [undefined, 'unknown', 'Unknown'],
])('a thread of status %s is %s: %s', (status, tone, label) => {
  expect(threadStatus(status)).toMatchObject({ tone, label })
})
