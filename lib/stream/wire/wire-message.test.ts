import { expect, test } from 'vitest'
import { jsonOf, readMessage, readUsage } from './wire-message'

test.each([
  [
    'flat',
    { type: 'human', content: 'Hi', id: 'm', name: 'Ada' },
    { role: 'human', id: 'm', name: 'Ada', isChunk: false },
  ],
  ['input', { role: 'user', content: 'Hi' }, { role: 'human', id: undefined, name: undefined }],
  ['an assistant', { role: 'assistant', content: '' }, { role: 'ai', parts: [] }],
  ['instructions', { role: 'developer', content: 'Hi' }, { role: 'system' }],
  ['a function', { role: 'function', content: 'Hi' }, { role: 'tool' }],
  [
    'a class',
    { lc: 1, id: ['langchain', 'AIMessageChunk'], kwargs: { content: 'Hi', id: 'm' } },
    { role: 'ai', id: 'm', isChunk: true, parts: [{ kind: 'text', text: 'Hi', index: undefined }] },
  ],
  ['a class without a name', { lc: 1, type: 'ai', kwargs: { content: 'Hi' } }, { role: 'ai' }],
  ['an older dump', { type: 'ai', data: { content: 'Hi', id: 'm' } }, { role: 'ai', id: 'm' }],
  ['a removal', { type: 'remove', id: 'm' }, { role: 'remove', id: 'm' }],
  ['only tool calls', { type: 'ai', tool_calls: [] }, { role: 'ai', toolCalls: [] }],
  ['a chunk by its fields', { type: 'ai', content: '', tool_call_chunks: [] }, { isChunk: true }],
  [
    'empty ids',
    { type: 'tool', content: '', id: '', tool_call_id: 'c', status: 'error' },
    { id: undefined, toolCallId: 'c', toolStatus: 'error' },
  ],
])('%s is a message', (_name, value, message) => expect(readMessage(value)).toMatchObject(message))

test.each([
  null,
  'text',
  {},
  { type: 'ai' },
  { content: 'Hi' },
  { lc: 2, kwargs: { content: 'x' } },
  { type: 'ai', data: 1 },
])('%j is no message', (value) => expect(readMessage(value)).toBeUndefined())

const partsOf = (content: unknown, more = {}) => readMessage({ type: 'ai', content, ...more })?.parts

test('content is texts, reasoning and other blocks; tool calls in it are left out', () => {
  expect(
    partsOf([
      'plain',
      { type: 'text', text: 'a', index: 1 },
      { type: 'text_delta', text: 'b' },
      { type: 'output_text', text: 'c' },
      { type: 'reasoning', reasoning: 'd', index: 2 },
      { type: 'thinking', thinking: 'e' },
      { type: 'thinking_delta', text: 'f' },
      { type: 'reasoning', summary: [{ text: 'g' }, 'x', { text: 'h' }] },
      { type: 'image', url: 'i', index: '3' },
      ...['tool_use', 'tool_call', 'tool_call_chunk', 'input_json_delta', 'function_call'].map((type) => ({ type })),
      7,
    ]),
  ).toEqual([
    { kind: 'text', text: 'plain', index: undefined },
    { kind: 'text', text: 'a', index: 1 },
    { kind: 'text', text: 'b', index: undefined },
    { kind: 'text', text: 'c', index: undefined },
    { kind: 'reasoning', text: 'd', index: 2 },
    { kind: 'reasoning', text: 'e', index: undefined },
    { kind: 'reasoning', text: 'f', index: undefined },
    { kind: 'reasoning', text: 'gh', index: undefined },
    { kind: 'block', block: { type: 'image', url: 'i', index: '3' }, index: undefined },
  ])
  expect(partsOf('Hi', { additional_kwargs: { reasoning_content: 'hm' } })).toEqual([
    { kind: 'reasoning', text: 'hm', index: undefined },
    { kind: 'text', text: 'Hi', index: undefined },
  ])
  expect(partsOf(7)).toEqual([])
})

test('the arguments of a whole call are a value, those of a chunk a text', () => {
  const calls = [{ id: 'c', name: 'add', args: { a: 1 } }, { name: 'now' }, 'text']
  expect(readMessage({ type: 'ai', content: '', tool_calls: calls })?.toolCalls).toEqual([
    { index: undefined, id: 'c', name: 'add', args: '{"a":1}' },
    { index: undefined, id: undefined, name: 'now', args: '' },
  ])
  const chunk = { type: 'AIMessageChunk', content: '', tool_calls: calls }
  expect(readMessage({ ...chunk, tool_call_chunks: [{ index: 0, args: '{"a' }] })?.toolCalls).toEqual([
    { index: 0, id: undefined, name: '', args: '{"a' },
  ])
  expect(readMessage(chunk)?.toolCalls).toHaveLength(2)
  expect(readMessage({ ...chunk, type: 'ai', tool_calls: 'text' })?.toolCalls).toEqual([])
})

test('usage has a total even if the server sends none', () => {
  expect(readUsage({ input_tokens: 2, output_tokens: 3 })).toEqual({ input: 2, output: 3, total: 5 })
  expect(readUsage({ input_tokens: 2, output_tokens: 3, total_tokens: 9 })).toEqual({ input: 2, output: 3, total: 9 })
  expect(readUsage({ input_tokens: 'x' })).toEqual({ input: 0, output: 0, total: 0 })
  expect(readUsage('text')).toBeUndefined()
})

test('every value has a text', () => {
  const endless: unknown[] = []
  endless.push(endless)
  expect([jsonOf({ a: 1 }), jsonOf(undefined), jsonOf(endless)]).toEqual(['{"a":1}', 'null', '[nested too deeply]'])
})
