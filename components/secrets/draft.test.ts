import fc from 'fast-check'
import { expect, test } from 'vitest'
import { planChanges } from '@/lib/contracts/deployments/secret-changes'
import {
  changesOf,
  countOf,
  type Draft,
  entriesOf,
  NO_DRAFT,
  withAdded,
  withEdit,
  withEntries,
  withoutAdded,
  withText,
  withTheirs,
} from './draft'

const names = new Set(['A', 'B', 'C', '__proto__'])
const entry = (name: string, value: string) => ({ name, value, line: 1 })

test('a paste replaces what is there, adds what is not, and keeps a name that comes twice', () => {
  const draft = withEntries(NO_DRAFT, names, [
    entry('A', '1'),
    entry('NEW', '2'),
    entry('A', '3'),
    entry('__proto__', '4'),
  ])
  expect(countOf(draft)).toBe(4)
  expect(changesOf(draft, names)).toEqual([
    { kind: 'set', name: 'A', value: '1' },
    { kind: 'set', name: '__proto__', value: '4' },
    { kind: 'set', name: 'NEW', value: '2' },
    { kind: 'set', name: 'A', value: '3' },
  ])
  expect(planChanges([...names], changesOf(draft, names)).problems).toContainEqual({
    name: 'A',
    message: 'It is set twice',
  })
})

test('undo takes back exactly one change', () => {
  const draft = withEdit(withEdit(NO_DRAFT, 'A', { isRemoved: true }), 'B', { value: 'x', to: 'D' })
  expect(withEdit(withEdit(draft, 'A', undefined), 'B', undefined)).toEqual(NO_DRAFT)
  const [added] = withEntries(draft, names, [entry('N', '1')]).added
  expect(withoutAdded(withEntries(draft, names, []), added?.id ?? 0)).toEqual(draft)
  expect(withEdit(draft, 'A', {}).edits).toEqual({ B: { value: 'x', to: 'D' } })
})

test('what somebody else removed meanwhile: a value is added again, a removal is done, a bare renaming is a problem', () => {
  let draft = withEdit(NO_DRAFT, 'A', { value: '1' })
  draft = withEdit(draft, 'B', { isRemoved: true })
  draft = withEdit(draft, 'C', { to: 'D' })
  const changes = changesOf(draft, new Set())
  expect(changes).toEqual([
    { kind: 'set', name: 'A', value: '1' },
    { kind: 'rename', from: 'C', to: 'D' },
  ])
  expect(planChanges([], changes).problems.map(({ name }) => name)).toEqual(['C'])
})

test('taking theirs leaves nothing of mine about that name', () => {
  let draft = withEntries(NO_DRAFT, names, [entry('A', '1'), entry('NEW', '2')])
  draft = withEdit(draft, 'B', { to: 'E' })
  expect(countOf(['A', 'NEW', 'E'].reduce(withTheirs, draft))).toBe(0)
})

const step: fc.Arbitrary<(draft: Draft) => Draft> = fc.oneof(
  fc
    .record({ name: fc.constantFrom('A', 'B', 'N', 'M'), value: fc.string() })
    .map((one) => (draft: Draft) => withEntries(draft, names, [{ ...one, name: one.name }])),
  fc.constantFrom('A', 'B', 'C').map((name) => (draft: Draft) => withEdit(draft, name, { isRemoved: true })),
  fc
    .constantFrom('A', 'B', 'C')
    .map((name) => (draft: Draft) => withEdit(draft, name, { ...draft.edits[name], to: `${name}2`, isRemoved: false })),
  fc.string().map((value) => (draft: Draft) => {
    const [first] = draft.added
    return first ? withAdded(draft, { ...first, value }) : draft
  }),
)

test('going to the text mode and back changes nothing that is asked for', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const draft = steps.reduce((now, make) => make(now), NO_DRAFT)
      const back = withText(
        draft,
        names,
        entriesOf(draft).map((one) => ({ ...one, line: 1 })),
      )
      // A removed secret that is set as well is one that is replaced: the list comes out the same.
      const texts = (one: Draft) => {
        const { places } = planChanges([...names], changesOf(one, names))
        return places.map(({ name, value, from }) => JSON.stringify([name, value ?? { kept: from }])).sort()
      }
      expect(entriesOf(back)).toHaveLength(entriesOf(draft).length)
      expect(texts(back)).toEqual(texts(draft))
    }),
    { numRuns: 500 },
  )
})
