import { expect, test } from 'vitest'
import { z } from 'zod'
import { EXACT_WORDS, toValidationError } from './http-validation-error'

function errorsOf(schema: z.ZodType, value: unknown): string[] {
  const { error } = schema.safeParse(value, EXACT_WORDS)
  if (!error) return []
  return toValidationError(error, 'body').detail.map(({ loc, msg, type }) => `${loc.join('.')}: ${type}: ${msg}`)
}
const of = (schema: z.ZodType, value: unknown) => errorsOf(z.strictObject({ a: schema }), { a: value }).join()

test.each<[string, z.ZodType, unknown, string]>([
  ['a missing field', z.string(), undefined, 'missing: Field required'],
  ['a missing choice', z.enum(['x', 'y']), undefined, 'missing: Field required'],
  ['a missing whole number', z.int(), undefined, 'missing: Field required'],
  ['no text', z.string(), 7, 'string_type: Input should be a valid string'],
  ['no number', z.number(), 'x', 'float_type: Input should be a valid number'],
  ['no whole number', z.int(), 'x', 'int_type: Input should be a valid integer'],
  ['a fraction', z.int(), 1.5, 'int_from_float: Input should be a valid integer, got a number with a fractional part'],
  ['no boolean', z.boolean(), 'x', 'bool_type: Input should be a valid boolean'],
  ['no list', z.array(z.string()), 'x', 'list_type: Input should be a valid list'],
  ['no object', z.strictObject({}), 'x', 'dict_type: Input should be a valid dictionary'],
  ['no record', z.record(z.string(), z.string()), 'x', 'dict_type: Input should be a valid dictionary'],
  ['not null', z.null(), 'x', 'none_required: Input should be None'],
  ['another choice', z.enum(['x', 'y', 'z']), 'w', "enum: Input should be 'x', 'y' or 'z'"],
  ['another constant', z.literal(7), 'w', 'literal_error: Input should be 7'],
  ['a long text', z.string().max(2), 'xyz', 'string_too_long: String should have at most 2 characters'],
  ['a short text', z.string().min(2), 'x', 'string_too_short: String should have at least 2 characters'],
  ['a long list', z.array(z.int()).max(1), [1, 2], 'too_long: List should have at most 1 items'],
  ['a short list', z.array(z.int()).min(1), [], 'too_short: List should have at least 1 items'],
  ['a large number', z.number().max(2), 3, 'less_than_equal: Input should be less than or equal to 2'],
  ['a small number', z.number().min(2), 1, 'greater_than_equal: Input should be greater than or equal to 2'],
  ['a number at its bound', z.number().lt(2), 2, 'less_than: Input should be less than 2'],
  ['a number at its lower bound', z.number().gt(2), 2, 'greater_than: Input should be greater than 2'],
  ['another multiple', z.number().multipleOf(5), 7, 'multiple_of: Input should be a multiple of 5'],
  ['no UUID', z.uuid(), 'x', 'uuid_parsing: Input should be a valid UUID'],
  ['no address', z.url(), 'x', 'url_parsing: Input should be a valid URL'],
  ['another pattern', z.string().regex(/^x/, 'Start with x'), 'y', 'string_pattern_mismatch: Start with x'],
  ['a broken rule', z.string().refine(() => false, 'No.'), 'y', 'value_error: No.'],
  [
    'a broken rule with a type',
    z.custom(() => false, { error: 'No.', params: { type: 'bool_parsing' } }),
    'y',
    'bool_parsing: No.',
  ],
  [
    'a broken rule with other facts',
    z.custom(() => false, { error: 'No.', params: { type: 7 } }),
    'y',
    'value_error: No.',
  ],
])('%s', (_name, schema, value, expected) => expect(of(schema, value)).toBe(`body.a: ${expected}`))

test('unknown fields are named one by one', () => {
  expect(errorsOf(z.strictObject({}), { x: 1, y: 2 })).toEqual([
    'body.x: extra_forbidden: Extra inputs are not permitted',
    'body.y: extra_forbidden: Extra inputs are not permitted',
  ])
})

test('of a union, the branch that got furthest names the wrong field', () => {
  const deep = z.strictObject({ b: z.strictObject({ c: z.string() }) })
  expect(of(z.union([z.string(), deep]), { b: { c: 7 } })).toBe(
    'body.a.b.c: string_type: Input should be a valid string',
  )
  expect(of(z.union([deep, z.string()]), { b: { c: 7 } })).toBe(
    'body.a.b.c: string_type: Input should be a valid string',
  )
})

test('a wrong key of a record is named, and lists count their items', () => {
  expect(of(z.record(z.string().min(2), z.int()), { x: 1 })).toContain('string_too_short')
  expect(of(z.array(z.int()), [1, 'x'])).toBe('body.a.1: int_type: Input should be a valid integer')
})

test('no value that was sent is in the answer', () => {
  const { error } = z.strictObject({ a: z.enum(['x']), b: z.int() }).safeParse({ a: 'canary', b: 'canary', canary: 1 })
  expect(JSON.stringify(error && toValidationError(error, 'query').detail.slice(0, 2))).not.toContain('canary')
})

test('a sum of several problems in one value names each', () => {
  expect(errorsOf(z.strictObject({ a: z.int(), b: z.string() }), { a: 'x', c: 1 })).toEqual([
    'body.a: int_type: Input should be a valid integer',
    'body.b: missing: Field required',
    'body.c: extra_forbidden: Extra inputs are not permitted',
  ])
})

test('a rule whose message only mentions our words is a rule', () => {
  const rule = (message: string) => z.string().refine(() => false, message)
  expect(of(rule('It received undefined behaviour'), 'x')).toBe('body.a: value_error: It received undefined behaviour')
})

test('a set and a date have types of their own', () => {
  expect(of(z.set(z.int()).max(1), new Set([1, 2]))).toBe('body.a: too_long: List should have at most 1 items')
  expect(of(z.date(), 'x')).toContain('body.a: value_error: ')
})

test('a union without branches that say anything is one problem', () => {
  const xor = z.xor([z.string(), z.string().min(1)])
  expect(of(xor, 'x')).toContain('body.a: value_error: ')
})
