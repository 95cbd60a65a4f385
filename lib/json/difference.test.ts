import { expect, test } from 'vitest'
import { parseJson } from '@/lib/json/lossless'
import { type Difference, differences, differencesOf, isSameJson, shortJson } from './difference'

const told = (found: Difference[]) =>
  found.map(({ kind, path, from }) => `${kind} ${path.join('.')}${from ? ` from ${from.join('.')}` : ''}`)
const diff = (old: unknown, now: unknown) => told(differencesOf(old, now))

test('lists added, removed and changed values at the deepest path', () => {
  expect(diff({ a: { b: 1, c: [1, 2] }, d: 0 }, { a: { b: 2, c: [1, 2, 3] }, e: null })).toEqual([
    'changed a.b',
    'added a.c.2',
    'added e',
    'removed d',
  ])
  expect(diff({ a: null }, {})).toEqual(['removed a'])
  expect(diff([], {})).toEqual(['changed '])
  expect(diff({ a: [1, { x: 1 }] }, { a: [1, { x: 1 }] })).toEqual([])
})

test('items with ids are compared by id, and only those out of order have moved', () => {
  const messages = ['a', 'b', 'c', 'd'].map((id) => ({ id, text: id }))
  const [a, b, c, d] = messages
  expect(diff({ messages }, { messages: [...messages, { id: 'e' }] })).toEqual(['added messages.4'])
  expect(diff({ messages }, { messages: [a, c, { ...d, text: 'x' }, b] })).toEqual([
    'changed messages.2.text',
    'moved messages.3 from messages.1',
  ])
  expect(diff(['x', 'y', 'z'], ['z', 'x', 'y'])).toEqual(['moved 0 from 2'])
})

test('an item inserted into a list without ids is one difference', () => {
  expect(diff([{ n: 1 }, { n: 2 }, { n: 2 }], [{ n: 1 }, { n: 9 }, { n: 2 }, { n: 2 }])).toEqual(['added 1'])
})

test('a value removed here and added there has moved, once', () => {
  expect(diff({ old: { prompt: 'a long text' }, x: 1 }, { new: { prompt: 'a long text' }, x: 1 })).toEqual([
    'moved new from old',
  ])
  expect(diff({ a: { limit: 5 }, b: {} }, { a: {}, b: { limit: 5 } })).toEqual(['moved b.limit from a.limit'])
  expect(diff({ a: true }, { b: true })).toEqual(['added b', 'removed a'])
  expect(diff({ a: 'twice there', b: 'twice there' }, { c: 'twice there' })).toEqual([
    'added c',
    'removed a',
    'removed b',
  ])
})

test('numbers are compared by their digits, and odd keys like any others', () => {
  expect(diff(parseJson('{"id":12345678901234567890}'), parseJson('{"id":12345678901234567890}'))).toEqual([])
  expect(diff(parseJson('{"id":12345678901234567890}'), parseJson('{"id":12345678901234567891}'))).toEqual([
    'changed id',
  ])
  expect(diff(parseJson('{"__proto__":1}'), parseJson('{"__proto__":2}'))).toEqual(['changed __proto__'])
  expect(isSameJson({ a: 1, b: [null] }, { b: [null], a: 1 })).toBe(true)
  expect(isSameJson({ a: null }, {})).toBe(false)
})

test('a large comparison yields to other work', () => {
  const big = (last: number) => ({
    rows: Array.from({ length: 20_000 }, (_, at) => ({ at, v: at === 19_999 ? last : 0 })),
  })
  const steps = differences(big(1), big(2))
  let breaths = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) breaths++
  expect(breaths).toBeGreaterThan(10)
  expect(told(step.value)).toEqual(['changed rows.19999.v'])
})

test('a short text is shown whole or not at all', () => {
  expect(shortJson({ a: [1, 'x', null] }, 100)).toBe('{"a":[1,"x",null]}')
  expect(shortJson('x'.repeat(200), 100)).toBeUndefined()
  expect(
    shortJson(
      Array.from({ length: 1e6 }, () => 1),
      100,
    ),
  ).toBeUndefined()
})
