import type { Message, Part } from '@a2a-js/sdk'
import { describe, expect, test } from 'vitest'
import { agentMessage, artifact, artifactsOf, historyOf, partOf, readParts } from './a2a-parts'

const part = (content: Part['content']): Part => ({ content, metadata: undefined, filename: '', mediaType: '' })
const text = (value: string) => part({ $case: 'text', value })
const data = (value: object) => part({ $case: 'data', value })
const read = (...parts: Part[]) => readParts({ parts } as Message)
const place = { taskId: 't', contextId: 'c' }

describe('a message to an agent', () => {
  test('is its texts on lines, and its data in one object, of which later fields count', () => {
    expect(read(text('one'), data({ a: 1, b: 1 }), text('two'), data({ b: 2 }))).toEqual({
      text: 'one\ntwo',
      data: { a: 1, b: 2 },
      isOther: false,
    })
    expect(read()).toEqual({ text: '', data: undefined, isOther: false })
  })

  test.each<[string, Part]>([
    ['a file', part({ $case: 'url', value: 'https://example.com/a.pdf' })],
    ['no content', part(undefined)],
    ['null as data', part({ $case: 'data', value: null })],
    ['text as data', part({ $case: 'data', value: 'x' })],
  ])('with %s is of another kind', (_, one) => {
    expect(read(text('hello'), one)).toEqual({ text: 'hello', data: undefined, isOther: true })
  })
})

test('a text is a text part; everything else is an object, because older clients accept nothing else', () => {
  expect(partOf('x')).toEqual(text('x'))
  expect(partOf({ a: 1 })).toEqual(data({ a: 1 }))
  expect(partOf([1])).toEqual(data({ value: [1] }))
  expect(partOf(null)).toEqual(part({ $case: 'data', value: { value: null } }))
})

describe('the history of a task', () => {
  const message = (role: number, messageId: string, parts: Part[]) => ({
    messageId,
    ...place,
    role,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  })

  test('is the text of the conversation, by its roles; messages without an id get one', () => {
    const messages = [
      { type: 'human', id: 'm1', content: 'hi' },
      { type: 'tool', id: 'm2', content: 'result' },
      { type: 'ai', id: 'm3', content: '' },
      { type: 'ai', content: [{ type: 'text', text: 'hello' }] },
      { type: 'system', content: 'be kind' },
    ]
    expect(historyOf({ messages }, { topic: 'x' }, place)).toEqual([
      message(1, 'm1', [text('hi')]),
      message(2, 't-3', [text('hello')]),
    ])
    expect(historyOf({ messages: [] }, 'x', place)).toEqual([])
  })

  test('without a conversation is the input, if there is any', () => {
    expect(historyOf({ topic: 'x' }, { topic: 'x' }, place)).toEqual([message(1, 't-input', [data({ topic: 'x' })])])
    expect(historyOf(undefined, 'x', place)).toEqual([message(1, 't-input', [text('x')])])
    for (const none of [undefined, null]) expect(historyOf({ topic: 'x' }, none, place)).toEqual([])
  })

  test('of the agent’s own words has the role of the agent', () => {
    expect(agentMessage('m', [text('x')], place)).toEqual(message(2, 'm', [text('x')]))
  })
})

describe('the result of a task', () => {
  const partsOf = (values: unknown) => artifactsOf(values, 't').map(({ parts }) => parts)

  test.each<[string, unknown, Part[][]]>([
    ['the last message', { messages: [{ type: 'ai', content: 'done' }] }, [[text('done')]]],
    [
      'the last message and the rest of the state',
      { messages: [{ type: 'ai', content: 'done' }], count: 1 },
      [[text('done'), data({ count: 1 })]],
    ],
    ['the rest of a silent conversation', { messages: [], count: 1 }, [[data({ count: 1 })]]],
    ['the state', { count: 1 }, [[data({ count: 1 })]]],
    ['a value that is no object', 7, [[data({ value: 7 })]]],
    ['null', null, [[data({ value: null })]]],
    ['nothing of an empty state', {}, []],
    ['nothing of an empty conversation', { messages: [] }, []],
  ])('is %s', (_, values, parts) => {
    expect(partsOf(values)).toEqual(parts)
  })

  test('has one id for each task, so that it replaces what was streamed', () => {
    expect(artifactsOf({ a: 1 }, 't')).toEqual([artifact('t', [data({ a: 1 })])])
    expect(artifact('t', [])).toEqual({
      artifactId: 't-response',
      name: 'response',
      description: '',
      parts: [],
      metadata: undefined,
      extensions: [],
    })
  })
})
