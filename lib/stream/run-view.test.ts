import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogEntry, RecordingSummary } from './log'
import { messageReasoning, messageText } from './messages'
import {
  applyEntry,
  createRunView,
  endEarly,
  latestValues,
  messagesOf,
  outputOf,
  type RunView,
  timeToFirstToken,
  valuesAt,
} from './run-view'

let seq = 0
const event = (name: string, data: unknown, more: Partial<LogEntry> = {}): LogEntry =>
  ({
    seq: ++seq,
    at: 1000 + seq,
    kind: 'event',
    event: name,
    data: typeof data === 'string' ? data : JSON.stringify(data),
    ...more,
  }) as LogEntry
function play(...make: (() => LogEntry)[]): RunView {
  seq = 0
  const view = createRunView()
  for (const one of make) applyEntry(view, one())
  return view
}
const final = (state: unknown, outcome = 'success'): LogEntry =>
  ({ seq: ++seq, at: 1000 + seq, kind: 'final', outcome, state: JSON.stringify(state) }) as LogEntry
const metadata = () => event('metadata', { run_id: 'r1', attempt: 1 })
const texts = (view: RunView) => messagesOf(view).map((message) => `${message.role}: ${messageText(message)}`)
const chunk = (
  content: unknown,
  more: object = {},
  meta: object = { graph_node: 'agent', graph_checkpoint_ns: 'agent:t1' },
) => event('messages', [{ type: 'AIMessageChunk', id: 'm1', content, ...more }, meta])

test('chunks with one id become one message, with its node, usage and time to first token', () => {
  const view = play(
    metadata,
    () => chunk(''),
    () => chunk('Hel'),
    () => chunk('lo'),
    () => chunk('', { usage_metadata: { input_tokens: 3, output_tokens: 2, total_tokens: 5 } }),
  )
  expect(texts(view)).toEqual(['ai: Hello'])
  expect(messagesOf(view)[0]).toMatchObject({ node: 'agent', firstSeq: 2, lastSeq: 5, isComplete: false })
  expect(view.transcript.usage).toEqual({ input: 3, output: 2, total: 5 })
  const summary = { id: 'one', startedAt: new Date(900).toISOString() } as RecordingSummary
  const own = { ...summary, request: JSON.stringify({ metadata: { pilothouse_recording: 'one' } }) }
  expect(timeToFirstToken(view, own)).toBe(103)
  expect(timeToFirstToken(view, { ...own, id: 'another' })).toBeUndefined()
  expect(timeToFirstToken(view, { ...own, startedAt: new Date(9000).toISOString() })).toBe(0)
  expect(timeToFirstToken(play(metadata), own)).toBeUndefined()
  // The server's times begin when the request has reached it.
  const final = { outcome: 'success', beganAt: 900, startedAt: 5000, endedAt: 5090 }
  expect(timeToFirstToken({ ...view, final } as never, own)).toBe(90)
  expect(view.run).toEqual({ id: 'r1', thread: undefined, attempt: 1 })
})

test('the branded dialect and the JavaScript form of chunks give the same result', () => {
  const js = (content: string) =>
    event('messages|agent:t1', [
      { type: 'ai', id: 'm1', content, tool_call_chunks: [] },
      { langgraph_node: 'agent', langgraph_checkpoint_ns: 'agent:t1' },
    ])
  const view = play(
    metadata,
    () => js('Hel'),
    () => js('lo'),
  )
  expect(texts(view)).toEqual(['ai: Hello'])
  expect(messagesOf(view)[0]).toMatchObject({ node: 'agent', namespace: [] })
  expect([...view.steps.tracks.keys()]).toEqual(['agent'])
})

test('tool call fragments merge by index, even of two calls at once', () => {
  const call = (index: number, args: string, more: object = {}) =>
    chunk('', { tool_call_chunks: [{ index, args, ...more }] })
  const view = play(
    metadata,
    () => call(0, '', { id: 'c1', name: 'search' }),
    () => call(1, '', { id: 'c2', name: 'add' }),
    () => call(0, '{"q":'),
    () => call(1, '{"a":1}'),
    () => call(0, '"x"}'),
  )
  expect(messagesOf(view)[0]?.toolCalls).toEqual([
    { index: 0, id: 'c1', name: 'search', args: '{"q":"x"}' },
    { index: 1, id: 'c2', name: 'add', args: '{"a":1}' },
  ])
})

