import { expect, test } from 'vitest'
import { isFiltered, listQueryOf, NO_FILTER } from './list-query'

const of = (text: string) => listQueryOf(new URLSearchParams(text))

test('the filters of the URL reach the API, trimmed, and empty ones do not', () => {
  expect(of('name_contains=%20harbour%20&status=READY&deployment_type=&image_version=3')).toEqual({
    name_contains: 'harbour',
    status: 'READY',
    image_version: '3',
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
])('%s begins at %i', (text, offset) => expect(of(text).offset).toBe(offset))

test('a type that the API does not take is left out, so that no link is a dead end', () => {
  expect(of('deployment_type=huge')).not.toHaveProperty('deployment_type')
  expect(of('deployment_type=prod')).toMatchObject({ deployment_type: 'prod' })
})

test('each filter counts as one, and clearing them leaves none', () => {
  for (const name of Object.keys(NO_FILTER)) expect(isFiltered(new URLSearchParams({ [name]: 'x' }))).toBe(true)
  expect(isFiltered(new URLSearchParams(NO_FILTER))).toBe(false)
  expect(isFiltered(new URLSearchParams('offset=20'))).toBe(false)
})
