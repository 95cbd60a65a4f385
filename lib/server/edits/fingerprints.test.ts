import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AppError } from '@/lib/errors'
import { adoptEnv } from '../process/env'
import { entriesAt, fingerprintOf, fingerprintsOf, Snapshot, snapshotOf } from './fingerprints'
import { idFromKey } from './idempotency'
import type { RawDeployment } from './raw-deployment'
import { HIDDEN, hiddenOf, rememberMask, secretsSnapshot } from './secret-fingerprints'
import { withoutSecretValues } from './secret-values'

beforeAll(() => {
  adoptEnv({ DATABASE_URL: 'postgres://nowhere.invalid/x', PILOTHOUSE_SEALING_KEY: 'k'.repeat(32) })
})
afterAll(() => adoptEnv(undefined))

const print = (value: unknown) => fingerprintOf('w', value)

describe('a fingerprint', () => {
  test('is the same for equal values, whatever the order of their keys and what is unset', () => {
    expect(print({ a: 1, b: [{ c: 2, d: null }] })).toBe(print({ b: [{ d: undefined, c: 2 }], a: 1, e: null }))
    expect(print({})).toBe(print({ a: null }))
  })
  test('differs for other values, orders of a list and workspaces', () => {
    const all = [
      1,
      '1',
      'json:1',
      'json:"json:1"',
      [1, 2],
      [2, 1],
      { a: 1 },
      { a: 2 },
      { b: 1 },
      null,
      true,
      '',
      [],
      {},
      [null],
    ]
    expect(new Set(all.map(print)).size).toBe(all.length)
    expect(fingerprintOf('other', 1)).not.toBe(print(1))
  })
  test('is made of what is set', () => {
    const entries = [
      { name: 'a', value: 1 },
      { name: 'b', value: null },
      { name: 'c', value: undefined },
      { name: 'd', value: '' },
    ]
    expect(fingerprintsOf('w', entries)).toEqual([
      { name: 'a', hash: print(1) },
      { name: 'd', hash: print('') },
    ])
  })
})

test('entries are read at paths, and an object’s keys one by one', () => {
  const record = { a: { b: 1, c: { d: 2, e: null } }, f: 'text' }
  expect(entriesAt(record, ['a.b', 'a.c.*', 'a.c', 'f.*', 'x.y.*', 'f.length'])).toEqual([
    { name: 'a.b', value: 1 },
    { name: 'a.c.d', value: 2 },
    { name: 'a.c.e', value: null },
    { name: 'a.c', value: record.a.c },
    { name: 'f', value: 'text' },
    { name: 'x.y', value: undefined },
    { name: 'f.length', value: undefined },
  ])
})

const raw = (secrets: RawDeployment['secrets'], latestRevision: string | null = 'r1'): RawDeployment => ({
  ...{ record: {}, secrets, source: 'github', updatedAt: 't', latestRevision },
})

test('a snapshot does not depend on the order of names, but on each of them', () => {
  const [a, b] = [
    { name: 'a', hash: '1' },
    { name: 'b', hash: '2' },
  ]
  const snapshot = snapshotOf('w', raw(null), [a, b])
  expect(snapshot).toMatchObject({ fingerprints: [a, b], updatedAt: 't', latestRevision: 'r1' })
  expect(snapshotOf('w', raw(null), [b, a]).digest).toBe(snapshot.digest)
  for (const other of [[a], [a, { ...b, hash: '3' }], [a, { ...b, name: 'c' }], [a, b, b]])
    expect(snapshotOf('w', raw(null), other).digest).not.toBe(snapshot.digest)
  expect(Snapshot.parse(snapshot)).toEqual(snapshot)
})

test.each([
  { digest: 'x'.repeat(65) },
  { fingerprints: [{ name: 'a', hash: 'x'.repeat(65) }] },
  { fingerprints: [{ name: 'a' }] },
  { fingerprints: [{ name: 'a', hash: 'b', extra: 1 }] },
  { fingerprints: Array.from({ length: 10_001 }, () => ({ name: 'a', hash: 'b' })) },
  { updatedAt: 'x'.repeat(101) },
  { latestRevision: 'x'.repeat(301) },
  { latestRevision: undefined },
  { extra: 1 },
])('a snapshot with a wrong or missing part is refused: %#', (wrong) => {
  const good = { digest: 'd', fingerprints: [], updatedAt: null, latestRevision: null }
  expect([Snapshot.safeParse(good).success, Snapshot.safeParse({ ...good, ...wrong }).success]).toEqual([true, false])
})

