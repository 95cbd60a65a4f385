import { expect, test } from 'vitest'
import { isUnranked, storePlaceOf } from './store-place'

const of = (query: string) => storePlaceOf(new URLSearchParams(query))

test('reads namespace, search and open item from the URL', () => {
  expect(of('').body).toEqual({ namespace_prefix: [], limit: 25, offset: 0 })
  expect(of('ns=users.ann&q=role:admin&offset=25').body).toEqual({
    namespace_prefix: ['users', 'ann'],
    filter: { role: 'admin' },
    limit: 25,
    offset: 25,
  })
  expect(of('ns=users&in=users.ann&key=a.b').open).toEqual({ namespace: ['users', 'ann'], key: 'a.b' })
  expect(of('q=who likes tea&by=meaning')).toMatchObject({ body: { query: 'who likes tea' }, problem: undefined })
})

test('an invalid filter is reported and not sent', () => {
  expect(of('q=who likes tea').problem).toMatch(/key:value/)
  expect(of('q={"a":').problem).toMatch(/Line 1/)
})

test('items without a rank are no result of a search by meaning', () => {
  expect(isUnranked('tea', [{ score: null }, {}])).toBe(true)
  expect(isUnranked('tea', [{ score: 0 }, {}])).toBe(false)
  expect(isUnranked('tea', [])).toBe(false)
  expect(isUnranked(undefined, [{}])).toBe(false)
})
