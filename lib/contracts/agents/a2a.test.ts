import { expect, test } from 'vitest'
import { messageParams, outcomeOf, taskParams, versionsOf } from './a2a'

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
})
