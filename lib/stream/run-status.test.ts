import { expect, test } from 'vitest'
import type { LogEntry } from './log'
import { rowStatus, runStatus, shownPhase, threadStatus } from './run-status'
import { applyEntry, createRunView } from './run-view'

/** A log with these events, and perhaps the end of its run. */
function logOf(events: [event: string, data: unknown][], outcome?: Extract<LogEntry, { kind: 'final' }>['outcome']) {
  const view = createRunView()
  for (const [at, [event, data]] of events.entries())
    applyEntry(view, { seq: at + 1, at, kind: 'event', event, data: JSON.stringify(data) })
  if (outcome) applyEntry(view, { seq: events.length + 1, at: events.length, kind: 'final', outcome })
  return view
}
const asking = logOf([['values', { __interrupt__: [{ id: 'q', value: 'Send it?' }] }]])

const active = { phase: 'live', outcome: null } as const

test.each([
  [active, 'progress', 'Running'],
  [{ ...active, phase: 'starting' }, 'progress', 'Starting'],
  [{ ...active, phase: 'reconnecting' }, 'warn', 'Running'],
  [{ ...active, isCancelling: true }, 'progress', 'Cancelling…'],
  [{ ...active, view: asking }, 'progress', 'Running'],
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
  ['deleted', false, 'warn', 'Removed'],
  ['continued', false, 'ok', 'Continued'],
  ['unknown', false, 'unknown', 'Unknown'],
  [null, false, 'unknown', 'Unknown'],
] as const)('an ended run of outcome %s, waiting: %s, is %s: %s', (outcome, isWaiting, tone, label) => {
  expect(runStatus({ phase: 'ended', outcome, view: isWaiting ? asking : logOf([]) })).toMatchObject({
    tone,
    label,
    isOver: true,
  })
})

test.each([
  ['success', 'ok', 'Finished'],
  ['interrupted', 'warn', 'Interrupted'],
] as const)(
  'a stateless run of outcome %s that asked is %s: %s, as in lists, for nobody can answer it',
  (outcome, tone, label) => {
    const status = runStatus({ phase: 'ended', outcome, view: asking, isStateless: true })
    expect(status).toMatchObject({ tone, label, isOver: true })
    expect(status.detail).toBe('The graph asked a question, which can’t be answered: the run kept no thread.')
  },
)

test('a run counts as rolled back only where its stream said so', () => {
  const detail = (...events: Parameters<typeof logOf>[0]) =>
    runStatus({ phase: 'ended', outcome: 'deleted', view: logOf(events, 'deleted') }).detail
  const rolledBack = 'Rolled back: it was stopped, and its changes were removed.'
  expect(detail(['end', { status: 'rollback' }])).toBe(rolledBack)
  expect(detail(['error', { error: 'UserRollback', message: '' }], ['end', null])).toBe(rolledBack)
  const gone = 'The agent server no longer has this run.'
  expect(detail()).toBe(`${gone} It was in progress when last seen.`)
  expect(detail(['end', null])).toBe(`${gone} Its stream ended without telling how it went.`)
  const either = 'The run was rolled back, or the agent server no longer has it.'
  expect(rowStatus('deleted').detail).toBe(either)
  // Before the log has been read.
  expect(runStatus({ phase: 'ended', outcome: 'deleted', view: logOf([]) }).detail).toBe(either)
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
