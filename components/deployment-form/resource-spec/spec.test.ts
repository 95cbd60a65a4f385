import fc from 'fast-check'
import { LosslessNumber } from 'lossless-json'
import { describe, expect, test } from 'vitest'
import { CPU_LIMITS, CPUS, DB_CPUS, SCALES, SIZES } from '@/lib/contracts/deployments/resource-defaults'
import { ResourceSpecRequest } from '@/lib/contracts/deployments/resource-spec'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson } from '@/lib/json/lossless'
import { problemsOf } from './check'
import { differences } from './difference'
import { type FieldShape, KNOWN_KEYS, SECTIONS, type Shape } from './spec-shapes'
import { parseSpec, printSpec } from './spec-text'
import { isSame, moved, numberOf, objectOf, othersOf, type Spec, Unfinished, unfinishedIn, withKey } from './spec-value'
import { merged, threeWays } from './three-way'

// Arbitrary specs: any field, mostly of the right type, with unknown keys and numbers.
const odd = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc
    .constantFrom('12345678901234567890', '1e400', '0.10000000000000000000001')
    .map((digits) => new LosslessNumber(digits)),
  fc.constantFrom(
    'yes',
    'null',
    '0x1F',
    '1_000',
    '.inf',
    '2026-11-21',
    '- a',
    '# b',
    'a: b',
    '',
    ' x ',
    'line\nline\n',
    '1.0',
    '~',
    '<<',
  ),
  fc.string(),
)
const word = fc.constantFrom('a', 'data', 'b-2', 'Up', '')
const oddObject = fc.dictionary(fc.oneof(word, fc.string()), fc.oneof(odd, fc.array(odd, { maxLength: 2 })), {
  maxKeys: 3,
})

function valueFor(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'text':
      return fc.oneof(word, fc.constantFrom(...(shape.choices ?? ['x'])))
    case 'flag':
      return fc.boolean()
    case 'texts':
      return fc.array(fc.oneof(word, fc.string()), { maxLength: 3 })
    case 'map':
      return fc.dictionary(word, fc.string(), { maxKeys: 3 })
    case 'json':
      return oddObject
    case 'jsons':
      return fc.array(oddObject, { maxLength: 2 })
    case 'record':
      return recordFor(shape.fields)
    case 'list':
      return fc.array(recordFor(shape.fields), { maxLength: 3 })
  }
}
const rarely = (value: fc.Arbitrary<unknown>) =>
  fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: odd }, { weight: 1, arbitrary: fc.constant(null) })
const recordFor = (fields: readonly FieldShape[]): fc.Arbitrary<Spec> =>
  fc
    .tuple(
      fc.record(Object.fromEntries(fields.map(({ key, shape }) => [key, rarely(valueFor(shape))])), {
        requiredKeys: [],
      }),
      fc.oneof({ weight: 6, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: oddObject }),
    )
    .map(([known, unknown]) => ({ ...unknown, ...known }))

const FIGURES = [...SCALES, ...CPUS, ...CPU_LIMITS, ...DB_CPUS, ...SIZES]
const figure = fc.oneof(fc.integer({ min: -1, max: 20 }), fc.constantFrom(0.1, 0.05, 2.5, 7.9), odd)
const anySpec = fc
  .tuple(
    recordFor(SECTIONS.flatMap(({ fields }) => fields)),
    fc.dictionary(fc.constantFrom(...FIGURES), figure, { maxKeys: 4 }),
  )
  .map(([fields, figures]): Spec => ({ ...figures, ...fields }))
  .map((spec) => parseJson(printJson(spec)) as Spec)

/** The spec after every form control has reported its value once. */
function redrawn(fields: readonly FieldShape[], value: Spec): Spec {
  return fields.reduce((spec, { key, shape }) => {
    const one = Object.hasOwn(spec, key) ? spec[key] : undefined
    return one === undefined ? spec : withKey(spec, key, redrawnValue(shape, one))
  }, value)
}
function redrawnValue(shape: Shape, value: unknown): unknown {
  if (shape.kind === 'list' && Array.isArray(value))
    return value.map((one) => (Object.getPrototypeOf(one ?? 0) === Object.prototype ? redrawn(shape.fields, one) : one))
  if (shape.kind === 'map' && isRecord(value)) return objectOf(Object.entries(value))
  return value
}

test('the form covers exactly the fields of the contract', () => {
  expect([...KNOWN_KEYS].sort()).toEqual(Object.keys(ResourceSpecRequest.shape).sort())
})