describe('secrets', () => {
  const place = { workspace: 'w', deploymentId: 'd' }
  const take = secretsSnapshot(place)
  const shown = [
    { name: 'A', value: 'one' },
    { name: 'B', value: 'two' },
  ]

  test('have fingerprints of their values', () => {
    expect(take(raw(shown)).fingerprints).toEqual([
      { name: 'A', hash: print('one') },
      { name: 'B', hash: print('two') },
    ])
    expect(take(raw(shown, 'r1')).digest).toBe(take(raw(shown, 'r2')).digest)
  })

  test('have none where the server hides the value; then only a new revision shows a change', () => {
    const masked = [shown[0], { name: 'B', value: '***' }, { name: 'C', value: null }] as RawDeployment['secrets']
    expect(take(raw(masked)).fingerprints.map(({ hash }) => hash)).toEqual([print('one'), HIDDEN, HIDDEN])
    expect(take(raw(masked, 'r1')).digest).not.toBe(take(raw(masked, 'r2')).digest)
    expect(take(raw(null, 'r1')).digest).not.toBe(take(raw(null, 'r2')).digest)
    expect(take(raw(null)).fingerprints).toEqual([])
  })

  test('are hidden behind a mask that was seen in their workspace', () => {
    const sealed = raw([...shown, { name: 'C', value: 'SEALED-BY-US' }])
    expect([...hiddenOf(place, sealed)]).toEqual([])
    rememberMask(place, 'SEALED-BY-US')
    rememberMask(place, 'another')
    expect([...hiddenOf(place, sealed)]).toEqual([2])
    expect([...hiddenOf({ ...place, workspace: 'v' }, sealed)]).toEqual([])
    expect([...hiddenOf(place, raw(null))]).toEqual([])
  })
})

describe('a refusal that may quote a value', () => {
  const secrets = [
    { name: 'TOKEN', value: 'canary-4711-abcdef' },
    { name: 'PIN', value: '7391' },
    { name: 'SHORT', value: 'abc' },
    { name: 'NONE', value: null },
  ]
  const told = (message: string, fields: AppError['view']['fields'] = []) =>
    withoutSecretValues(new AppError('invalid', message, { fields, upstreamStatus: 422 }), secrets)

  test.each(['bad canary-4711-abcdef', 'bad canary-4…', '…1-abcdef is bad', 'PIN 7391'])(
    '%s is not shown',
    (message) => {
      const error = told(message)
      expect(error.message).toBe(
        'The server refused the change. Its message is not shown, because it contains part of a secret.',
      )
      expect([error.code, error.view.upstreamStatus]).toEqual(['invalid', 422])
    },
  )
  test.each(['Some abc', 'canary', 'Bad value', ''])('"%s" is shown', (message) => {
    expect(told(message).message).toBe(message)
  })
  test('names secrets instead of their places in the list', () => {
    const field = (path: (string | number)[], message: string) => ({ path, message })
    const given = [
      field(['secrets', 0, 'value'], 'Bad canary-4711'),
      field(['secrets', 9], 'Too many'),
      field(['volumes', 0], 'Bad'),
      field([1], 'Bad'),
    ]
    expect(told('No.', given).view.fields).toEqual([
      field(['secrets', 'TOKEN', 'value'], 'Refused by the server'),
      field(['secrets', 9], 'Too many'),
      field(['volumes', 0], 'Bad'),
      field([1], 'Bad'),
    ])
  })
})

test('an id from a key is a UUID that the same words always give', () => {
  const id = idFromKey(['a', 'b'])
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(idFromKey(['a', 'b'])).toBe(id)
  for (const other of [['ab'], ['a', 'b', ''], ['b', 'a'], ['a,b']]) expect(idFromKey(other)).not.toBe(id)
})
