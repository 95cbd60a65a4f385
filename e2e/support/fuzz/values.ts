import fc from 'fast-check'
import { z } from 'zod'

// Values for requests, made from schemas: valid ones, nearly valid ones and hostile ones.

type JsonSchema = Record<string, unknown>
type Definitions = Record<string, JsonSchema>

/**
 * JSON text that no value prints as, such as a number beyond a double. `toText` puts it in.
 */
class RawJson {
  constructor(private readonly text: string) {}
  toJSON(): string {
    return `\u{e000}${this.text}\u{e001}`
  }
}
const MARKED = /"\u{e000}([^\u{e001}]*)\u{e001}"/gu

/** The JSON text of a value with hostile parts. */
export const toText = (value: unknown): string =>
  (JSON.stringify(value) ?? '').replace(MARKED, (_, raw) => JSON.parse(`"${raw}"`))

const deep = (open: string, close: string, levels: number, middle = '') =>
  new RawJson(open.repeat(levels) + middle + close.repeat(levels))

export const HOSTILE_TEXTS = [
  ...['', ' ', '\0', 'a\0b', '\ud800', 'a\udc00', '\ufeff', '\u202e', '\u2028', '💥', 'é\u0301'.repeat(50), 'İ', 'ﬁ'],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'null', 'undefined', 'NaN'],
  ...[
    "'; drop table runs; --",
    '%00',
    '%',
    '../../../etc/passwd',
    '\r\nx-injected: 1',
    '$' + '{jndi:ldap://x}',
    '{{7*7}}',
  ],
  ...['<script>alert(1)</script>', '-1', '1e999', '99999999999999999999', '0x10', '[]', '{}', '["a"', '"', '\\'],
  ...[
    '{6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f0001}',
    '6F1F3C3E7D1B4F6E9D530C4F4F9F0001',
    '00000000-0000-0000-0000-000000000000',
  ],
  ...[
    '9999-12-31T23:59:60Z',
    '2024-02-30',
    'infinity',
    '-infinity',
    '+275760-09-13T00:00:00.000Z',
    '-000001-01-01T00:00:00Z',
  ],
  ...[
    '294277-01-01T00:00:00Z',
    '2024-01-01T00:00:00+99:99',
    'now',
    'P1D',
    '* * * * *',
    '0 0 31 2 *',
    '*/0 * * * *',
    '(a+)+$',
  ],
  ...[
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
    'http://[::1]:1/',
    'javascript:alert(1)',
    '-oProxyCommand=x',
  ],
  ...[
    '$undefined',
    '$1',
    '$K1',
    '$@0',
    '$F0',
    '$D2020',
    '$n1',
    '$Q1',
    '$T',
    '$h1',
    '$B1',
    '$r0',
    '$Infinity',
    '$$',
    '$W0',
    '$i1',
  ],
]
const HOSTILE_VALUES: unknown[] = [
  ...[null, true, false, 0, -1, 1.5, -0, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 1e308, 5e-324, [], {}, [[]], [null], [{}]],
  ...['1e400', '-1e400', '12345678901234567890123456789012345678901234567890', '1E-400', '-0'].map(
    (one) => new RawJson(one),
  ),
  ...[deep('[', ']', 100), deep('[', ']', 3000), deep('{"a":', '}', 600, '1'), deep('{"$and":[', ']}', 300)],
  ...['{"__proto__":{"isAdmin":true}}', '{"constructor":{"prototype":{"x":1}}}', '{"a":1,"a":2}'].map(
    (one) => new RawJson(one),
  ),
  ...['x'.repeat(300), 'x'.repeat(70_000), 'é'.repeat(5_000), Array.from({ length: 2_000 }, (_, index) => index)],
]

export const hostileText = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...HOSTILE_TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(300), 'x'.repeat(5_000), 'é'.repeat(2_000)) },
)
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...HOSTILE_VALUES) },
  { weight: 3, arbitrary: hostileText },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
)

/** What a place in a request may name; `names` gives the texts for a field's name, so that requests reach further. */
export type Names = (field: string) => readonly unknown[] | undefined

/** Values that a schema accepts, apart from rules that JSON Schema cannot say. */
export function valuesOf(schema: z.ZodType, names: Names): fc.Arbitrary<unknown> {
  const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const definitions = { '#': json, ...((json.$defs ?? {}) as Definitions) }
  return fromJson(json, { definitions, names, field: '', depth: 0 })
}

type Place = { definitions: Definitions; names: Names; field: string; depth: number }
const MAX_DEPTH = 5

function fromJson(schema: JsonSchema, place: Place): fc.Arbitrary<unknown> {
  const inner = { ...place, depth: place.depth + 1 }
  if (place.depth > MAX_DEPTH) return fc.constant(null)
  const known = place.names(place.field)
  const made = plainOf(schema, inner)
  if (!known || schema.type === 'object') return made
  return fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...known) }, { weight: 1, arbitrary: made })
}