test('opening and saving any spec in the form keeps every value, number and key order', () => {
  fc.assert(
    fc.property(anySpec, (spec) => {
      const fields = SECTIONS.flatMap((section) => section.fields)
      const drawn = redrawn(fields, spec)
      // A map with an empty key must be fixed before it can be edited; untouched values are sent unchanged.
      if (unfinishedIn(drawn)) return
      expect(printJson(drawn)).toBe(printJson(spec))
      const figures = FIGURES.reduce((draft, key) => {
        const value = Object.hasOwn(draft, key) ? draft[key] : undefined
        if (typeof value !== 'number' && !(value instanceof LosslessNumber)) return draft
        return withKey(draft, key, numberOf(printJson(value)))
      }, spec)
      expect(printJson(parseJson(printJson(figures)))).toBe(printJson(spec))
    }),
    { numRuns: 150 },
  )
})

test.each(['yaml', 'json'] as const)(
  'a spec printed as %s and parsed again is the same, with digits and order',
  (format) => {
    fc.assert(
      fc.property(anySpec, (spec) => {
        const read = parseSpec(printSpec(spec, format), format)
        expect('spec' in read ? printJson(read.spec) : read.problem).toBe(printJson(spec))
      }),
      { numRuns: 150 },
    )
  },
)

test('the check reports errors exactly where the contract rejects a spec', () => {
  let [good, bad] = [0, 0]
  const valid = anySpec.map((spec) => {
    const wrong = new Set(problemsOf(spec).map(({ path }) => String(path[0])))
    return othersOf(spec, wrong)
  })
  fc.assert(
    fc.property(fc.oneof(anySpec, valid), (spec) => {
      // The schema sees numbers beyond double precision as objects and rejects them; so does the check.
      const isFine = ResourceSpecRequest.safeParse(spec).success
      if (isFine) good += 1
      else bad += 1
      expect([problemsOf(spec), isFine]).toEqual([isFine ? [] : expect.arrayContaining([expect.anything()]), isFine])
    }),
    { numRuns: 400 },
  )
  expect(Math.min(good, bad)).toBeGreaterThan(40)
})

test('a spec with every field set passes the check', () => {
  const container = {
    name: 'c',
    image: 'i',
    command: ['sh'],
    args: [],
    env: [{ name: 'A', value: 'b' }],
    resources: { limits: { cpu: '1' } },
  }
  const spec = {
    ...Object.fromEntries(FIGURES.map((key) => [key, 1])),
    labels: { a: 'b' },
    volumes: [{ name: 'v', emptyDir: {} }],
    volume_mounts: [{ name: 'v', mountPath: '/v', readOnly: true }],
    init_containers: [container],
    sidecars: [{ ...container, name: 'd', restartPolicy: 'Always', volumeMounts: [{ name: 'v' }] }],
  }
  expect(problemsOf(spec)).toEqual([])
  expect(
    problemsOf({ ...spec, cpu: 9, volume_mounts: [{ name: 'w' }], sidecars: [{ name: 'X', image: '' }] }).map(
      ({ path }) => path.join('.'),
    ),
  ).toEqual(['cpu', 'sidecars.0.name', 'sidecars.0.image', 'cpu_limit', 'volume_mounts.0.name'])
})

test('values that came from the server are never errors, even in a moved item', () => {
  const base = {
    cpu: 99,
    future: 1,
    sidecars: [
      { name: 'a', image: 'i' },
      { name: 'b', image: 'i', ports: [1] },
    ],
    min_scale: 3,
    max_scale: 1,
  }
  expect(problemsOf(base, base)).toEqual([])
  expect(problemsOf({ ...base, sidecars: moved(base.sidecars, 0, 1) }, base)).toEqual([])
  expect(problemsOf({ ...base, cpu: 98, other: 1 }, base).map(({ path }) => path)).toEqual([['cpu'], ['other']])
})

describe('invalid text', () => {
  test.each([
    ['yaml', 'cpu: 1\ncpu: 2\n', 2],
    ['yaml', 'volumes:\n  - name: a\n - b', 3],
    ['yaml', '- 1', 1],
    ['yaml', 'cpu: .inf', 1],
    ['json', '{\n  "cpu": 1,\n  "cpu": 2\n}', 3],
    ['json', '{\n  "cpu": 1,\n}', 3],
    ['json', '[]', 1],
  ] as const)('%s %j is rejected with its line', (format, text, line) => {
    expect(parseSpec(text, format)).toEqual({
      problem: { line, column: expect.any(Number), message: expect.any(String) },
    })
  })
  test('empty text and comments alone are an empty spec', () => {
    for (const text of ['', ' \n', '# nothing yet\n']) expect(parseSpec(text, 'yaml')).toEqual({ spec: {} })
  })
  test('other number notations are read by their value', () => {
    expect(parseSpec('a: 0x1F\nb: +007\nc: .5\nd: 0o17\ne: 1.50\nf: "1"', 'yaml')).toEqual({
      spec: { a: 31, b: 7, c: 0.5, d: 15, e: 1.5, f: '1' },
    })
  })
})

