import { expect, test } from 'vitest'
import {
  errorOf,
  type Facts,
  isAskingState,
  isStoppedState,
  isWaitingState,
  mayBeCancelled,
  outcomeOf,
  outputOf,
  readValues,
} from './outcome'

const facts = (more: Partial<Facts>): Facts => ({
  status: undefined,
  isGone: false,
  isStateless: false,
  wasCancelled: false,
  wasStopped: false,
  sawError: false,
  endStatus: undefined,
  isWhole: true,
  isWaiting: false,
  isAsked: false,
  hasBreakpoints: false,
  ...more,
})

test.each<[string, Partial<Facts>, string]>([
  ['the status of the run', { status: 'success' }, 'success'],
  ['the status of the run, whatever the stream said', { status: 'success', sawError: true }, 'success'],
  ['a breakpoint, where a server calls it a success', { status: 'success', isWaiting: true }, 'waiting'],
  [
    'a breakpoint, where a server calls it an interruption',
    { status: 'interrupted', isWaiting: true, hasBreakpoints: true },
    'waiting',
  ],
  [
    'an interruption, where no thread is left to go on',
    { status: 'success', isWaiting: true, isStateless: true },
    'interrupted',
  ],
  ['a question, where a server calls it a success', { status: 'success', isWaiting: true, isAsked: true }, 'waiting'],
  [
    'a question, where a server calls it an interruption',
    { status: 'interrupted', isWaiting: true, isAsked: true },
    'waiting',
  ],
  [
    'cancelled, though an older question is open',
    { status: 'interrupted', wasCancelled: true, isAsked: true },
    'cancelled',
  ],
  ['cancelled, where a server calls it an error', { status: 'error', wasCancelled: true }, 'cancelled'],
  [
    'cancelled by another program, where a server calls it an error',
    { status: 'error', wasStopped: true },
    'cancelled',
  ],
  [
    'cancelled by another program, where a server calls it an interruption',
    { status: 'interrupted', isWaiting: true, wasStopped: true },
    'cancelled',
  ],
  ['a success, though another program’s cancel came too late', { status: 'success', wasStopped: true }, 'success'],
  ['cancelled, where a rollback deleted the run', { isGone: true, wasCancelled: true }, 'cancelled'],
  ['rolled back, where a server keeps the run as failed', { status: 'error', endStatus: 'rollback' }, 'deleted'],
  ['rolled back by our own cancel', { isGone: true, wasCancelled: true, endStatus: 'rollback' }, 'deleted'],
  ['a success, though a rollback came too late', { status: 'success', endStatus: 'rollback' }, 'success'],
  [
    'an error of the graph, though a cancel came too late',
    { status: 'error', wasCancelled: true, sawError: true },
    'error',
  ],
  ['a success, though a cancel came too late', { status: 'success', wasCancelled: true }, 'success'],
  ['an error event, where the run cannot be read', { sawError: true }, 'error'],
  ['the end event, where the run cannot be read', { endStatus: 'timeout' }, 'timeout'],
  ['a whole stateless stream', { isGone: true, isStateless: true }, 'success'],
  ['unknown for a stateless stream with a gap', { isStateless: true, isWhole: false }, 'unknown'],
  ['deleted for a run that is gone', { isGone: true }, 'deleted'],
  ['unknown for a status that no table knows', { status: 'napping' }, 'unknown'],
  ['a time-out, though a cancel came too late', { status: 'timeout', wasCancelled: true }, 'timeout'],
  ['an interruption without a question or a breakpoint', { status: 'interrupted', isWaiting: true }, 'interrupted'],
  ['an error, though an older question is open', { status: 'error', isAsked: true }, 'error'],
  ['unknown for an end that no table knows', { endStatus: 'napping' }, 'unknown'],
  ['the end event of a run that is gone', { isGone: true, endStatus: 'success' }, 'success'],
  [
    'unknown for a stateless run that is gone, with a gap',
    { isGone: true, isStateless: true, isWhole: false },
    'unknown',
  ],
  ['unknown for a run that goes on', { isWhole: true }, 'unknown'],
])('the outcome is %s', (_, given, expected) => {
  expect(outcomeOf(facts(given)).outcome).toBe(expected)
})

