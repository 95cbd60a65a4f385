import { expect, test } from 'vitest'
import { chipsOf } from '@/components/shared/list/filters'
import { FILTERS, readThreadSearch, threadList, threadQueryOf } from './list-query'

const id = '0198a5c6-1111-7222-8333-444455556666'
const of = (text: string) => threadQueryOf(new URLSearchParams(text))

test('a full id is searched as an id, JSON and key:value as metadata', () => {
  expect(readThreadSearch(` ${id.toUpperCase()} `)).toEqual({ ids: [id] })
  expect(readThreadSearch('{"user":{"id":7}}')).toEqual({ metadata: { user: { id: 7 } } })
  expect(readThreadSearch('graph_id:chat')).toEqual({ metadata: { graph_id: 'chat' } })
  expect(readThreadSearch('resolved = true')).toEqual({ metadata: { resolved: true } })
  expect(readThreadSearch('ticket:12345678901234567890')).toEqual({ metadata: { ticket: '12345678901234567890' } })
  expect(readThreadSearch('')).toEqual({})
})

test('an invalid search is reported, with the position for JSON', () => {
  expect(readThreadSearch('{"a":').problem).toContain('Line 1, column 6')
  expect(readThreadSearch('0198a5c6').problem).toContain('whole thread id')
})

test('reads status, metadata, values, ids and order from the URL, and requests only light columns', () => {
  const { body, filters, isCounted } = of('status=busy&q=a:b&graph=chat&values=count:3&sort=created_at-asc')
  expect(filters).toEqual({ status: 'busy', metadata: { a: 'b', graph_id: 'chat' }, values: { count: 3 } })
  expect(body).toMatchObject({ ...filters, sort_by: 'created_at', sort_order: 'asc' })
  expect(body.select).not.toContain('values')
  expect(isCounted).toBe(true)
  expect(of(`ids=${id},${id}&status=nonsense&offset=-3`)).toMatchObject({
    filters: {},
    isCounted: false,
    body: { offset: 0, ids: [id, id] },
  })
})

test('a page is cut from a window around its position, so that added or removed rows cause no gaps', () => {
  expect(of('offset=50').body).toMatchObject({ offset: 50, limit: 26 })
  expect(of(`offset=50&after=${id}`)).toMatchObject({ page: { after: [id] }, body: { offset: 30, limit: 66 } })
})

test('a view keeps the filters and the order, but not the page', () => {
  expect(threadList.savedViews?.queryOf(new URLSearchParams('offset=50&after=x&sort=status-asc&q=a:b&view=1'))).toBe(
    'q=a%3Ab&sort=status-asc',
  )
  expect(chipsOf(FILTERS, new URLSearchParams('status=interrupted&values=a:1')).map(({ text }) => text)).toEqual([
    'Needs input',
    'a:1',
  ])
})
