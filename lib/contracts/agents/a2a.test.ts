import { expect, test } from 'vitest'
import { listParams, messageParams, outcomeOf, taskParams, tasksOf, tasksWith, versionsOf } from './a2a'

test('a message is written in the form of each protocol version', () => {
  const message = { id: 'm', text: 'hi', data: { a: 1 }, context: 'c' }
  expect(messageParams('0.3', message)).toEqual({
    message: {
      kind: 'message',
      role: 'user',
      messageId: 'm',
      contextId: 'c',
      parts: [
        { kind: 'text', text: 'hi' },
        { kind: 'data', data: { a: 1 } },
      ],
    },
  })
  expect(messageParams('1.0', message)).toEqual({
    message: { role: 'ROLE_USER', messageId: 'm', contextId: 'c', parts: [{ text: 'hi' }, { data: { a: 1 } }] },
  })
  expect(taskParams('0.3', 'cancel', 't', 'c')).toEqual({ id: 't', contextId: 'c' })
  expect(taskParams('1.0', 'get', 't', 'c')).toEqual({ id: 't', historyLength: 10 })
})

test('versions are found in both places where a card may list them', () => {
  expect(versionsOf({ protocolVersion: '0.3.0' })).toEqual(['0.3'])
  expect(versionsOf({ supportedInterfaces: [{ protocolVersion: '1.0' }, { protocolVersion: '0.3' }] })).toEqual([
    '0.3',
    '1.0',
  ])
  expect(versionsOf({ supportedInterfaces: [{ protocolVersion: '1.0' }] })).toEqual(['1.0'])
  expect(versionsOf({})).toEqual(['0.3'])
})

test('a stream yields the same task in both versions: chunks are joined, and a whole artifact replaces them', () => {
  const pieces = (isLast: boolean, text: string) => ({
    artifactId: 'a',
    parts: [isLast ? { text } : { kind: 'text', text }],
  })
  const old = [
    { kind: 'task', id: 't', contextId: 'c', status: { state: 'submitted' } },
    { kind: 'artifact-update', taskId: 't', contextId: 'c', append: true, artifact: pieces(false, 'You ') },
    { kind: 'artifact-update', taskId: 't', contextId: 'c', append: true, artifact: pieces(false, 'said') },
  ]
  expect(outcomeOf(old)).toMatchObject({ state: 'submitted', artifacts: [{ id: 'a', parts: [{ text: 'You said' }] }] })
  const done = [
    ...old,
    { artifactUpdate: { taskId: 't', contextId: 'c', artifact: pieces(true, 'You said: hi') } },
    {
      statusUpdate: {
        taskId: 't',
        contextId: 'c',
        status: { state: 'TASK_STATE_INPUT_REQUIRED', message: { parts: [{ text: 'Well?' }] } },
      },
    },
  ]
  expect(outcomeOf(done)).toEqual({
    task: 't',
    context: 'c',
    state: 'input-required',
    said: [{ text: 'Well?' }],
    artifacts: [{ id: 'a', name: '', parts: [{ text: 'You said: hi' }] }],
  })
})

test('a response without a task, or of an unknown kind, is read as far as possible', () => {
  expect(
    outcomeOf([{ kind: 'message', role: 'agent', contextId: 'c', parts: [{ kind: 'text', text: 'Hi' }] }]),
  ).toEqual({
    context: 'c',
    said: [{ text: 'Hi' }],
    artifacts: [],
  })
  expect(outcomeOf([null, 'text', [], { status: 7, artifacts: 'x' }])).toEqual({ said: [], artifacts: [] })
  expect(outcomeOf([{ artifacts: [null, 7, 'x'] }])).toEqual({ said: [], artifacts: [] })
})

test('a message names its task and has only the parts that it was given', () => {
  const { message } = messageParams('1.0', { id: 'm', text: '', data: { a: 1 }, task: 't' })
  expect(message).toEqual({ role: 'ROLE_USER', messageId: 'm', taskId: 't', parts: [{ data: { a: 1 } }] })
  expect(messageParams('1.0', { id: 'm', text: 'hi' }).message).toEqual({
    role: 'ROLE_USER',
    messageId: 'm',
    parts: [{ text: 'hi' }],
  })
})

test('versions are named by their beginning, and odd cards count as the first version', () => {
  expect(versionsOf({ protocolVersion: '1.0.2', supportedInterfaces: [null, 'text'] })).toEqual(['1.0'])
  for (const card of [{ protocolVersion: '2.0.3' }, { supportedInterfaces: 'text' }, { supportedInterfaces: [7] }])
    expect(versionsOf(card)).toEqual(['0.3'])
})

