import { expect, test } from 'vitest'
import { tokenOf } from './token-key'

const chunk = (more: object = {}) => ({ type: 'AIMessageChunk', id: 'm', content: 'Hi', ...more })
const call = (more: object = {}) => ({ event: 'on_chat_model_stream', run_id: 'r', data: { chunk: chunk() }, ...more })

test.each<[string, string, unknown, ReturnType<typeof tokenOf>]>([
  ['a chunk', 'messages', [chunk(), {}], { key: 'messages  m', text: 'Hi', isWhole: false }],
  ['one of a subgraph', 'messages|a:1', [chunk(), {}], { key: 'messages a:1 m', text: 'Hi', isWhole: false }],
  ['a whole message', 'messages', [chunk({ type: 'ai' }), {}], undefined],
  ['a chunk without an id', 'messages', [chunk({ id: '' }), {}], undefined],
  ['no message', 'messages', [{ id: 'm' }, {}], undefined],
  ['an object', 'messages', { id: 'm' }, undefined],
  [
    'a message so far',
    'messages/partial',
    [{ type: 'ai', id: 'm', content: 'Hi' }],
    { key: 'messages/partial  m', text: 'Hi', isWhole: true },
  ],
  ['a model call', 'events', call(), { key: 'events  r', text: 'Hi', isWhole: false }],
  ['a model call without an id', 'events', call({ run_id: 1 }), { key: 'events  m', text: 'Hi', isWhole: false }],
  ['a model call without a chunk', 'events', call({ data: 'text' }), undefined],
  ['another call', 'events', call({ event: 'on_chain_stream' }), undefined],
  ['another mode', 'values', [chunk(), {}], undefined],
  [
    'the arguments of a tool call',
    'messages',
    [chunk({ content: [{ type: 'image' }], tool_call_chunks: [{ name: 'add', args: '{"a' }, { args: '":1' }] }), {}],
    { key: 'messages  m', text: 'add{"a":1', isWhole: false },
  ],
  [
    'words with other content',
    'messages',
    [
      chunk({ content: [{ type: 'reasoning', reasoning: 'hm ' }, { type: 'image' }, { type: 'text', text: 'ok' }] }),
      {},
    ],
    { key: 'messages  m', text: 'hm ok', isWhole: false },
  ],
])('%s', (_name, event, data, token) => expect(tokenOf(event, JSON.stringify(data))).toEqual(token))

test('broken JSON is no token, and spaces around the event’s name do not matter', () => {
  expect(tokenOf('messages', '[{')).toBeUndefined()
  expect(tokenOf('events', JSON.stringify(call()).replace('"event":', '"event"  :  '))?.text).toBe('Hi')
})
