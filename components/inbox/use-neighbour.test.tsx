import { renderHook } from '@testing-library/react'
import { expect, test } from 'vitest'
import { useNeighbour } from './use-neighbour'

test('the row to go to is that after the open one, also once the open one has gone', () => {
  const rowsOf = (ids: string) => [...ids].map((id) => ({ id }))
  const { result, rerender } = renderHook(({ ids, open }) => useNeighbour(rowsOf(ids), open), {
    initialProps: { ids: 'abc', open: 'b' },
  })
  expect(result.current()).toBe('c')
  rerender({ ids: 'ac', open: 'b' })
  expect(result.current()).toBe('c')
  rerender({ ids: 'ac', open: 'c' })
  expect(result.current()).toBe('a')
  rerender({ ids: 'ac', open: 'x' })
  expect(result.current()).toBeUndefined()
})
