import { expect, test } from 'vitest'
import { shapeOf, shapeWord } from './schema-shape'

const fieldsOf = (schema: unknown) => {
  const shape = shapeOf(schema)
  return shape.kind === 'object' ? shape.fields : []
}

test('objects, numbers, choices, lists and nested objects become controls, with defaults and descriptions', () => {
  const fields = fieldsOf({
    type: 'object',
    required: ['model', 'persona'],
    properties: {
      persona: { type: 'string', default: 'calm', description: 'Who answers' },
      model: { enum: ['a', 'b'], title: 'Model' },
      depth: { type: 'integer', minimum: 1, maximum: 9007199254740991 },
      tools: { type: 'array', items: { type: 'string' } },
      limits: { type: 'object', properties: { tokens: { type: ['number', 'null'] } } },
      strict: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
      system_prompt: { type: 'string' },
    },
  })
  expect(fields.map(({ key, label, isRequired, fallback }) => [key, label, isRequired, fallback])).toEqual([
    ['persona', 'persona', false, 'calm'],
    ['model', 'Model', true, undefined],
    ['depth', 'depth', false, undefined],
    ['tools', 'tools', false, undefined],
    ['limits', 'limits', false, undefined],
    ['strict', 'strict', false, undefined],
    ['system_prompt', 'system_prompt', false, undefined],
  ])
  expect(fields.map(({ shape }) => shapeWord(shape))).toEqual([
    'text',
    'one of a, b',
    'whole number',
    'list of text',
    'object',
    'boolean',
    'text',
  ])
  expect(fields[2]?.shape).toEqual({ kind: 'number', isWhole: true, min: 1 })
})

test('follows references and stops at recursive ones', () => {
  const [tree] = fieldsOf({
    $defs: { node: { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } } } },
    properties: { tree: { $ref: '#/$defs/node' } },
  })
  expect(tree?.shape).toMatchObject({
    kind: 'object',
    fields: [{ key: 'name' }, { key: 'next', shape: { kind: 'json' } }],
  })
})

test('missing, invalid, huge and ambiguous schemas become JSON', () => {
  for (const schema of [
    undefined,
    null,
    7,
    [],
    { $ref: 'https://elsewhere' },
    { $ref: '#/nowhere' },
    { type: ['string', 'number'] },
    { anyOf: [{ type: 'string' }, { type: 'object' }] },
    { type: 'object', properties: Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`k${at}`, {}])) },
  ])
    expect(shapeOf(schema).kind).toBe('json')
  const fields = fieldsOf({ type: 'object', properties: { odd: 7, ['__proto__']: {} } })
  expect(fields.map(({ shape }) => shape)).toEqual([
    { kind: 'json', takesText: false },
    { kind: 'json', takesText: true },
  ])
})

test.each([
  [{ title: 'Anything', default: null }, 'text or JSON'],
  [{ type: ['string', 'number'] }, 'text or JSON'],
  [{ anyOf: [{ type: 'string' }, { type: 'object' }, { type: 'null' }] }, 'text or JSON'],
  [{ type: 'array' }, 'list of text or JSON'],
  [{ anyOf: [{ type: 'number' }, { type: 'object' }] }, 'any JSON'],
  [{ type: ['number', 'boolean'] }, 'any JSON'],
  [{ anyOf: [{ $ref: '#/nowhere' }, { enum: [1, 2] }] }, 'any JSON'],
  [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, 'any JSON'],
])('%j takes %s', (schema, word) => {
  expect(fieldsOf({ properties: { one: schema } }).map(({ shape }) => shapeWord(shape))).toEqual([word])
})

test('a choice of an empty text is named', () => {
  expect(shapeWord(shapeOf({ enum: ['', 'approved', 3] }))).toBe('one of an empty text, approved, 3')
})
