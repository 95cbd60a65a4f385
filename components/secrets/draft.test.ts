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

test('a paste replaces existing secrets, adds new ones, and keeps duplicate names', () => {
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
    message: 'Set twice',
  })
})

test('undo reverts exactly one change', () => {
  const draft = withEdit(withEdit(NO_DRAFT, 'A', { isRemoved: true }), 'B', { value: 'x', to: 'D' })
  expect(withEdit(withEdit(draft, 'A', undefined), 'B', undefined)).toEqual(NO_DRAFT)
  const [added] = withEntries(draft, names, [entry('N', '1')]).added
  expect(withoutAdded(withEntries(draft, names, []), added?.id ?? 0)).toEqual(draft)
  expect(withEdit(draft, 'A', {}).edits).toEqual({ B: { value: 'x', to: 'D' } })
})

test('for a secret removed by someone else, a new value is added, a removal is done, and a rename alone is an error', () => {
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

test('taking theirs removes all my changes to that name', () => {
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

test('opening and closing the text mode keeps the changes', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      const draft = steps.reduce((now, make) => make(now), NO_DRAFT)
      const back = withText(
        draft,
        names,
        entriesOf(draft).map((one) => ({ ...one, line: 1 })),
      )
      // Removing and setting a secret equals replacing it: the resulting list is the same.
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
