import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { adoptEnv } from '../process/env'
import { entriesAt, fingerprintsOf } from './fingerprints'
import type { RawSecret } from './raw-deployment'
import { areSecretsThere, fingerprintsAfter, isPatchThere } from './saved-check'
import { hiddenOf } from './secret-fingerprints'

beforeAll(() => {
  adoptEnv({ DATABASE_URL: 'postgres://nowhere.invalid/x', PILOTHOUSE_SEALING_KEY: 'k'.repeat(32) })
})
afterAll(() => adoptEnv(undefined))

const place = { workspace: 'w', deploymentId: 'd' }

describe('the fingerprints after an update', () => {
  const paths = ['source_config.build_on_push', 'source_config.resource_spec.*', 'a.*.b']
  const record = { source_config: { build_on_push: true, resource_spec: { cpu: 1, memory: 2 } }, a: { '*': { b: 1 } } }
  const before = () => fingerprintsOf('w', entriesAt(record, paths))
  const after = (body: object) => fingerprintsAfter(place, paths, body, before())
  const of = (changed: object) => fingerprintsOf('w', entriesAt({ ...record, ...changed }, paths))

  test('are unchanged for what it does not set', () => {
    expect(before().map(({ name }) => name)).toEqual([
      'source_config.build_on_push',
      ...['source_config.resource_spec.cpu', 'source_config.resource_spec.memory', 'a.*.b'],
    ])
    for (const body of [
      {},
      { source_config: {} },
      { source_config: { build_on_push: null, resource_spec: undefined } },
    ])
      expect(after(body)).toEqual(before())
  })

  test('are new for what it sets, also where it removes a key', () => {
    expect(after({ source_config: { build_on_push: false } })).toEqual(
      of({ source_config: { ...record.source_config, build_on_push: false } }),
    )
    expect(after({ source_config: { resource_spec: { cpu: 3 } } })).toEqual(
      of({ source_config: { build_on_push: true, resource_spec: { cpu: 3 } } }),
    )
  })
})

describe('an update is there', () => {
  const spec = (resource_spec: unknown) => ({ source_config: { resource_spec } })

  test.each<[string, object, object]>([
    ['with fields that the server added', { a: 1, b: 2 }, { a: 1 }],
    ['without what it did not set', {}, { a: undefined, b: null }],
    ['with a number in another spelling', { a: '1' }, { a: 1 }],
    ['with the same list', { a: [1, { b: 2, c: 3 }] }, { a: [1, { b: 2 }] }],
    ['with an empty list', { a: [] }, { a: [] }],
    ['with NaN', { a: Number.NaN }, { a: Number.NaN }],
  ])('%s', (_name, now, body) => expect(isPatchThere(now, body, {})).toBe(true))

  test.each<[string, object, object]>([
    ['another value is there', { a: 2 }, { a: 1 }],
    ['a list is longer', { a: [1, 2] }, { a: [1] }],
    ['a list is shorter', { a: [1] }, { a: [1, 2] }],
    ['one entry of a list differs', { a: [1, 3] }, { a: [1, 2] }],
    ['there is no list', { a: '1' }, { a: [1] }],
    ['there is no list of that length', { a: '' }, { a: [] }],
    ['there is no object', { a: '[object Object]' }, { a: {} }],
    ['nothing is there', {}, { a: 1 }],
  ])('not if %s', (_name, now, body) => expect(isPatchThere(now, body, {})).toBe(false))

  test('perhaps, if a removed part still has its value', () => {
    expect(isPatchThere(spec({ cpu: 1, old: 2 }), spec({ cpu: 1 }), spec({ cpu: 1, old: 2 }))).toBeUndefined()
    expect(
      isPatchThere(spec({ cpu: 1, old: 2 }), spec({ cpu: 1, old: null }), spec({ cpu: 1, old: 2 })),
    ).toBeUndefined()
    for (const [now, before] of [
      [
        { cpu: 1, old: 3 },
        { cpu: 1, old: 2 },
      ],
      [{ cpu: 1 }, { cpu: 1, old: 2 }],
      [
        { cpu: 1, old: null },
        { cpu: 1, old: null },
      ],
      [{ cpu: 1 }, { cpu: 1, old: undefined }],
    ])
      expect(isPatchThere(spec(now), spec({ cpu: 1 }), spec(before))).toBe(true)
  })
})

describe('secrets are there', () => {
  const list = (...pairs: [name: string, value: string][]) => pairs.map(([name, value]) => ({ name, value }))
  const raw = (secrets: RawSecret[] | null) => ({
    ...{ record: {}, secrets, source: 'github', updatedAt: 't', latestRevision: 'r' },
  })
  const check = (now: RawSecret[] | null, sent: { name: string; value: string }[]) =>
    areSecretsThere(place, raw(now), sent, [])

  test('in any order, each as often as sent, and if there are none', () => {
    const sent = list(['A', '1'], ['B', '2'], ['A', '3'])
    expect(check([...sent].reverse(), sent)).toBe(true)
    expect(check([], [])).toBe(true)
    expect(check(list(['A', '1'], ['B', '2'], ['A', '1']), sent)).toBe(false)
    expect(check(list(['A', '1'], ['A', '2']), list(['A', '1'], ['A', '1']))).toBe(false)
    expect(check(list(['A', '1'], ['B', '2']), sent)).toBe(false)
    expect(check(list(['A', '1'], ['C', '2'], ['A', '3']), sent)).toBe(false)
    expect(check(sent, list(['A', '1'], ['B', '2']))).toBe(false)
  })

  test('perhaps, where values are hidden', () => {
    const sent = list(['A', '1'], ['B', '2'])
    expect(check(null, sent)).toBeUndefined()
    expect(check(list(['A', '***'], ['B', '***']), sent)).toBeUndefined()
    expect(check(list(['A', '1'], ['B', '***']), sent)).toBeUndefined()
    expect(check(list(['A', 'other'], ['B', '***']), sent)).toBe(false)
    expect(check(list(['A', '***'], ['C', '***']), sent)).toBe(false)
    expect(check(list(['A', '***'], ['B', '***']), list(['A', '1'], ['A', '1']))).toBe(false)
  })

  test('a list with other names teaches no mask, and one with these names does', () => {
    const set = { kind: 'set', name: 'A', value: '1' } as const
    const sent = list(['A', '1'], ['B', '2'], ['C', '3'])
    const hidden = () => hiddenOf(place, raw(list(['X', 'KEPT-BACK']))).size
    areSecretsThere(place, raw(list(['A', 'KEPT-BACK'], ['B', 'KEPT-BACK'], ['D', '3'])), sent, [set])
    expect(hidden()).toBe(0)
    areSecretsThere(place, raw(list(['A', 'KEPT-BACK'], ['B', 'KEPT-BACK'], ['C', '3'])), sent, [set])
    expect(hidden()).toBe(1)
  })
})
