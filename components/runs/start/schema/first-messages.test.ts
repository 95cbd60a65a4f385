import { expect, test } from 'vitest'
import { firstMessages } from './first-messages'

const says = (content: unknown, role = 'user') => ({ role, content })

test('examples of the messages come first, then those of the whole input; each once', () => {
  const messages = { type: 'array', examples: [[says(' Hello ')], [says('What time is it?')]] }
  const examples = [{ messages: [says('Hello')] }, { messages: [{ type: 'human', content: 'Goodbye' }] }]
  expect(firstMessages({ properties: { messages }, examples })).toEqual(['Hello', 'What time is it?', 'Goodbye'])
})

test('examples beside a reference and behind it are read', () => {
  const behind = { $defs: { messages: { type: 'array', examples: [[says('Behind')]] } } }
  const $ref = '#/$defs/messages'
  expect(firstMessages({ ...behind, properties: { messages: { $ref } } })).toEqual(['Behind'])
  expect(firstMessages({ ...behind, properties: { messages: { $ref, examples: [[says('Beside')]] } } })).toEqual([
    'Beside',
  ])
})

test('at most four are offered', () => {
  const examples = Array.from({ length: 9 }, (_, at) => [says(String(at))])
  expect(firstMessages({ properties: { messages: { examples } } })).toEqual(['0', '1', '2', '3'])
})

test.each([
  ['no schema', undefined],
  ['a schema without examples', { properties: { messages: { type: 'array' } } }],
  ['a conversation', { properties: { messages: { examples: [[says('One'), says('Two', 'assistant')]] } } }],
  ['what the agent says', { properties: { messages: { examples: [[says('Hello', 'assistant')]] } } }],
  ['parts', { properties: { messages: { examples: [[says([{ type: 'text', text: 'Hello' }])]] } } }],
  ['blanks', { properties: { messages: { examples: [[says('  ')]] } } }],
  ['odd examples', { properties: { messages: { examples: 'Hello' } }, examples: [null, 'Hello', { messages: {} }] }],
])('nothing is offered of %s', (_, schema) => {
  expect(firstMessages(schema)).toEqual([])
})
