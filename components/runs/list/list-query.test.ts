import { expect, test } from 'vitest'
import { histogramQueryOf, runRowsQueryOf } from './list-query'

const asked = (query: string) => runRowsQueryOf(new URLSearchParams(query), 'd')

test('a page has as many rows as were chosen, of those that can be', () => {
  expect(asked('').limit).toBe(25)
  expect(asked('limit=100').limit).toBe(100)
  for (const limit of ['7', '1000', 'x']) expect(asked(`limit=${limit}`).limit).toBe(25)
})

test('the last cursor of those in the URL is where the page begins', () => {
  expect(asked('').after).toBeUndefined()
  expect(asked('after=3_a').after).toBe('3_a')
  expect(asked('after=3_a,2_b|2_c').after).toBe('2_b|2_c')
  expect(histogramQueryOf(asked('after=3_a&limit=50&status=failed'), 60)).toEqual({
    ...{ deployment: 'd', status: 'failed', zone: 60 },
  })
})
