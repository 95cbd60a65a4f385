import { expect, test } from 'vitest'
import { messageText } from './messages'
import { countEvents, errorText, isOnlyCounted, isOnlyInterrupt } from './modes'
import { applyEntry, createRunView, messagesOf, type RunView, valuesAt } from './run-view'

/** A view of events, each a name and its data, at 10, 20, 30, …. */
function viewOf(...events: [string, unknown][]): RunView {
  const view = createRunView()
  for (const [index, [event, data]] of events.entries()) {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    applyEntry(view, { kind: 'event', seq: index + 1, at: (index + 1) * 10, event, data: text })
  }
  return view
}
const stepsOf = (view: RunView) =>
  [...view.steps.tracks.values()].flatMap(({ key, steps }) =>
    steps.map(({ task, status, startedSeq, endedSeq, error }) => [key, task, status, startedSeq, endedSeq, error]),
  )
const texts = (view: RunView) => messagesOf(view).map((message) => messageText(message))

test('metadata gives run, thread and attempt, and a repeat of it begins nothing', () => {
  const view = viewOf(
    ['metadata', { run_id: 'r', thread_id: 't' }],
    ['error', { message: 'broke' }],
    ['metadata', { run_id: 'r' }],
    ['metadata', 'text'],
  )
  expect(view.run).toEqual({ id: 'r', thread: 't', attempt: 1 })
  expect(view.attempts).toEqual([{ attempt: 1, seq: 1, at: 10 }])
  expect(view.error?.message).toBe('broke')
  const retried = viewOf(['metadata', { run_id: 'r' }], ['error', { message: 'broke' }], ['metadata', { attempt: 2 }])
  expect([retried.run, retried.error]).toEqual([{ id: 'r', thread: undefined, attempt: 2 }, undefined])
  expect(retried.attempts.at(-1)).toEqual({ attempt: 2, seq: 3, at: 30 })
})

test('debug events tell the start and end of tasks; their checkpoints and unknown types tell nothing', () => {
  const task = { id: '1', name: 'plan', input: {}, triggers: [] }
  const view = viewOf(
    ['debug', { type: 'checkpoint', payload: { ...task, name: 'state' } }],
    ['debug', { type: 'task', payload: task }],
    ['debug', { type: 'other', payload: { ...task, id: '2', name: 'other' } }],
    ['debug', { type: 'task_result', payload: { id: '1', name: 'plan', result: { a: 1 } } }],
  )
  expect(stepsOf(view)).toEqual([['plan', '1', 'done', 2, 4, undefined]])
})

test('a task ends as done, with its error or with its question', () => {
  const begin = (id: string, name: string): [string, unknown] => ['tasks', { id, name, input: {} }]
  const view = viewOf(
    begin('1', 'a'),
    begin('2', 'b'),
    begin('3', 'c'),
    ['tasks', { id: '1', name: 'a', result: { x: 1 }, input: {}, interrupts: [] }],
    ['tasks', { id: '2', name: 'b', error: { message: 'no' }, interrupts: [] }],
    ['tasks|sub:9', { id: '3', name: 'c', interrupts: [{ id: 'i', value: 'ok?' }] }],
    ['tasks', { id: '4', result: {} }],
    ['tasks', 'text'],
  )
  expect(stepsOf(view)).toEqual([
    ['a', '1', 'done', 1, 4, undefined],
    ['b', '2', 'error', 2, 5, 'no'],
    ['c', '3', 'interrupted', 3, 6, undefined],
  ])
  expect([...view.interrupts.values()]).toMatchObject([
    { id: 'i', value: 'ok?', seq: 6, at: 60, namespace: [{ node: 'sub', task: '9' }] },
  ])
})

test('an interrupt belongs to the graph that asked first, or to the one it names; one without an id to its place', () => {
  const view = viewOf(
    ['updates|inner:1', { __interrupt__: [{ id: 'i', value: 1 }] }],
    ['updates', { __interrupt__: [{ id: 'i', value: 1 }, { value: 'unnamed' }, 'text'] }],
    ['values', { messages: [], __interrupt__: [{ interrupt_id: 7, ns: ['outer:1', 'inner:2'] }] }],
    ['updates', { __interrupt__: 'text' }],
  )
  expect(
    [...view.interrupts.values()].map(({ id, namespace, seq }) => [id, namespace.map(({ node }) => node), seq]),
  ).toEqual([
    ['i', ['inner'], 1],
    ['#1', [], 2],
    ['7', ['outer', 'inner'], 3],
  ])
  // The state beside the interrupt counts.
  expect(view.values.get('')?.seq).toBe(3)
})

test('updates end the steps of their nodes, but not of a cache’s metadata or a question', () => {
  const view = viewOf(['updates', { a: 1, __metadata__: { cached: true }, __interrupt__: [] }], ['updates', 'text'])
  expect(stepsOf(view)).toEqual([['a', undefined, 'done', 1, 1, undefined]])
})

