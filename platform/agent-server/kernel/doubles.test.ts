import { LosslessNumber } from 'lossless-json'
import { expect, test } from 'vitest'
import { fromText, isTooDeep, toDoubles, toText } from './numbers'

const BIG = '12345678901234567890'

test('a text keeps every number as it was written, there and back', () => {
  const text = `{"id":${BIG},"list":[1.5,"x",null]}`
  expect(toText(fromText(text))).toBe(text)
  expect(fromText(text)).toMatchObject({ id: new LosslessNumber(BIG) })
})

test('a text that is no JSON is an error, and only one of depth is told as such', () => {
  expect(() => fromText('{')).toThrow(SyntaxError)
  for (const other of [new Error('x'), null, undefined, { view: {} }, { view: null }])
    expect(isTooDeep(other)).toBe(false)
  expect(isTooDeep({ view: { code: 'too_large' } })).toBe(true)
})

test('values of graphs may be nested deeper than requests', () => {
  let deep: unknown = 1
  for (let depth = 0; depth < 800; depth++) deep = [deep]
  expect(fromText(toText(deep))).toEqual(deep)
})

test('a graph gets doubles, and copies of those containers only that held other numbers', () => {
  const same = { a: [1, { b: 'x' }], when: new Date(0), none: null }
  expect(toDoubles(same)).toBe(same)
  const big = new LosslessNumber(BIG)
  const given = { same, list: [1, big, [big]], deep: { n: big, also: big, other: 1 } }
  const rounded = toDoubles(given) as typeof given
  expect(rounded).toEqual({
    same,
    list: [1, Number(BIG), [Number(BIG)]],
    deep: { n: Number(BIG), also: Number(BIG), other: 1 },
  })
  expect(rounded.same).toBe(same)
  expect([given.list[1], given.deep.n]).toEqual([big, big])
  expect(toDoubles(big)).toBe(Number(BIG))
  const list = [1, same]
  expect(toDoubles(list)).toBe(list)
  for (const plain of ['x', 5, null, undefined, true]) expect(toDoubles(plain)).toBe(plain)
})
