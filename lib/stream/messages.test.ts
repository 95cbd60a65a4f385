import { expect, test } from 'vitest'
import { addChunk, createMessage, messageReasoning, messageText, replaceMessage, restartMessage } from './messages'
import { readMessage } from './wire/wire-message'

const wire = (value: object) =>
  readMessage({ type: 'AIMessageChunk', id: 'm', content: '', ...value }) ?? expect.unreachable()
const from = { namespace: [], node: 'a', attempt: 1, seq: 3, at: 30 }
function messageOf(...chunks: object[]) {
  const message = createMessage('m', wire({}), from)
  for (const chunk of chunks) addChunk(message, wire(chunk))
  return message
}

test('blocks with an index join the block with it, others the last of their kind', () => {
  const message = messageOf(
    { content: [{ type: 'text', text: 'a' }] },
    { content: [{ type: 'text', text: 'b' }] },
    { content: [{ type: 'reasoning', text: 'c' }] },
    { content: [{ type: 'text', text: 'd' }] },
    { content: [{ type: 'text', text: 'e', index: 5 }] },
    { content: [{ type: 'image', url: 'f', index: 6 }] },
    { content: [{ type: 'text', text: 'g', index: 5 }] },
    { content: [{ type: 'image', size: 1, index: 6 }] },
    { content: [{ type: 'image', url: 'h' }] },
    { content: [{ type: 'image', url: 'i' }] },
  )
  expect(message.parts.map((part) => (part.kind === 'block' ? part.block : `${part.kind} ${part.text}`))).toEqual([
    'text ab',
    'reasoning c',
    'text d',
    'text eg',
    { type: 'image', url: 'f', size: 1, index: 6 },
    { type: 'image', url: 'h' },
    { type: 'image', url: 'i' },
  ])
  expect([messageText(message), messageReasoning(message)]).toEqual(['abdeg', 'c'])
})

test('the pieces of a tool call join by index, by id, or with the last call', () => {
  const calls = (...pieces: object[]) =>
    messageOf(...pieces.map((piece) => ({ tool_call_chunks: [piece] }))).toolCalls.map(
      ({ id, name, args }) => `${id} ${name} ${args}`,
    )
  expect(calls({ index: 0, name: 'add', args: '1' }, { index: 0, id: 'c', name: 'add', args: '2' })).toEqual([
    'c add 12',
  ])
  expect(calls({ index: 0, id: 'c', name: 'a' }, { index: 0, id: 'd', name: 'b' }, { index: 0, args: '1' })).toEqual([
    'c a ',
    'd b 1',
  ])
  expect(calls({ id: 'c', name: 'a', args: '1' }, { id: 'd', name: 'b' }, { id: 'c', name: 'a', args: '2' })).toEqual([
    'c a 12',
    'd b ',
  ])
  expect(calls({ name: 'se', args: '' }, { args: '1' }, { name: 'other' })).toEqual([
    'undefined se 1',
    'undefined other ',
  ])
  expect(calls({ index: 0, name: 'se' }, { index: 0, name: 'arch' })).toEqual(['undefined search '])
})

test('a chunk fills in what is missing, adds its tokens, and is a new version', () => {
  const usage = { usage_metadata: { input_tokens: 1, output_tokens: 2 } }
  const message = messageOf(
    { name: 'Ada', ...usage },
    { name: 'Bob', status: 'error', tool_call_id: 'c', ...usage },
    {},
  )
  expect(message).toMatchObject({
    ...{ name: 'Ada', toolCallId: 'c', toolStatus: 'error', usage: { input: 2, output: 4, total: 6 }, version: 3 },
    ...{ key: 'm', node: 'a', firstSeq: 3, lastSeq: 3, firstAt: 30, lastAt: 30, isComplete: false, isRemoved: false },
  })
})

test('the whole message replaces its chunks, and keeps their tokens if it has none', () => {
  const usage = { usage_metadata: { input_tokens: 1, output_tokens: 2 } }
  const message = messageOf({ content: 'a', tool_call_chunks: [{ name: 'x' }], ...usage })
  replaceMessage(message, wire({ type: 'ai', content: 'b' }))
  expect(message).toMatchObject({ toolCalls: [], usage: { total: 3 }, isComplete: true, version: 2 })
  expect(messageText(message)).toBe('b')
  replaceMessage(message, wire({ type: 'ai', usage_metadata: { input_tokens: 5, output_tokens: 5 } }))
  expect(message.usage).toEqual({ input: 5, output: 5, total: 10 })
  restartMessage(message, 2)
  expect(message).toMatchObject({ parts: [], toolCalls: [], usage: undefined, attempt: 2, isComplete: false })
})
