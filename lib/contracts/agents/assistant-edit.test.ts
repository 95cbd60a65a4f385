import { expect, test } from 'vitest'
import { changedFields, draftOf, keptMetadata, patchOf } from './assistant-edit'

const before = draftOf({
  name: 'Research',
  description: null,
  context: { tone: 'brief' },
  config: { recursion_limit: 10 },
  metadata: { team: 'a', note: { by: 'me' } },
})

test('a draft has text for a missing name and description, and only the changeable fields', () => {
  const assistant = { name: null, description: undefined, context: { a: 1 }, config: { b: 2 }, metadata: { c: 3 } }
  const record = { ...assistant, assistant_id: 'x', version: 3 } as never
  expect(draftOf(record)).toEqual({
    name: '',
    description: '',
    context: { a: 1 },
    config: { b: 2 },
    metadata: { c: 3 },
  })
  expect(before).toMatchObject({ name: 'Research', description: '' })
})

test.each([
  ['name', 'Other'],
  ['description', 'New'],
  ['context', { tone: 'long' }],
  ['config', {}],
  ['metadata', { team: 'a' }],
] as const)('a change of %s is the only one that is found', (field, value) => {
  expect(changedFields(before, { ...before, [field]: value })).toEqual([field])
})

test('content that only looks different changes nothing', () => {
  expect(changedFields(before, { ...before, metadata: { note: { by: 'me' }, team: 'a' } })).toEqual([])
})

test('an update always has the context, and the other fields only if they changed', () => {
  expect(patchOf(before, before)).toEqual({ context: { tone: 'brief' } })
  const after = { ...before, name: 'Other', description: 'New', config: {}, context: {} }
  expect(patchOf(before, after)).toEqual({ name: 'Other', description: 'New', config: {}, context: {} })
})

test('an update has the changed and new keys of the metadata only', () => {
  const metadata = { team: 'b', note: { by: 'me' }, toString: 1 }
  expect(patchOf(before, { ...before, metadata })).toEqual({
    metadata: { team: 'b', toString: 1 },
    context: before.context,
  })
})

test('removed keys of the metadata are named, because servers keep them', () => {
  expect(keptMetadata(before, { ...before, metadata: { note: 1 } })).toEqual(['team'])
  expect(keptMetadata(before, before)).toEqual([])
  const inherited = { ...before, metadata: { toString: 1 } }
  expect(keptMetadata(inherited, { ...before, metadata: {} })).toEqual(['toString'])
})
