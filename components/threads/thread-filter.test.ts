import { expect, test } from 'vitest'
import { readThreadSearch, threadQueryOf } from './thread-filter'

const id = '0198a5c6-1111-7222-8333-444455556666'

test('a whole id is searched as an id, JSON and key:value as metadata', () => {
  expect(readThreadSearch(` ${id.toUpperCase()} `)).toEqual({ ids: [id] })
  expect(readThreadSearch('{"user":{"id":7}}')).toEqual({ metadata: { user: { id: 7 } } })
  expect(readThreadSearch('graph_id:chat')).toEqual({ metadata: { graph_id: 'chat' } })
  expect(readThreadSearch('resolved = true')).toEqual({ metadata: { resolved: true } })
  expect(readThreadSearch('ticket:12345678901234567890')).toEqual({ metadata: { ticket: '12345678901234567890' } })
  expect(readThreadSearch('')).toEqual({})
})

test('what is no search says so, with the place in JSON', () => {
  expect(readThreadSearch('{"a":').problem).toContain('Line 1, column 6')
  expect(readThreadSearch('0198a5c6').problem).toContain('whole thread id')
})

test('the list asks for light columns only and for the page that the URL says', () => {
  const { body, isCounted } = threadQueryOf(new URLSearchParams({ status: 'busy', q: 'a:b', offset: '50' }))
  expect(body).toMatchObject({ status: 'busy', metadata: { a: 'b' }, offset: 50, limit: 25 })
  expect(body.select).not.toContain('values')
  expect(isCounted).toBe(true)
  expect(threadQueryOf(new URLSearchParams({ status: 'nonsense', offset: '-3', q: id }))).toMatchObject({
    filters: {},
    isCounted: false,
    body: { offset: 0, ids: [id] },
  })
})
