import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findJsonProblem } from '@/components/shared/json/json-problem'
import { checkInput } from './input-check'
import { inputSkeleton, skeletonText } from './input-schema'
import { knownSchema, mayTakeMessages, takesMessages } from './takes-messages'

const chat = {
  type: 'object',
  properties: {
    messages: { type: 'array', items: { $ref: '#/definitions/Message' } },
    topic: { type: 'string', default: 'boats' },
    depth: { anyOf: [{ type: 'null' }, { type: 'integer', minimum: 2 }] },
    options: {
      type: 'object',
      properties: { fast: { type: 'boolean' }, note: { type: 'string' } },
      required: ['fast'],
    },
  },
  required: ['messages', 'topic'],
  definitions: {
    Message: {
      anyOf: [
        {
          type: 'object',
          properties: { type: { const: 'human' }, content: { type: 'string' } },
          required: ['type', 'content'],
        },
        {
          type: 'object',
          properties: { role: { enum: ['user', 'assistant'] }, content: { type: 'string' } },
          required: ['role', 'content'],
        },
      ],
    },
  },
}

describe('initial input', () => {
  test('has every key with its default or an empty value, and a first message', () => {
    expect(inputSkeleton(chat)).toEqual({
      messages: [{ role: 'user', content: '' }],
      topic: 'boats',
      depth: 2,
      options: { fast: false },
    })
  })
  test('of a form has only what the schema gives or requires', () => {
    const order = {
      properties: {
        product: { type: 'string' },
        amount: { type: 'number' },
        urgency: { enum: ['low', 'high'] },
        place: { type: 'string', examples: ['Bremen'] },
        note: { $ref: '#/$defs/Note' },
        size: { anyOf: [{ type: 'null' }, { type: 'integer' }] },
      },
      required: ['product', 'size'],
      $defs: { Note: { type: 'string', default: 'none' } },
    }
    expect(JSON.parse(skeletonText(order, true))).toEqual({ product: '', place: 'Bremen', note: 'none', size: 0 })
    expect(Object.keys(JSON.parse(skeletonText(order)))).toHaveLength(6)
    expect(JSON.parse(skeletonText(chat, true))).toEqual({ messages: [{ role: 'user', content: '' }], topic: 'boats' })
  })
  test('is an empty object without a schema, and handles recursive schemas', () => {
    expect(inputSkeleton(undefined)).toEqual({})
    expect(inputSkeleton({})).toEqual({})
    const tree = {
      $ref: '#/$defs/T',
      $defs: { T: { type: 'object', properties: { left: { $ref: '#/$defs/T' } }, required: ['left'] } },
    }
    expect(inputSkeleton(tree)).toHaveProperty('left.left')
    expect(inputSkeleton({ $ref: '#/$defs/A', $defs: { A: { $ref: '#/$defs/A' } } })).toEqual({})
  })
  test('only graphs with a message list get the message field', () => {
    expect(takesMessages(chat)).toBe(true)
    expect(takesMessages({ properties: { messages: { type: 'integer' } } })).toBe(false)
    expect(takesMessages({ properties: { query: { type: 'string' } } })).toBe(false)
    expect(takesMessages(undefined)).toBe(false)
  })
})

test.each([
  ['none', undefined, true],
  ['null', null, true],
  ['empty', {}, true],
  ['an object of anything', { type: 'object', properties: {} }, true],
  ['a named one', { $schema: 'x', title: 'Input', type: 'object', required: [], additionalProperties: false }, true],
  ['a reference to an empty one', { $ref: '#/$defs/I', $defs: { I: { type: ['object', 'null'] } } }, true],
  ['fields', { properties: { query: {} } }, false],
  ['required fields', { type: 'object', required: ['query'] }, false],
  ['a map', { type: 'object', additionalProperties: { type: 'string' } }, false],
  ['a choice', { anyOf: [{ type: 'string' }] }, false],
  ['a list', { type: 'array' }, false],
])('a schema with %s tells whether it is known what the graph takes', (_name, schema, isUnknown) => {
  expect(knownSchema(schema)).toBe(isUnknown ? undefined : schema)
  expect(mayTakeMessages(knownSchema(schema))).toBe(isUnknown)
})

describe('checking an input against the schema', () => {
  test('accepts what fits', () => {
    expect(checkInput(chat, { messages: [{ role: 'user', content: 'hi' }], topic: 'x' })).toEqual([])
  })
  test('reports the path of each error once', () => {
    expect(checkInput(chat, { messages: 'hi', depth: 1, options: {} })).toEqual([
      { path: '', message: '"topic" is required.' },
      { path: 'messages', message: 'must be of type array, not string.' },
      { path: 'depth', message: 'does not match any type that the graph accepts.' },
      { path: 'options', message: '"fast" is required.' },
    ])
  })
  test('a failed choice is a single error at its own path', () => {
    expect(
      checkInput(chat, {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'robot', content: 1 },
        ],
        topic: 'x',
      }),
    ).toEqual([{ path: 'messages[1]', message: 'does not match any type that the graph accepts.' }])
  })
  test('an unusable schema never rejects an input', () => {
    expect(checkInput({ $ref: 'https://elsewhere/schema.json' }, {})).toBeUndefined()
  })
})

describe('invalid JSON', () => {
  test.each([
    ['', 1, 1, 'Enter JSON'],
    ['{\n  "a": 1,\n}', 3, 1, 'Unexpected comma'],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3, 'Expected "," or "}"'],
    ["{'a': 1}", 1, 2, 'double quotes'],
    ['{"a" 1}', 1, 6, 'Expected ":"'],
    ['[1, 2', 1, 6, 'closes it'],
    ['{"a": "x\ny"}', 1, 7, 'not closed'],
    ['{} {}', 1, 4, 'after the end'],
    ['[1,]', 1, 4, 'Unexpected comma'],
    ['[01]', 1, 3, 'Expected "," or "]"'],
    ['{"a": undefined}', 1, 7, 'Expected a value here. Text needs double quotes.'],
    ['Grüße', 1, 1, 'Expected a value here. Text needs double quotes.'],
    ['{"a": }', 1, 7, 'Expected a value here.'],
  ])('%j: line %i, column %i', (text, line, column, message) => {
    expect(findJsonProblem(text)).toEqual({ line, column, message: expect.stringContaining(message) })
  })
  test('is detected exactly when the engine rejects the text', () => {
    const broken = fc
      .tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', ',', '}', '{', '0', '\\'))
      .map(([json, at, put]) => {
        const where = at % (json.length + 1)
        return json.slice(0, where) + put + json.slice(where + 1)
      })
    fc.assert(
      fc.property(broken, (text) => {
        let isJson = true
        try {
          JSON.parse(text)
        } catch {
          isJson = false
        }
        expect(findJsonProblem(text) === undefined).toBe(isJson)
      }),
      { numRuns: 2_000 },
    )
  })
})