test('a list asks for the newest tasks, of one context if given', () => {
  expect(listParams()).toEqual({ pageSize: 50, historyLength: 0 })
  expect(listParams('c')).toEqual({ pageSize: 50, historyLength: 0, contextId: 'c' })
})

test('a list of tasks is read in both versions, and has at least as many as it shows', () => {
  const at = '2026-01-01T00:00:00Z'
  const tasks = [
    { id: 'a', contextId: 'c', status: { state: 'TASK_STATE_INPUT_REQUIRED', timestamp: at } },
    { id: 'b', status: { state: 'completed', timestamp: 7 } },
    { id: 'c', contextId: 7, status: 'odd' },
    { id: '' },
    { id: 7 },
    'text',
    null,
  ]
  const read = [
    { id: 'a', context: 'c', state: 'input-required', at },
    { id: 'b', context: '', state: 'completed', at: null },
    { id: 'c', context: '', state: 'unknown', at: null },
  ]
  expect(tasksOf({ tasks, totalSize: 120 })).toEqual({ tasks: read, total: 120 })
  expect(tasksOf({ tasks, totalSize: 1 })).toEqual({ tasks: read, total: 3 })
  expect(tasksOf({ tasks })).toEqual({ tasks: read, total: 3 })
  expect(tasksOf({ totalSize: '12' })).toEqual({ tasks: [], total: 12 })
  for (const odd of [null, 'text', { tasks: 'x', totalSize: 'x' }])
    expect(tasksOf(odd)).toEqual({ tasks: [], total: 0 })
})

test('an update is read in the old form too, which names its kind next to its content', () => {
  const status = { state: 'working', message: { parts: [{ kind: 'text', text: 'One moment' }] } }
  expect(outcomeOf([{ kind: 'status-update', id: 'no task', taskId: 't', contextId: 'c', status }])).toEqual({
    task: 't',
    context: 'c',
    state: 'working',
    said: [{ text: 'One moment' }],
    artifacts: [],
  })
  expect(outcomeOf([{ kind: 'status-update', status }, { status: { state: 'completed' } }]).said).toEqual([])
})

test('the kind that a result names counts, whatever else it contains', () => {
  expect(outcomeOf([{ kind: 'task', id: 't', parts: [{ text: 'no message' }] }])).toEqual({
    task: 't',
    said: [],
    artifacts: [],
  })
  expect(outcomeOf([{ id: 'no task', parts: [{ text: 'Hi' }] }])).toEqual({ said: [{ text: 'Hi' }], artifacts: [] })
  expect(outcomeOf([{ kind: 'message', task: { id: 't' }, parts: [{ text: 'Hi' }] }]).said).toEqual([{ text: 'Hi' }])
  for (const odd of ['', 7, null])
    expect(
      outcomeOf([
        { id: 't', contextId: 'c' },
        { id: odd, contextId: odd },
      ]),
    ).toMatchObject({ task: 't', context: 'c' })
})

test('a finished task has all its artifacts, each with text, data and whatever else it was sent', () => {
  const artifacts = [
    { artifactId: 'a', name: 'Answer', parts: [{ text: 'Yes' }, { data: [1] }, { file: { uri: 'x' } }, 'text'] },
    { parts: 'text' },
    'text',
  ]
  const task = { task: { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, artifacts } }
  const read = [
    { id: 'a', name: 'Answer', parts: [{ text: 'Yes' }, { data: [1] }, { data: { file: { uri: 'x' } } }] },
    { id: '', name: '', parts: [] },
  ]
  expect(outcomeOf([task])).toEqual({ task: 't', state: 'completed', said: [], artifacts: read })
  // Read again, it replaces what was there.
  expect(outcomeOf([task, task]).artifacts).toEqual(read)
})

test('texts that follow each other are joined, and data in between keeps its place', () => {
  const piece = (part: object) => ({ artifactUpdate: { append: true, artifact: { artifactId: 'a', parts: [part] } } })
  expect(outcomeOf([{ text: 'a' }, { text: 'b' }, { data: 1 }, { text: 'c' }].map(piece)).artifacts[0]?.parts).toEqual([
    { text: 'ab' },
    { data: 1 },
    { text: 'c' },
  ])
})

test('a listed task has the state that was heard of it last', () => {
  const task = (id: string, state: string) => ({ id, context: 'c', state, at: null })
  const tasks = [task('a', 'working'), task('b', 'working')]
  expect(tasksWith(tasks, { task: 'b', state: 'canceled' })).toEqual([task('a', 'working'), task('b', 'canceled')])
  expect(tasksWith(tasks, { task: 'a' })).toEqual(tasks)
})

test('only the beginning of a state is our prefix', () => {
  expect(outcomeOf([{ status: { state: 'MY_TASK_STATE_DONE' } }]).state).toBe('my-task-state-done')
})