test('the tokens of model calls count only in streams without messages', () => {
  const call = (content: string) => ({
    event: 'on_chat_model_stream',
    metadata: { langgraph_node: 'agent', langgraph_checkpoint_ns: 'agent:t1' },
    data: { chunk: { type: 'AIMessageChunk', id: 'm', content } },
  })
  const other = { ...call('x'), event: 'on_chain_stream', about: { event: 'on_chat_model_stream' } }
  const events = viewOf(
    ['events', call('Hel')],
    ['events', other],
    ['events', { ...call('lo'), data: 1 }],
    ['events', call('lo').event && JSON.stringify(call('lo')).replace('"event":', '"event" : ')],
  )
  expect(texts(events)).toEqual(['Hello'])
  expect(events.firstTokenAt).toBe(10)
  expect(messagesOf(events)[0]).toMatchObject({ node: 'agent', firstSeq: 1, lastSeq: 4 })
  const both = viewOf(['messages', [{ type: 'AIMessageChunk', id: 'm', content: 'Hi' }, {}]], ['events', call('Hi')])
  expect(texts(both)).toEqual(['Hi'])
})

test('a lifecycle event starts or ends the task that its name ends with', () => {
  const view = viewOf(
    ['lifecycle|outer:1|plan:2', { event: 'started' }],
    ['lifecycle|outer:1|plan:2', { event: 'completed' }],
    ['lifecycle|look:3', { event: 'started' }],
    ['lifecycle|look:3', { event: 'failed' }],
    ['lifecycle|ask:4', { event: 'started' }],
    ['lifecycle|ask:4', { event: 'interrupted' }],
    ['lifecycle|late:5', { event: 'started' }],
    ['lifecycle|late:5', { event: 'paused' }],
    ['lifecycle', { event: 'started' }],
    ['lifecycle|nobody', { event: 'started' }],
    ['lifecycle|late:6', 'text'],
  )
  expect(stepsOf(view)).toEqual([
    ['outer\u001fplan', '2', 'done', 1, 2, undefined],
    ['look', '3', 'error', 3, 4, undefined],
    ['ask', '4', 'interrupted', 5, 6, undefined],
    ['late', '5', 'running', 7, undefined, undefined],
  ])
})

test('feedback, the end and custom events are kept as they came', () => {
  const view = viewOf(['feedback', { score: 1 }], ['custom', '{ "n": 1 }'], ['end', { status: 'success' }])
  expect([view.feedback, view.custom, view.endStatus]).toEqual([
    { score: 1 },
    { seq: 2, text: '{ "n": 1 }' },
    'success',
  ])
  expect(viewOf(['end', '']).endStatus).toBe('ended')
  expect(viewOf(['end', { status: 1 }]).endStatus).toBe('ended')
})

test('an error keeps the place where it happened first, whatever its shape', () => {
  expect(viewOf(['error', 'plain words']).error).toMatchObject({
    name: 'Error',
    message: 'plain words',
    seq: 1,
    at: 10,
  })
  expect(viewOf(['error', { error: { code: 1 }, message: { why: 'no' } }]).error).toMatchObject({
    name: '{"code":1}',
    message: '{"why":"no"}',
  })
  const newer = viewOf(['error', { message: 'one' }], ['error', { message: 'two' }])
  expect(newer.error).toMatchObject({ message: 'two', seq: 2 })
  const inner = viewOf(['error', { message: 'one' }], ['error|sub:1', { message: 'one' }])
  expect(inner.error?.namespace).toEqual([{ node: 'sub', task: '1' }])
  const running = viewOf(['tasks', { id: '1', name: 'a', input: {} }], ['error', { message: 'no' }])
  expect(stepsOf(running)).toEqual([['a', '1', 'error', 1, 2, undefined]])
  const rolledBack = viewOf(
    ['tasks', { id: '1', name: 'a', input: {} }],
    ['error', { error: 'Error', message: 'rollback' }],
  )
  expect(stepsOf(rolledBack)).toEqual([['a', '1', 'interrupted', 1, 2, undefined]])
})

test.each([
  ['text', 'text'],
  [{ message: 'words', error: 'Type' }, 'words'],
  [{ error: 'words' }, 'words'],
  [{ message: { code: 1 } }, '{"message":{"code":1}}'],
  [7, '7'],
])('the words of the error %j are %s', (error, words) => expect(errorText(error)).toBe(words))

