import { expect, test } from 'vitest'
import { chipsOf } from '@/components/shared/list/filters'
import { viewChange } from '@/components/shared/list/list-definition'
import { ListDeploymentsQuery } from '@/lib/contracts/deployments/deployments'
import { deploymentList, FILTERS, isFiltered, listQueryOf, NO_FILTER, viewQueryOf } from './list-query'

const search = (text: string) => new URLSearchParams(text)
const of = (text: string) => listQueryOf(search(text))

test('every filter parameter of the API is available and is sent to it', () => {
  const given = {
    name_contains: 'harbour',
    name: 'harbour-master',
    status: 'SOME_NEW_STATUS',
    remote_reconciled: 'true',
    tag_value_ids: 'a,b',
    image_version: '0.4',
    deployment_type: 'prod',
    deployment_ids: 'c',
    agent_id: 'd',
    agent_environment: 'e',
  }
  const { limit: _, offset: __, ...shape } = ListDeploymentsQuery.shape
  expect(Object.keys(given).sort()).toEqual(Object.keys(shape).sort())
  const query = listQueryOf(new URLSearchParams(given))
  expect(query).toEqual({ ...given, limit: 20, offset: 0 })
  expect(ListDeploymentsQuery.safeParse(query).success).toBe(true)
})

test('values are trimmed, lists cleaned, and empty ones omitted', () => {
  expect(of('name_contains=%20harbour%20&deployment_type=&image_version=3&deployment_ids=a,%20,b,')).toEqual({
    name_contains: 'harbour',
    image_version: '3',
    deployment_ids: 'a,b',
    limit: 20,
    offset: 0,
  })
})

test.each([
  ['offset=40', 40],
  ['offset=-1', 0],
  ['offset=1.5', 0],
  ['offset=x', 0],
  ['offset=1e99', 0],
  ['', 0],
])('the offset for %s is %i', (text, offset) => expect(of(text).offset).toBe(offset))

test('a page has one of the offered sizes and a single anchor', () => {
  expect(of('limit=50').limit).toBe(50)
  for (const odd of ['limit=7', 'limit=1000', 'limit=', 'limit=x']) expect(of(odd).limit).toBe(20)
  expect(of('offset=20&after=a,b')).toMatchObject({ after: 'a,b' })
  expect(of('after=a&before=b')).not.toHaveProperty('before')
})

test.each(['deployment_type=huge', 'remote_reconciled=perhaps'])(
  '%s is invalid for the API and is omitted, so that the link still works',
  (text) => {
    expect(of(text)).toEqual({ limit: 20, offset: 0 })
    expect(chipsOf(FILTERS, search(text))).toEqual([])
  },
)

test('each filter is a labelled chip, except the search by name', () => {
  expect(chipsOf(FILTERS, search('name_contains=x&status=READY&remote_reconciled=false&tag_value_ids=a,b'))).toEqual([
    { name: 'status', label: 'Status', value: 'READY', text: 'READY' },
    { name: 'remote_reconciled', label: 'Rolled out by', value: 'false', text: 'the control plane' },
    { name: 'tag_value_ids', label: 'Tag values', value: 'a,b', text: 'a, b' },
  ])
})

test('each filter counts as one, and clearing removes all', () => {
  for (const { name, choices } of FILTERS)
    expect(isFiltered(new URLSearchParams({ [name]: choices?.[0]?.value ?? 'x' }))).toBe(true)
  expect(isFiltered(search('name_contains=x'))).toBe(true)
  expect(isFiltered(new URLSearchParams(NO_FILTER))).toBe(false)
  expect(isFiltered(search('offset=20&limit=50'))).toBe(false)
})

test('a view keeps filters and page size, but not the page, and restores them', () => {
  const query = viewQueryOf(search('offset=40&after=q&peek=z&limit=50&status=READY&name_contains=a%26b'))
  expect(query).toBe('name_contains=a%26b&status=READY&limit=50')
  expect(viewQueryOf(search('status=READY&limit=50&name_contains=a%26b'))).toBe(query)
  const change = viewChange(deploymentList, { id: 'id', query })
  expect(change).toMatchObject({ name_contains: 'a&b', status: 'READY', limit: '50', view: 'id', image_version: '' })
  expect(viewQueryOf(new URLSearchParams(change))).toBe(query)
})

test('favourites become ids, also where other ids are asked for, and none match nothing', () => {
  expect(listQueryOf(search('favourites=1&status=READY'), ['a', 'b'])).toMatchObject({
    status: 'READY',
    deployment_ids: 'a,b',
  })
  expect(listQueryOf(search('favourites=1&deployment_ids=b,c'), ['a', 'b']).deployment_ids).toBe('b')
  expect(listQueryOf(search('favourites=1'), []).deployment_ids).toMatch(/^[0-]+$/)
  expect(listQueryOf(search(''), ['a']).deployment_ids).toBeUndefined()
  expect([isFiltered(search('favourites=1')), viewQueryOf(search('favourites=1'))]).toEqual([true, 'favourites=1'])
})