describe('typing', () => {
  test.each([
    ['2', 2],
    ['', undefined],
    ['2.5x', '2.5x'],
    ['1.', '1.'],
  ])('%j in a number field is %j', (text, value) => {
    expect(numberOf(text)).toEqual(value)
  })
  test('digits stay as typed and are sent as numbers', () => {
    expect(String(numberOf('1.0'))).toBe('1.0')
    expect(parseJson(printJson(numberOf('1.0')))).toBe(1)
    expect(printJson(numberOf('12345678901234567890'))).toBe('12345678901234567890')
  })
  test('rows with duplicate keys are unfinished, and no row is lost', () => {
    const rows = [
      ['a', '1'],
      ['a', '2'],
    ] as const
    const draft = { sidecars: [{ resources: { limits: objectOf(rows) } }] }
    expect(unfinishedIn(draft)).toEqual({
      path: ['sidecars', 0, 'resources', 'limits'],
      message: 'Two rows have the key a',
    })
    expect(objectOf(rows)).toEqual(new Unfinished(rows, 'Two rows have the key a'))
    expect(objectOf([['__proto__', '1']])).toHaveProperty(['__proto__'], '1')
  })
})

test('the difference lists exactly the added, changed, removed and moved paths', () => {
  const before = {
    cpu: 1,
    memory_mb: 512,
    labels: { a: '1' },
    queue_cpu: null,
    volumes: [{ name: 'a' }, { name: 'b', emptyDir: {} }],
    command: ['x'],
  }
  const after = {
    cpu: 2,
    labels: { a: '1', b: '2' },
    volumes: [{ name: 'c' }, { name: 'b', emptyDir: { medium: 'Memory' } }, { name: 'a' }],
    command: ['x', 'y'],
  }
  const texts = differences(before, after).map(
    ({ kind, path, old, new: now }) => `${kind} ${path.join('.')} ${printJson(old)} ${printJson(now)}`,
  )
  expect(texts).toEqual([
    'changed cpu 1 2',
    'added labels.b null "2"',
    'added volumes.0 null {"name":"c"}',
    'added volumes.1.emptyDir.medium null "Memory"',
    'moved volumes ["a","b"] ["c","b","a"]',
    'added command.1 null "y"',
    'removed memory_mb 512 null',
  ])
})

test('there is a difference exactly when two specs are not equal', () => {
  fc.assert(
    fc.property(anySpec, anySpec, fc.boolean(), (one, other, isSelf) => {
      const two = isSelf ? (parseJson(printJson(one)) as Spec) : other
      expect(differences(one, two).length === 0).toBe(isSame(one, two))
    }),
    { numRuns: 100 },
  )
})

describe('two edits', () => {
  const base = { cpu: 1, memory_mb: 512, min_scale: 1, labels: { a: '1' } }
  const mine = { cpu: 2, memory_mb: 512, labels: { a: '2' }, max_scale: 4 }
  const theirs = { cpu: 1, memory_mb: 1024, min_scale: 1, labels: { a: '3' }, max_scale: 4, future: 1 }
  test('are compared by field', () => {
    expect(threeWays(base, mine, theirs).map(({ key, keeps }) => `${key} ${keeps}`)).toEqual(
      ['memory_mb theirs', 'cpu mine', 'min_scale mine', 'labels choose', 'max_scale same', 'future theirs'].sort(
        (a, b) =>
          Object.keys({ ...theirs, ...mine, ...base }).indexOf(a.split(' ')[0] ?? '') -
          Object.keys({ ...theirs, ...mine, ...base }).indexOf(b.split(' ')[0] ?? ''),
      ),
    )
  })
  test('are both kept, and the user decides where they conflict', () => {
    const both = { cpu: 2, memory_mb: 1024, max_scale: 4, future: 1 }
    expect(merged(base, mine, theirs, new Set())).toEqual({ ...both, labels: { a: '3' } })
    expect(merged(base, mine, theirs, new Set(['labels']))).toEqual({ ...both, labels: { a: '2' } })
  })
})