function plainOf(schema: JsonSchema, place: Place): fc.Arbitrary<unknown> {
  if (typeof schema.$ref === 'string') {
    const target = place.definitions[schema.$ref.replace('#/$defs/', '')]
    return target ? fromJson(target, place) : fc.jsonValue({ maxDepth: 1 })
  }
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined
  if (choices) return fc.oneof(...choices.map((one) => fromJson(one, { ...place, field: '' })))
  const all = schema.allOf as JsonSchema[] | undefined
  if (all) return fc.tuple(...all.map((one) => fromJson(one, place))).map((parts) => Object.assign({}, ...parts))
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (type === 'object') return objectOf(schema, place)
  if (type === 'array') return arrayOf(schema, place)
  if (type === 'string') return textOf(schema)
  if (type === 'integer' || type === 'number') return numberOf(schema, type)
  if (type === 'boolean') return fc.boolean()
  if (type === 'null') return fc.constant(null)
  return fc.jsonValue({ maxDepth: 2 })
}

function objectOf(schema: JsonSchema, place: Place): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
  const requiredKeys = ((schema.required ?? []) as string[]).filter((name) => properties.some(([one]) => one === name))
  const fields = properties.map(([name, one]) => [name, fromJson(one, { ...place, field: name })] as const)
  const known = fc.record(Object.fromEntries(fields), { requiredKeys })
  const more = schema.additionalProperties
  if (fields.length > 0 || !more) return known
  const value =
    typeof more === 'object' ? fromJson(more as JsonSchema, { ...place, field: '' }) : fc.jsonValue({ maxDepth: 1 })
  return fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), value, { maxKeys: 3 })
}

function arrayOf(schema: JsonSchema, place: Place): fc.Arbitrary<unknown> {
  const items = (Array.isArray(schema.items) ? schema.items[0] : schema.items) as JsonSchema | undefined
  const minLength = Math.min(Number(schema.minItems ?? 0), 3)
  return fc.array(items ? fromJson(items, place) : fc.jsonValue({ maxDepth: 1 }), {
    minLength,
    maxLength: Math.max(3, minLength),
  })
}

function textOf({ format, pattern, minLength, maxLength }: JsonSchema): fc.Arbitrary<string> {
  if (format === 'uuid') return fc.uuid()
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  if (format === 'date') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10))
  if (format === 'email') return fc.constantFrom('fuzz@example.com', 'Fuzz+1@EXAMPLE.com')
  if (format === 'uri' || format === 'url') return fc.constantFrom('https://example.com/a', 'http://127.0.0.1:1/')
  if (typeof pattern === 'string') {
    try {
      return fc.stringMatching(new RegExp(pattern, 'u'))
    } catch {
      // A pattern that fast-check cannot read: any text, which is then nearly valid.
    }
  }
  const least = Math.min(Number(minLength ?? 0), 20)
  return fc.string({ minLength: least, maxLength: Math.max(least, Math.min(Number(maxLength ?? 12), 12)) })
}

function numberOf(
  { minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonSchema,
  type: string,
): fc.Arbitrary<number> {
  const min = Math.max(Number(minimum ?? exclusiveMinimum ?? -100), -1_000_000)
  const max = Math.max(min, Math.min(Number(maximum ?? exclusiveMaximum ?? 1_000), 1_000_000))
  return type === 'integer'
    ? fc.integer({ min: Math.ceil(min), max: Math.floor(max) })
    : fc.double({ min, max, noNaN: true })
}

/** The value with one part of it hostile, missing, repeated or beside an unknown one. */
export const spoiled = (values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(values, fc.nat(), hostileValue, fc.constantFrom('replace', 'remove', 'add', 'wrap'), hostileText)
    .map(([given, at, hostile, how, key]) => {
      const value = copyOf(given)
      const parts = partsOf(value)
      const part = parts[at % parts.length]
      if (!part) return hostile
      const { holder, name } = part
      if (how === 'remove') delete holder[name]
      else if (how === 'add') setOwn(holder, key, hostile)
      else setOwn(holder, name, how === 'wrap' ? [holder[name]] : hostile)
      return value
    })

/** Constants are shared between requests, so nothing may change them. */
function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof RawJson) return value
  if (Array.isArray(value)) return value.map(copyOf)
  const copy = {}
  for (const [name, one] of Object.entries(value)) setOwn(copy, name, copyOf(one))
  return copy
}

type Holder = Record<string, unknown>
const setOwn = (holder: Holder, name: string, value: unknown) =>
  Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true })

/** Every place in a value; undefined stands for the whole. */
function partsOf(value: unknown): ({ holder: Holder; name: string } | undefined)[] {
  const found: ({ holder: Holder; name: string } | undefined)[] = [undefined]
  const walk = (one: unknown) => {
    if (typeof one !== 'object' || one === null || one instanceof RawJson) return
    for (const name of Object.keys(one)) {
      found.push({ holder: one as Holder, name })
      walk((one as Holder)[name])
    }
  }
  walk(value)
  return found
}