test('a whole message begins the time to the first token only if a model wrote something', () => {
  const human = { type: 'human', id: 'h', content: 'Hi' }
  const empty = { type: 'ai', id: 'm', content: '' }
  const view = viewOf(['messages/partial|agent:1', [human, empty, 'text']], ['messages/partial', 'text'])
  expect(view.firstTokenAt).toBeUndefined()
  expect(messagesOf(view)[0]).toMatchObject({ node: 'agent', isComplete: false, lastAt: 10 })
  const later = viewOf(
    ['messages/partial', [empty]],
    ['messages/partial', [{ ...empty, content: 'a' }]],
    ['messages/complete', [{ ...empty, content: 'ab' }]],
  )
  expect([later.firstTokenAt, texts(later)]).toEqual([20, ['ab']])
  const called = viewOf([
    'messages',
    [{ type: 'AIMessageChunk', id: 'm', content: '', tool_call_chunks: [{ args: '' }] }, {}],
  ])
  expect(called.firstTokenAt).toBe(10)
})

test('tokens show that their node runs, a whole message does not', () => {
  const meta = { langgraph_node: 'agent', langgraph_checkpoint_ns: 'outer:1|agent:2' }
  const view = viewOf(['messages', [{ type: 'AIMessageChunk', id: 'm', content: 'a' }, meta]])
  expect(stepsOf(view)).toEqual([['outer\u001fagent', '2', 'running', 1, undefined, undefined]])
  expect(messagesOf(view)[0]?.namespace).toEqual([{ node: 'outer', task: '1' }])
  expect(stepsOf(viewOf(['messages', [{ type: 'ai', id: 'm', content: 'a' }, meta]]))).toEqual([])
  // The older key, and no metadata at all.
  const older = viewOf(['messages', [{ type: 'AIMessageChunk', id: 'm', content: 'a' }, { checkpoint_ns: 'agent:2' }]])
  expect(messagesOf(older)[0]).toMatchObject({ node: 'agent', namespace: [] })
  const named = viewOf(['messages|agent:2', [{ type: 'AIMessageChunk', id: 'm', content: 'a' }, null]])
  expect(messagesOf(named)[0]).toMatchObject({ node: 'agent', namespace: [{ node: 'agent' }] })
})

test('values at an entry are the newest before it: of the stream without mere questions, or a state that was read', () => {
  const view = viewOf(['values', { n: 1 }], ['values|sub:1', { n: 2 }], ['values', { __interrupt__: [] }])
  applyEntry(view, { kind: 'joined', seq: 4, at: 40 })
  applyEntry(view, { kind: 'joined', seq: 5, at: 50, state: '{"values":{}}' })
  expect(valuesAt(view, 4)).toEqual({ seq: 1, at: 10, text: '{"n":1}', isThreadState: false })
  expect(valuesAt(view, 99)).toEqual({ seq: 5, at: 50, text: '{"values":{}}', isThreadState: true })
  expect(valuesAt(view, 0)).toBeUndefined()
})

test('events are counted by mode and by namespace, however many come at once', () => {
  const view = viewOf(['custom', 1], ['custom|a:1', 1], ['updates|a:1', {}], ['values|a:1|b:2', {}])
  countEvents(view, 'custom|a:1', 5)
  countEvents(view, 'custom', 3)
  expect([...view.counters]).toEqual([
    ['custom', 10],
    ['updates', 1],
    ['values', 1],
  ])
  expect([...view.namespaces]).toEqual([
    ['a:1', 7],
    ['a:1|b:2', 1],
  ])
})

test('events that no table knows are only counted', () => {
  expect(['custom', 'custom|a:1', 'checkpoints', 'surprise', '__proto__', 'toString'].map(isOnlyCounted)).toEqual(
    Array(6).fill(true),
  )
  expect(['values', 'values|a:1', 'end', 'error', 'metadata'].some(isOnlyCounted)).toBe(false)
})

test.each([
  ['{"__interrupt__":[]}', true],
  ['{ "__interrupt__" : [{"id":"i"}] }', true],
  ['{"__interrupt__":[],"a":1}', false],
  ['{"a":"\\"__interrupt__\\""}', false],
  ['{"a":{"__interrupt__":[]}}', false],
  ['{"a":1}', false],
  ['["__interrupt__"]', false],
  ['"__interrupt__"', false],
  ['{"__interrupt__":', false],
  ['', false],
])('%s has only an interrupt: %j', (text, is) => expect(isOnlyInterrupt(text)).toBe(is))

test('values are the newest of each graph, and a question in them is kept', () => {
  const view = viewOf(
    ['values', { n: 1 }],
    ['values|sub:1', { n: 2 }],
    ['values', { n: 3, __interrupt__: [{ id: 'i', value: 'ok?' }] }],
    ['values|sub:1', { __interrupt__: [{ id: 'j' }] }],
    ['values', '{"broken":"__interrupt__"'],
  )
  expect([...view.values]).toEqual([
    ['', { seq: 5, at: 50, text: '{"broken":"__interrupt__"' }],
    ['sub:1', { seq: 2, at: 20, text: '{"n":2}' }],
  ])
  expect([...view.interrupts.keys()]).toEqual(['i', 'j'])
  expect([...view.interrupts.values()].map(({ seq, at, namespace }) => [seq, at, namespace.length])).toEqual([
    [3, 30, 0],
    [4, 40, 1],
  ])
})