test('blocks merge by index; reasoning is kept apart from the text', () => {
  const view = play(
    metadata,
    () => chunk([{ type: 'reasoning', reasoning: 'hm', index: 0 }]),
    () => chunk([{ type: 'reasoning', text: 'mm', index: 0 }]),
    () => chunk([{ type: 'text', text: 'a', index: 1 }]),
    () =>
      chunk([
        { type: 'text', text: 'b', index: 1 },
        { type: 'image', url: 'x', index: 2 },
      ]),
    () => chunk('', { additional_kwargs: { reasoning_content: '!' } }),
  )
  const [message] = messagesOf(view)
  expect(message && [messageText(message), messageReasoning(message)]).toEqual(['ab', 'hmmm!'])
  expect(message?.parts.map(({ kind }) => kind)).toEqual(['reasoning', 'text', 'block', 'reasoning'])
})

test('a whole message with the same id replaces the assembled one', () => {
  const view = play(
    metadata,
    () => chunk('Hel'),
    () => event('messages', [{ type: 'ai', id: 'm1', content: 'Hello there' }, {}]),
  )
  expect(texts(view)).toEqual(['ai: Hello there'])
  expect(messagesOf(view)[0]?.isComplete).toBe(true)
})

test('messages of the older event family are replaced, not appended', () => {
  const view = play(
    metadata,
    () => event('messages/metadata', { m1: { metadata: { graph_node: 'agent' } } }),
    () => event('messages/partial', [{ type: 'ai', id: 'm1', content: 'He' }]),
    () => event('messages/partial', [{ type: 'ai', id: 'm1', content: 'Hello' }]),
    () => event('messages/metadata', { m1: { metadata: { graph_node: 'agent' } } }),
    () => event('messages/complete', [{ type: 'ai', id: 'm1', content: 'Hello!' }]),
  )
  expect(texts(view)).toEqual(['ai: Hello!'])
  expect(messagesOf(view)[0]).toMatchObject({ isComplete: true, node: 'agent' })
})

test('the state determines the messages and their order; the stream determines their origin', () => {
  const human = { type: 'human', id: 'h1', content: 'Hi' }
  const view = play(
    metadata,
    () => event('values', { messages: [human] }),
    () => chunk('Hel'),
    () =>
      event('messages|inner:t9', [
        { type: 'AIMessageChunk', id: 'sub', content: 'aside' },
        { graph_node: 'write', graph_checkpoint_ns: 'inner:t9|write:t8' },
      ]),
    () => chunk('lo'),
  )
  expect(texts(view)).toEqual(['human: Hi', 'ai: Hello', 'ai: aside'])
  expect(messagesOf(view)[2]).toMatchObject({ node: 'write', namespace: [{ node: 'inner', task: 't9' }] })
  applyEntry(
    view,
    final({ values: { messages: [human, { type: 'ai', id: 'm1', content: 'Hello!' }] }, next: [], tasks: [] }),
  )
  expect(texts(view)).toEqual(['human: Hi', 'ai: Hello!', 'ai: aside'])
  expect(view).toMatchObject({ phase: 'ended', outcome: 'success' })
})

test("a message that the state has under another id is the same: a tool's by its call, others by content", () => {
  const tool = (id: string, content: string) => ({ type: 'tool', id, tool_call_id: 'c1', content })
  const view = play(
    metadata,
    () => event('messages', [tool('run-1-tool', '84'), { graph_node: 'tools' }]),
    () => event('messages', [{ type: 'ai', id: 'run-2', content: 'ok' }, { graph_node: 'a' }]),
    () => event('messages', [{ type: 'ai', id: 'run-3', content: 'ok' }, { graph_node: 'b' }]),
  )
  const values = {
    messages: [tool('t', '84!'), { type: 'ai', id: 'x', content: 'ok' }, { type: 'ai', id: 'y', content: 'ok' }],
  }
  for (let again = 0; again < 2; again++) {
    applyEntry(view, event('values', values))
    expect(messagesOf(view).map(({ role, node }) => `${role} ${node}`)).toEqual(['tool tools', 'ai a', 'ai b'])
  }
  applyEntry(view, final({ values }))
  expect(texts(view)).toEqual(['tool: 84!', 'ai: ok', 'ai: ok'])
})

test('an older state does not shorten a message that is being streamed', () => {
  const view = play(
    metadata,
    () => chunk('Hello'),
    () => event('values', { messages: [{ type: 'ai', id: 'm1', content: 'He' }] }),
    () => chunk('!'),
  )
  expect(texts(view)).toEqual(['ai: Hello!'])
})

