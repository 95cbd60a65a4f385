import { expect, test } from 'vitest'
import { failureMarkdown, failureOf, untoldOf } from './failure'
import type { LogEntry } from './log'
import { applyEntry, createRunView } from './run-view'

const state = { values: {}, next: ['pay'], tasks: [], checkpoint: { checkpoint_id: 'c1', checkpoint_ns: '' } }

function viewOf(events: [event: string, data: unknown][], final: object = {}) {
  const view = createRunView()
  const entries = events.map(([event, data]) => ({ kind: 'event', event, data: JSON.stringify(data) }))
  const end = { kind: 'final', outcome: 'error', state: JSON.stringify(state), ...final }
  for (const [index, entry] of [...entries, end].entries())
    applyEntry(view, { ...entry, seq: index + 1, at: index } as LogEntry)
  return view
}
const metadata: [string, unknown] = ['metadata', { run_id: 'r', attempt: 1 }]
const begin = (id: string, name: string, input: unknown) => ({ id, name, input, triggers: [] })

test('a failure names the innermost node, its input, the exception and the checkpoint before it', () => {
  const view = viewOf([
    metadata,
    ['tasks', begin('t1', 'shop', { order: 1 })],
    ['tasks|shop:t1', begin('t2', 'pay', { order: 2 })],
    ['tasks|shop:t1', { id: 't2', name: 'pay', result: {}, error: 'no', interrupts: [] }],
    ['tasks', { id: 't1', name: 'shop', result: {}, error: 'no', interrupts: [] }],
    ['error', { error: 'PaymentError', message: 'Declined.' }],
  ])
  expect(failureOf(view)).toMatchObject({
    ...{ node: 'pay', place: 'shop', type: 'PaymentError', message: 'Declined.', seq: 3, checkpoint: 'c1' },
    input: '{\n  "order": 2\n}',
  })
})

test('without tasks there is no input, and without a name of the exception it may be in the message', () => {
  const told = viewOf([metadata, ['error', { error: 'Error', message: 'TypeError: x is not a function' }]])
  expect(failureOf(told)).toMatchObject({ node: undefined, type: 'TypeError', input: undefined, seq: 0 })
  expect(failureOf(viewOf([metadata], { state: '{' }))).toMatchObject({ type: undefined, checkpoint: undefined })
  expect(failureOf(viewOf([metadata], { outcome: 'timeout' }))?.type).toBe('Timeout')
  expect(failureOf(viewOf([metadata], { outcome: 'success' }))).toBeUndefined()
})

test('what neither the server nor a trace tells is named', () => {
  // A run started elsewhere, whose stream was not recorded: its thread has the error of a task.
  const task = { id: 't', name: 'pay', error: 'PaymentError: Declined.', interrupts: [] }
  const failure = failureOf(viewOf([], { state: JSON.stringify({ ...state, tasks: [task] }) }))
  expect(failure).toMatchObject({ node: 'pay', type: 'PaymentError', message: 'PaymentError: Declined.' })
  expect(failure && untoldOf(failure, undefined)).toEqual(['stack', 'input of the node'])
  expect(failure && untoldOf({ ...failure, input: '{}' }, 'at x')).toEqual([])
  const silent = failureOf(viewOf([]))
  expect(silent && untoldOf(silent, 'at x')).toEqual(['message', 'type of the error', 'node', 'input of the node'])
})

test('Markdown cannot be left by what it quotes', () => {
  const failure = {
    ...{ node: 'pay', place: '', type: undefined, message: '```\n# no', input: '{}' },
    seq: 0,
    checkpoint: 'c',
  }
  expect(failureMarkdown(failure, [['Run', 'r1']], 'Error\n at x')).toBe(
    '### Run failed in `pay`\n\n````\n```\n# no\n````\n\n- Run: r1\n\n**Stack**\n\n```\nError\n at x\n```\n\n**Input of the node**\n\n```json\n{}\n```',
  )
})

test('the innermost failed node counts, of the last attempt only', () => {
  const failed = (id: string, name: string) => ({ id, name, result: {}, error: 'no', interrupts: [] })
  const view = viewOf([
    metadata,
    ['tasks', begin('t1', 'old', 1)],
    ['tasks', failed('t1', 'old')],
    ['metadata', { run_id: 'r', attempt: 2 }],
    ['tasks', begin('t2', 'fine', 1)],
    ['tasks', { id: 't2', name: 'fine', result: { a: 1 }, interrupts: [] }],
    ['debug', { type: 'task', payload: begin('t3', 'last', { a: 1 }) }],
    ['debug', { type: 'task_result', payload: failed('t3', 'last') }],
  ])
  expect(failureOf(view)).toMatchObject({ node: 'last', seq: 7, input: '{\n  "a": 1\n}', message: 'no', place: '' })
})

test('without any words the reason of the outcome is given, or that there is none', () => {
  expect(failureOf(viewOf([metadata], { reason: 'It was too long.' }))?.message).toBe('It was too long.')
  expect(failureOf(viewOf([metadata]))?.message).toBe('The server gave no reason.')
  const inner = viewOf([metadata, ['error|sub:1', { error: 'Exception', message: 'x' }]])
  expect(failureOf(inner)).toMatchObject({ node: 'sub', type: undefined })
  const named = viewOf([metadata, ['error', { error: 'Error', message: 'not a TypeError: x' }]])
  expect(failureOf(named)?.type).toBeUndefined()
})

test('Markdown names the place of a node, and leaves out what is unknown', () => {
  const failure = { place: 'shop', type: 'PayError', message: 'no', input: undefined, seq: 0, checkpoint: undefined }
  expect(failureMarkdown({ ...failure, node: 'pay' }, [])).toBe('### PayError in `shop › pay`\n\n```\nno\n```\n\n')
  expect(failureMarkdown({ ...failure, node: undefined }, [])).toMatch(/^### PayError\n/)
})
