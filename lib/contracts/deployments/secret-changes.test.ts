import { describe, expect, test } from 'vitest'
import {
  MAX_SECRET_LENGTH,
  MAX_SECRETS,
  outcomesOf,
  planChanges,
  type SecretChange,
  valueProblem,
} from './secret-changes'

const set = (name: string, value = 'v'): SecretChange => ({ kind: 'set', name, value })
const remove = (name: string): SecretChange => ({ kind: 'remove', name })
const rename = (from: string, to: string): SecretChange => ({ kind: 'rename', from, to })
const outcomes = (names: string[], ...changes: SecretChange[]) => {
  const plan = planChanges(names, changes, 'github')
  expect(plan.problems).toEqual([])
  return outcomesOf(plan)
}
const problems = (names: string[], ...changes: SecretChange[]) => planChanges(names, changes, 'github').problems

describe('a plan', () => {
  test('without changes leaves everything untouched', () => {
    expect(planChanges(['A', 'B'], [])).toEqual({
      places: [
        { name: 'A', from: 'A', index: 0 },
        { name: 'B', from: 'B', index: 1 },
      ],
      removed: [],
      problems: [],
    })
    expect(outcomes(['A'])).toEqual([{ kind: 'untouched', name: 'A' }])
  })
  test('keeps the order of the list, with new secrets last and removed ones after them', () => {
    expect(outcomes(['A', 'B', 'C'], set('NEW'), remove('A'), set('C'), rename('B', 'D'))).toEqual([
      { kind: 'renamed', name: 'D', from: 'B' },
      { kind: 'replaced', name: 'C' },
      { kind: 'added', name: 'NEW' },
      { kind: 'removed', name: 'A' },
    ])
  })
  test('renames before it sets, so that a renamed secret can get a new value', () => {
    const changes = [set('B', 'new'), rename('A', 'B')]
    expect(outcomes(['A'], ...changes)).toEqual([{ kind: 'renamed and replaced', name: 'B', from: 'A' }])
    expect(planChanges(['A'], changes).places).toEqual([{ name: 'B', from: 'A', index: 0, value: 'new' }])
  })
  test('can give the name of a removed or renamed secret to another one', () => {
    expect(outcomes(['A', 'B'], remove('A'), rename('B', 'A'))).toEqual([
      { kind: 'renamed', name: 'A', from: 'B' },
      { kind: 'removed', name: 'A' },
    ])
    expect(outcomes(['A', 'B'], rename('A', 'B'), rename('B', 'A')).map(({ name, from }) => [name, from])).toEqual([
      ['B', 'A'],
      ['A', 'B'],
    ])
    expect(outcomes(['A'], rename('A', 'B'), set('A'))).toEqual([
      { kind: 'renamed', name: 'B', from: 'A' },
      { kind: 'added', name: 'A' },
    ])
  })
  test('replaces or removes all secrets of one name, which cannot be told apart', () => {
    const { places } = planChanges(['A', 'B', 'A'], [set('A', 'new')])
    expect(places).toEqual([
      { name: 'A', from: 'A', index: 0, value: 'new' },
      { name: 'B', from: 'B', index: 1 },
    ])
    expect(outcomes(['A', 'B', 'A'], remove('A'))).toEqual([
      { kind: 'untouched', name: 'B' },
      { kind: 'removed', name: 'A' },
    ])
  })
  test('keeps names that a server accepted, whatever the rules for new ones', () => {
    expect(problems(['not a name', 'DATABASE_URI'], set('not a name'), remove('DATABASE_URI'))).toEqual([])
  })
})

test.each([
  ['a secret that is set twice', ['A'], [set('A'), set('A')], 'A', 'Set twice'],
  ['a removal of what is gone', [], [remove('A')], 'A', 'It no longer exists'],
  ['a new name for what is gone', [], [rename('A', 'B')], 'A', 'It no longer exists'],
  ['two changes of one secret', ['A'], [remove('A'), rename('A', 'B')], 'A', 'Removed or renamed twice'],
  [
    'a new name for one of two',
    ['A', 'A'],
    [rename('A', 'B')],
    'A',
    'Several secrets have this name: set or remove them',
  ],
  ['a name that another secret has', ['A', 'B'], [rename('A', 'B')], 'B', 'Another secret has this name'],
  ['a name that an earlier secret has', ['A', 'B'], [rename('B', 'A')], 'A', 'Another secret has this name'],
  [
    'an invalid new name',
    ['A'],
    [rename('A', '1')],
    '1',
    'Use letters, digits and underscores; do not start with a digit',
  ],
  [
    'an added secret with a reserved name',
    [],
    [set('POSTGRES_URI')],
    'POSTGRES_URI',
    'POSTGRES_URI is set by the platform and cannot be a secret',
  ],
  [
    'a name that this source cannot have',
    [],
    [set('PORT')],
    'PORT',
    'PORT can be a secret of self-hosted deployments only',
  ],
  ['a value that is a mask', ['A'], [set('A', '***')], 'A', 'This looks like a mask, not a value'],
] as const)('%s is refused', (_what, names, changes, name, message) => {
  expect(problems([...names], ...changes)).toContainEqual({ name, message })
})

test('two equal names that the server has are no problem, and two renames to one name are', () => {
  expect(problems(['A', 'A', 'B'], set('B'))).toEqual([])
  expect(problems(['A', 'B'], rename('A', 'C'), rename('B', 'C'))).toEqual([
    { name: 'C', message: 'Another secret has this name' },
  ])
})

test('a list has a limit', () => {
  const names = Array.from({ length: MAX_SECRETS }, (_, index) => `S_${index}`)
  expect(problems(names)).toEqual([])
  expect(problems(names, set('ONE_MORE'))).toEqual([
    { name: '', message: 'A deployment has at most 2000 secrets here' },
  ])
})

describe('a value', () => {
  test.each(['', 'v', ' ', '\n', '😀', 'a😀b', 'v'.repeat(MAX_SECRET_LENGTH)])('%# can be sent', (value) => {
    expect(valueProblem(value)).toBeUndefined()
  })
  test.each([
    ['v'.repeat(MAX_SECRET_LENGTH + 1), 'The value is longer than 128 kB'],
    ['<redacted>', 'This looks like a mask, not a value'],
    ['a\0b', 'A value cannot contain the character NUL'],
    ['a\ud83d', 'The value contains half a character (an unpaired surrogate), which cannot be sent'],
    ['\ude00😀', 'The value contains half a character (an unpaired surrogate), which cannot be sent'],
  ])('a value cannot be sent, %#', (value, message) => {
    expect(valueProblem(value)).toBe(message)
  })
})