test('a values event that holds only an interrupt never overwrites the state', () => {
  const interrupt = { __interrupt__: [{ id: 'i1', value: { question: 'ok?' } }] }
  const view = play(
    metadata,
    () => event('values', '{"n": 12345678901234567890}'),
    () => event('updates', interrupt),
    () => event('values', interrupt),
  )
  expect(latestValues(view)).toMatchObject({ text: '{"n": 12345678901234567890}', isThreadState: false })
  expect([...view.interrupts.values()]).toMatchObject([{ id: 'i1', value: { question: 'ok?' } }])
  applyEntry(view, final({ values: { n: 1 }, next: [], tasks: [] }))
  expect(view.interrupts.size).toBe(0)
})

test('steps: tasks by id, updates by node, without duplicates', () => {
  const start = (id: string, name: string) => event('tasks', { id, name, input: {}, triggers: ['x'] })
  const end = (id: string, name: string, more: object = {}) =>
    event('tasks', { id, name, result: {}, interrupts: [], ...more })
  const view = play(
    metadata,
    () => start('1', 'fan'),
    () => start('2', 'fan'),
    () => end('2', 'fan'),
    () => event('updates', { fan: { a: 1 } }),
    () => end('1', 'fan', { error: 'no' }),
    () => event('updates|sub:9', { inner: null }),
  )
  expect(
    [...view.steps.tracks.values()].map(({ key, steps }) => [
      key,
      steps.map(({ task, status }) => `${task} ${status}`),
    ]),
  ).toEqual([['fan', ['1 error', '2 done']]])

  const plain = play(
    metadata,
    () => event('updates', { a: 1 }),
    () => event('updates|sub:9', { inner: null }),
    () => event('updates', { b: 1, a: 2 }),
  )
  expect(
    [...plain.steps.tracks.values()].map(({ key, steps }) => [
      key,
      steps.map(({ startedSeq, endedSeq }) => [startedSeq, endedSeq]),
    ]),
  ).toEqual([
    [
      'a',
      [
        [1, 2],
        [2, 4],
      ],
    ],
    ['sub\u001finner', [[3, 3]]],
    ['b', [[2, 4]]],
  ])
})

test('a retried run repeats its output: the new attempt replaces it, and discarded output is marked at the end', () => {
  const view = play(
    metadata,
    () => chunk('Hel'),
    () => event('messages', [{ type: 'AIMessageChunk', id: 'lost', content: 'old' }, { graph_node: 'b' }]),
    () => event('metadata', { run_id: 'r1', attempt: 2 }),
    () => chunk('Hi'),
  )
  expect(texts(view)).toEqual(['ai: Hi', 'ai: old'])
  expect(view.attempts.map(({ attempt }) => attempt)).toEqual([1, 2])
  applyEntry(view, final({ values: { messages: [{ type: 'ai', id: 'm1', content: 'Hi' }] } }))
  expect(messagesOf(view).map(({ isRemoved }) => isRemoved)).toEqual([false, true])
})

test('a step that is open when the recording ends may have gone on; one of a run that was stopped was stopped', () => {
  const task = () => event('tasks', { id: 't1', name: 'agent', input: {}, triggers: [] })
  const statusOf = (view: RunView) => [...view.steps.tracks.values()].flatMap(({ steps }) => steps)[0]?.status
  expect(statusOf(play(metadata, task))).toBe('running')
  const outcomes = ['success', 'error', 'cancelled', 'unknown']
  expect(outcomes.map((outcome) => statusOf(play(metadata, task, () => final({}, outcome))))).toEqual([
    ...['done', 'error', 'interrupted', 'unknown'],
  ])
  const cut = play(metadata, task)
  endEarly(cut)
  expect([statusOf(cut), cut.phase, cut.final]).toEqual(['unknown', 'ended', undefined])
})

test('errors, ends, gaps, custom and unknown events are all included', () => {
  const view = play(
    metadata,
    () => event('custom', 1),
    () => event('surprise|x:1', 'not json'),
    () => ({ seq: ++seq, at: 1, kind: 'gap', since: 0, reason: 'broke' }),
    () => event('error|sub:1', { error: 'ValueError', message: 'no' }),
    () => event('error', { error: 'Error', message: 'no' }),
    () => event('end', { run_id: 'r1', status: 'error' }),
  )
  expect(view.log.at(3)).toMatchObject({ event: 'surprise|x:1', data: 'not json' })
  expect([...view.counters]).toEqual([
    ['metadata', 1],
    ['custom', 1],
    ['surprise', 1],
    ['error', 2],
    ['end', 1],
  ])
  expect(view.gaps).toHaveLength(1)
  expect(view.error).toMatchObject({ name: 'ValueError', namespace: [{ node: 'sub' }] })
  expect(view.endStatus).toBe('error')
})

