import { expect, test } from 'vitest'
import { chipsOf } from '@/components/shared/list/filters'
import { assistantList, assistantQueryOf, filtersFor } from './list-query'

const of = (text: string) => assistantQueryOf(new URLSearchParams(text))

test('reads name, graph, metadata, kind, order and page from the URL', () => {
  expect(of('name=a&graph=chat&metadata=team:ops&kind=default&sort=name-asc&offset=50&limit=100').body).toEqual({
    name: 'a',
    graph_id: 'chat',
    metadata: { team: 'ops', created_by: 'system' },
    sort_by: 'name',
    sort_order: 'asc',
    offset: 50,
    limit: 100,
  })
  expect(of('metadata=%7B"n":12345678901234567890%7D').filters.metadata?.n?.toString()).toBe('12345678901234567890')
})

test('ignores invalid values', () => {
  const { body, isFiltered } = of('metadata=%7Bx&kind=other&sort=nonsense&offset=-4&limit=7')
  expect(body).toEqual({ limit: 50, offset: 0, sort_by: 'updated_at', sort_order: 'desc' })
  expect(isFiltered).toBe(false)
})

test('a view keeps the filters and the order, but not the page', () => {
  expect(assistantList.savedViews?.queryOf(new URLSearchParams('offset=50&sort=name-asc&name=x&view=1'))).toBe(
    'name=x&sort=name-asc',
  )
  expect(chipsOf(filtersFor([]), new URLSearchParams('graph=chat')).map(({ text }) => text)).toEqual(['chat'])
})