test('a task without a result is empty, whether it says null, nothing or an empty object or list', () => {
  const isEmptyOf = (result: object) => {
    const view = viewOf(['tasks', { id: '1', name: 'a', input: {} }], ['tasks', { id: '1', name: 'a', ...result }])
    expect(stepsOf(view)).toEqual([['a', '1', 'done', 1, 2, undefined]])
  }
  for (const result of [{}, { result: null }, { result: {} }, { result: [] }, { result: [['a', 1]] }, { result: 7 }])
    isEmptyOf(result)
})

test('a start may be told by triggers alone, and a result by itself', () => {
  const view = viewOf(
    ['tasks', { id: '1', name: 'a', triggers: [] }],
    ['tasks', { id: '2', name: 'b', result: {}, input: 1 }],
  )
  expect(stepsOf(view)).toEqual([
    ['a', '1', 'running', 1, undefined, undefined],
    ['b', '2', 'done', 2, 2, undefined],
  ])
})

test('a node that only updates show began with the values before it, those of its own graph', () => {
  const view = viewOf(['values', {}], ['values|sub:1', {}], ['custom', 1], ['updates', { a: 1 }])
  expect(stepsOf(view)).toEqual([['a', undefined, 'done', 1, 4, undefined]])
  const inner = viewOf(['values|sub:1', {}], ['custom', 1], ['updates', { a: 1 }])
  expect(stepsOf(inner)).toEqual([['a', undefined, 'done', 3, 3, undefined]])
})

test('after an error that no task tells, the task that ended last without a result has failed', () => {
  const ended = (result: object) =>
    stepsOf(
      viewOf(
        ['tasks', { id: '1', name: 'a', input: {} }],
        ['tasks', { id: '1', name: 'a', ...result }],
        ['error', { error: 'ValueError', message: 'no' }],
      ),
    ).map(([, , status]) => status)
  for (const result of [{}, { result: null }, { result: {} }, { result: [] }]) expect(ended(result)).toEqual(['error'])
  for (const result of [{ result: { a: 1 } }, { result: [['a', 1]] }, { result: 7 }])
    expect(ended(result)).toEqual(['done'])
  expect(ended({ interrupts: [{ id: 'i' }] })).toEqual(['interrupted'])
  expect(ended({ interrupts: [] })).toEqual(['error'])
})

test('a message keeps the place where it began, and has one again in another attempt', () => {
  const token = (content: string, meta: unknown): [string, unknown] => [
    'messages',
    [{ type: 'AIMessageChunk', id: 'm', content }, meta],
  ]
  const view = viewOf(
    token('a', { langgraph_node: 'one', langgraph_checkpoint_ns: 'outer:1|one:2' }),
    token('b', { langgraph_node: 'other', langgraph_checkpoint_ns: 'other:3' }),
  )
  expect(messagesOf(view)[0]).toMatchObject({ node: 'one', namespace: [{ node: 'outer', task: '1' }] })
  expect(stepsOf(view).map(([key, task]) => [key, task])).toEqual([['outer\u001fone', '2']])
  const retried = viewOf(
    ['metadata', { attempt: 1 }],
    token('a', { langgraph_node: 'one', langgraph_checkpoint_ns: 'one:2' }),
    ['metadata', { attempt: 2 }],
    token('b', { langgraph_node: 'one', langgraph_checkpoint_ns: 'one:9' }),
  )
  expect(stepsOf(retried).map(([, task, status, started]) => [task, status, started])).toEqual([
    ['2', 'interrupted', 2],
    ['9', 'running', 4],
  ])
})

test('a message without a node takes it from the namespace, and an id is no condition', () => {
  const said = (meta: unknown, event = 'messages', id: unknown = 'm') =>
    messagesOf(viewOf([event, [{ type: 'AIMessageChunk', id, content: 'a' }, meta]]))[0]
  expect(said({ langgraph_checkpoint_ns: 'outer:1|inner:2' })).toMatchObject({
    node: 'inner',
    namespace: [{ node: 'outer', task: '1' }],
  })
  expect(said({ langgraph_node: 7, langgraph_checkpoint_ns: 7 }, 'messages|sub:1')).toMatchObject({
    node: 'sub',
    namespace: [{ node: 'sub', task: '1' }],
  })
  expect(said({ langgraph_node: 'a' }, 'messages', undefined)).toMatchObject({ node: 'a' })
  expect(said({ langgraph_checkpoint_ns: '' })).toMatchObject({ namespace: [] })
})