test('entries already applied change nothing, a gap is refused, entry 1 restarts', () => {
  seq = 0
  const entries = [metadata(), chunk('a'), chunk('b')]
  const view = createRunView()
  for (const one of [...entries.slice(0, 2), ...entries]) if (one.seq > view.seq) applyEntry(view, one)
  applyEntry(view, entries[2] as LogEntry)
  expect(texts(view)).toEqual(['ai: ab'])
  seq = 9
  expect(() => applyEntry(view, chunk('x'))).toThrow(RangeError)
  for (const one of entries.slice(0, 2)) applyEntry(view, one)
  expect([texts(view), view.seq, view.log.length]).toEqual([['ai: a'], 2, 2])
})

test('no payload, however broken, stops the view', () => {
  const mode = fc.constantFrom(
    'metadata',
    'messages',
    'messages/partial',
    'messages/metadata',
    'values',
    'updates',
    'tasks',
    'debug',
    'events',
    'lifecycle|a:1',
    'error',
    'end',
    'custom',
    'tools',
    '__proto__',
    'constructor',
    'x',
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(mode, fc.oneof(fc.json(), fc.string())), { maxLength: 20 }), (list) => {
      const view = play(
        ...list.map(
          ([name, data]) =>
            () =>
              event(name, data),
        ),
      )
      expect(messagesOf(view)).toBeDefined()
      expect(view.seq).toBe(list.length)
    }),
    { numRuns: 500 },
  )
})

test('a text split into any chunks gives that text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.array(fc.nat(60), { maxLength: 8 }),
      (whole, cuts) => {
        const places = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length]
        const view = play(
          metadata,
          ...places.slice(1).map((end, index) => () => chunk(whole.slice(places[index], end))),
        )
        expect(messagesOf(view).map(messageText).join('')).toBe(whole)
      },
    ),
  )
})

test.each([
  [{ error: 'Error', message: 'rollback' }, 'rollback'],
  [{ error: 'UserRollback', message: 'User requested rollback' }, 'rollback'],
  [{ error: 'Error', message: 'interrupt' }, 'interrupted'],
  [{ error: 'UserInterrupt', message: 'An internal error occurred' }, 'interrupted'],
])('a cancel that a server reports as an error is not an error of the graph', (data, status) => {
  const view = play(metadata, () => event('error', data))
  expect([view.error, view.endStatus]).toEqual([undefined, status])
  expect(play(metadata, () => event('error', { error: 'Error', message: 'boom' })).error?.message).toBe('boom')
})

test('the log stays within its budget and reports where it begins', () => {
  seq = 0
  const view = createRunView({ budgetBytes: 3_000_000 })
  for (let i = 0; i < 20_000; i++) applyEntry(view, event('custom', 'x'.repeat(500)))
  expect(view.log.bytes).toBeLessThanOrEqual(3_000_000)
  expect(view.log.last).toBe(20_000)
  expect(view.log.at(view.log.first)?.seq).toBe(view.log.first)
  expect(view.log.at(view.log.first - 1)).toBeUndefined()
})

test('the newest state is a thread state that was read later than the stream, or the stream’s', () => {
  const read = (state: object, at: number): LogEntry => ({
    seq: ++seq,
    at,
    kind: 'joined',
    state: JSON.stringify(state),
  })
  const view = play(metadata)
  expect(latestValues(view)).toBeUndefined()
  applyEntry(view, read({ values: { n: 1 } }, 5))
  const first = { seq: 2, at: 5, text: '{"values":{"n":1}}', isThreadState: true }
  expect(latestValues(view)).toEqual(first)
  applyEntry(view, event('values|sub:1', { n: 9 }))
  expect(latestValues(view)).toEqual(first)
  applyEntry(view, event('values', { n: 2 }))
  expect(latestValues(view)).toEqual({ seq: 4, at: 1004, text: '{"n":2}', isThreadState: false })
  applyEntry(view, read({ values: { n: 3 } }, 6))
  expect(latestValues(view)).toEqual({ seq: 5, at: 6, text: '{"values":{"n":3}}', isThreadState: true })
})

test('a view has the times of its first, newest and last entry', () => {
  const view = play(metadata, () => chunk('a'))
  expect([view.phase, view.startedAt, view.lastAt, view.endedAt, view.version]).toEqual([
    'streaming',
    1001,
    1002,
    undefined,
    2,
  ])
  applyEntry(view, { ...final({ values: {} }, 'timeout'), reason: 'too long' } as LogEntry)
  expect([view.phase, view.outcome, view.reason, view.lastAt, view.endedAt]).toEqual([
    'ended',
    'timeout',
    'too long',
    1003,
    1003,
  ])
})

