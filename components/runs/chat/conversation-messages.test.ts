import { expect, test } from 'vitest'
import type { LogEntry } from '@/lib/stream/log'
import { applyEntry, createRunView } from '@/lib/stream/run-view'
import {
  askedIn,
  beforeOf,
  conversationOf,
  isRunCurrent,
  nameOfRun,
  openingOf,
  stateMessages,
  writerOf,
} from './conversation-messages'

const human = (id: string, content: string) => ({ id, type: 'human', content })
const before = stateMessages({ messages: [human('h1', 'one'), { id: 'a1', type: 'ai', content: 'first' }] })
const asked = askedIn(JSON.stringify({ input: { messages: [{ role: 'user', content: 'two' }] } }), 'run')
test('a run is named by what it was asked, which does not change with the runs that are listed', () => {
  const asked = (input: unknown) => nameOfRun({ request: JSON.stringify({ input }) })
  expect(asked({ messages: [human('1', 'one'), human('2', ' Two\n words ')] })).toBe('Two words')
  expect(asked({ messages: [human('1', 'long '.repeat(20))] })).toBe('long long long long long long long long…')
  for (const input of [null, { query: 'x' }, { messages: [] }]) expect(asked(input)).toBe('Run')
})

const idsOf = (messages: readonly { key: string }[]) => messages.map(({ key }) => key)

function viewOf(...data: ([event: string, data: unknown] | Extract<LogEntry, { kind: 'final' }>)[]) {
  const view = createRunView()
  for (const [index, one] of data.entries())
    applyEntry(
      view,
      Array.isArray(one)
        ? { seq: index + 1, at: index, kind: 'event', event: one[0], data: JSON.stringify(one[1]) }
        : { ...one, seq: index + 1, at: index },
    )
  return view
}
const token = ['messages', [{ id: 'a2', type: 'AIMessageChunk', content: 'sec' }, { langgraph_node: 'agent' }]] as const

test('until a run tells its state, its messages follow what was said before and what it was asked', () => {
  expect(idsOf(conversationOf(before, asked, viewOf([...token])))).toEqual(['h1', 'a1', 'asked-run-0', 'a2'])
})

test('a thread that another program has written since is shown as it is stored, not as it was before the last run', () => {
  const stored = stateMessages({ messages: [human('h1', 'one'), human('h2', 'two'), human('h3', 'elsewhere')] })
  const base = { of: 'run', messages: before }
  expect(beforeOf(base, 'run', true, stored)).toBe(before)
  expect(beforeOf(base, 'run', false, stored)).toBe(stored)
  expect(beforeOf(base, 'other', true, stored)).toBe(stored)
})

test('its state decides which messages there are, so a fork drops the later ones', () => {
  const view = viewOf(['values', { messages: [human('h3', 'two')] }], [...token])
  expect(idsOf(conversationOf(before, asked, view))).toEqual(['h3', 'a2'])
})

test('what a run was asked is there once, although it was already shown while the run waited', () => {
  const shown = [...before, ...asked]
  expect(idsOf(conversationOf(shown, asked, viewOf()))).toEqual(['h1', 'a1', 'asked-run-0'])
  expect(idsOf(conversationOf(shown, asked, viewOf([...token])))).toEqual(['h1', 'a1', 'asked-run-0', 'a2'])
})

test('a state has the input of the run that wrote it, except the checkpoint before the input was applied', () => {
  expect(writerOf({ run_id: 'r', source: 'loop', step: 0 })).toBe('r')
  expect(writerOf({ run_id: 'r', source: 'input', step: -1 })).toBeUndefined()
  expect(writerOf({ source: 'loop' })).toBeUndefined()
  expect(writerOf(null)).toBeUndefined()
})

test('a run without messages adds none', () => {
  expect(idsOf(conversationOf(before, askedIn('{"input":null}', 'run'), viewOf()))).toEqual(['h1', 'a1'])
  expect(askedIn('no JSON', 'run')).toEqual([])
})

test('an ended run is shown until the thread is known to have another state', () => {
  const state = JSON.stringify({ values: { messages: [] }, checkpoint: { checkpoint_id: 'c1', checkpoint_ns: '' } })
  const view = viewOf({ seq: 1, at: 1, kind: 'final', outcome: 'success', state })
  const stored = (checkpoint_id: string, dataUpdatedAt = 10) => ({
    data: { checkpoint: { checkpoint_id } },
    dataUpdatedAt,
  })
  expect(isRunCurrent(view, stored('c1'), false)).toBe(true)
  expect(isRunCurrent(view, stored('c2'), false)).toBe(false)
  expect(isRunCurrent(view, stored('c0', 10), false, 20)).toBe(true)
  expect(isRunCurrent(viewOf(), stored('c2'), false)).toBe(false)
  expect(isRunCurrent(viewOf(), stored('c2'), true)).toBe(true)
})

test('a thread whose messages could not be read is not one without a title', () => {
  const [read, pending] = [
    { isPending: false, hasFailed: false },
    { isPending: true, hasFailed: false },
  ]
  const failed = { isPending: false, hasFailed: true }
  expect([openingOf(before, read), openingOf(before, failed)]).toEqual(['one', 'one'])
  expect([openingOf([], read), openingOf([], pending), openingOf([], failed)]).toEqual(['', undefined, null])
})