test('only a run stopped from outside may have been cancelled', () => {
  expect(mayBeCancelled(facts({ status: 'interrupted' }))).toBe(true)
  expect(mayBeCancelled(facts({ status: 'interrupted', isWaiting: true }))).toBe(true) // within a node
  expect(mayBeCancelled(facts({ status: 'interrupted', isWaiting: true, hasBreakpoints: true }))).toBe(false)
  expect(mayBeCancelled(facts({ status: 'interrupted', isWaiting: true, isAsked: true }))).toBe(false)
  expect(mayBeCancelled(facts({ status: 'error', sawError: true }))).toBe(false)
  expect(mayBeCancelled(facts({ status: 'success' }))).toBe(false)
  expect(
    mayBeCancelled(facts({ status: 'interrupted', isWaiting: true, hasBreakpoints: true, wasStopped: true })),
  ).toBe(true)
  expect(mayBeCancelled(facts({ status: 'error' }))).toBe(true)
  expect(mayBeCancelled(facts({ status: 'interrupted', hasBreakpoints: true }))).toBe(true)
  expect(mayBeCancelled(facts({ isGone: true }))).toBe(true)
  expect(mayBeCancelled(facts({ isGone: true, isStateless: true }))).toBe(false)
  expect(mayBeCancelled(facts({ endStatus: 'interrupted' }))).toBe(true)
  expect(mayBeCancelled(facts({ endStatus: 'rollback' }))).toBe(true)
  expect(mayBeCancelled(facts({ endStatus: 'error' }))).toBe(false)
})

test('a state whose task was cut off by a cancel is stopped, and one that failed or asks is not', () => {
  const withError = (error: unknown) => isStoppedState({ next: ['reply'], tasks: [null, { error, interrupts: [] }] })
  expect(
    ['CancelledError()', 'UserInterrupt()', "ValueError('CancelledError')", null, undefined].map(withError),
  ).toEqual([true, true, false, false, false])
  expect([isStoppedState(undefined), isStoppedState({ tasks: 'b' })]).toEqual([false, false])
})

test('a failed run has the error of its stream, else of its thread, and other runs have none', () => {
  const state = (error: unknown) => ({ tasks: [null, { error: null }, { error }] })
  expect(errorOf('error', 'no', state('other'))).toBe('no')
  expect(errorOf('error', undefined, state("ValueError('no')"))).toBe("ValueError('no')")
  expect(errorOf('error', undefined, state({ name: 'Error', message: ' no\n at x ' }))).toBe('no\n at x')
  expect(errorOf('error', 'a\0b', undefined)).toBe('ab')
  expect(errorOf('error', 'x'.repeat(9_000), undefined)).toHaveLength(2_000)
  for (const unknown of [undefined, state(7), state({}), state('')])
    expect(errorOf('error', undefined, unknown)).toBeNull()
  expect(errorOf('success', 'no', state('no'))).toBeNull()
})

test('an output is what the model said last, else the values, and is cut', () => {
  const ai = (content: unknown) => ({ type: 'ai', content })
  const said = [{ type: 'human', content: 'Hi' }, ai('First'), ai([{ type: 'text', text: ' Last\0 ' }]), ai('')]
  expect(outputOf({ messages: said, steps: 3 }, 99)).toBe('Last')
  expect(outputOf({ total: 42 }, 99)).toBe('{"total":42}')
  expect(outputOf({ text: 'x'.repeat(9_000) }, 9_020)).toHaveLength(4_000)
  // A large state is not printed for it, and a question alone is no output.
  expect([outputOf({ total: 42 }, 1_000_001), outputOf({ messages: said.slice(0, 1) }, 99)]).toEqual([null, null])
  expect([outputOf(undefined, 0), outputOf(readValues('{"a":1'), 6)]).toEqual([null, null])
  expect(outputOf(readValues('{"a":1}'), 7)).toBe('{"a":1}')
})

test('an outcome that is not obvious has a reason', () => {
  const reasonOf = (given: Partial<Facts>) => outcomeOf(facts(given)).reason
  expect(reasonOf({ status: 'napping' })).toBe('The server reports the run as napping.')
  expect(reasonOf({})).toBe('It is unknown how the run ended.')
  expect(reasonOf({ isGone: true })).toContain('no longer has this run')
  expect(reasonOf({ isStateless: true })).toContain('no record of a stateless run')
  expect(reasonOf({ endStatus: 'rollback' })).toContain('rolled back')
  expect(reasonOf({ status: 'success' })).toBeUndefined()
})

test('a state needs input while a task asks, a node remains, or an interrupt is open', () => {
  expect(isWaitingState({ next: [], tasks: [{ interrupts: [] }], interrupts: [] })).toBe(false)
  expect(isWaitingState({ next: ['a'] })).toBe(true)
  expect(isWaitingState({ tasks: [null, { interrupts: [{ id: 'i' }] }] })).toBe(true)
  expect(isWaitingState(undefined)).toBe(false)
  expect(isWaitingState({ next: 'a', tasks: 'b', interrupts: 'c' })).toBe(false)
  expect([isAskingState({ next: ['a'] }), isAskingState({ interrupts: [{}] })]).toEqual([false, true])
  expect(isAskingState({ tasks: [{ interrupts: [] }, { interrupts: [{}] }] })).toBe(true)
})