test('one gap stands for all entries that were lost for the same reason', () => {
  const gap = (reason: string, state?: string): LogEntry => ({
    ...{ seq: ++seq, at: 1, kind: 'gap', since: 0, reason },
    ...(state !== undefined && { state }),
  })
  const view = play(
    () => gap('lost'),
    () => gap('lost'),
    () => gap('broke'),
    () => gap('broke', '{}'),
    metadata,
    () => gap('broke'),
    () => ({ seq: ++seq, at: 1, kind: 'joined' }),
  )
  expect(view.gaps.map((one) => one.seq)).toEqual([1, 3, 4, 6, 7])
})

test('the nodes that are left and the open questions come from the final state, their place from the stream', () => {
  const asked = [{ id: 'i', value: 'ok?' }]
  const view = play(
    metadata,
    () => event('updates|sub:1', { __interrupt__: asked }),
    () => event('updates', { __interrupt__: [{ id: 'gone', value: 1 }] }),
  )
  const tasks = [{ id: 't', name: 'ask', interrupts: [...asked, { id: 'new', value: 2 }] }, 'text']
  applyEntry(view, final({ values: {}, next: ['ask', 7], tasks }, 'waiting'))
  expect(view.next).toEqual(['ask'])
  expect([...view.interrupts.values()].map(({ id, seq, at, namespace }) => [id, seq, at, namespace.length])).toEqual([
    ['i', 2, 1002, 1],
    ['new', 4, 1004, 0],
  ])
})

test('a state that is read while the run goes on changes no question and no next node', () => {
  const view = play(metadata, () => event('updates', { __interrupt__: [{ id: 'i', value: 'ok?' }] }))
  const state = JSON.stringify({ values: {}, next: ['a'], tasks: [] })
  applyEntry(view, { seq: ++seq, at: 7, kind: 'gap', since: 1, reason: 'broke', state })
  expect([view.next, [...view.interrupts.keys()], view.state?.at]).toEqual([[], ['i'], 7])
})

test('a run that was joined late has the error that its final state tells, unless the stream had one', () => {
  const tasks = [{ id: 't', name: 'a', error: { message: 'boom' } }, { name: 7 }, { id: 'u', name: 'b' }]
  const view = play(metadata)
  applyEntry(view, final({ values: {}, tasks }, 'error'))
  expect(view.error).toEqual({ name: 'Error', message: 'boom', namespace: [], seq: 2, at: 1002 })
  const told = play(metadata, () => event('error', { error: 'ValueError', message: 'no' }))
  applyEntry(told, final({ values: {}, tasks }, 'error'))
  expect(told.error).toMatchObject({ name: 'ValueError', message: 'no' })
  const done = play(metadata)
  applyEntry(done, final({ values: {}, tasks }, 'success'))
  expect(done.error).toBeUndefined()
})

test.each([
  ['error', 'error'],
  ['success', 'done'],
  ['cancelled', 'interrupted'],
  ['timeout', 'interrupted'],
])('what still runs when a run ends with %s is %s', (outcome, status) => {
  const view = play(metadata, () => event('tasks', { id: '1', name: 'a', input: {}, triggers: [] }))
  applyEntry(view, final('no state', outcome))
  expect([...view.steps.tracks.values()].flatMap(({ steps }) => steps.map((one) => one.status))).toEqual([status])
  expect([view.next, view.phase]).toEqual([[], 'ended'])
})

test('values at an entry are searched only where the log still begins', () => {
  const view = createRunView({ budgetBytes: 400_000 })
  seq = 0
  applyEntry(view, event('values', { n: 1 }))
  for (let index = 0; index < 4_000; index++) applyEntry(view, event('custom', 1))
  expect(view.log.first).toBeGreaterThan(1)
  expect(valuesAt(view, 4_001)).toBeUndefined()
  applyEntry(view, event('values', { n: 2 }))
  expect(valuesAt(view, 9_999)?.seq).toBe(4_002)
})

test('the output of a run is its last text, else its state; of a failed one never what its thread had before', () => {
  const earlier = { type: 'ai', id: 'm0', content: 'Said before.' }
  const before = { values: { messages: [earlier] } }
  expect(
    outputOf(
      play(
        metadata,
        () => chunk('Hello'),
        () => final(before, 'error'),
      ),
    ),
  ).toBe('Hello')
  expect(outputOf(play(metadata, () => final(before)))).toBe('Said before.')
  expect(outputOf(play(metadata, () => final(before, 'error')))).not.toBe('Said before.')
  expect(outputOf(play(metadata, () => final({ values: { total: 2 } })))).toBe('{"total":2}')
  expect(outputOf(play(metadata))).toBe('')
})
