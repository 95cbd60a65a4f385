import { expect, test } from 'vitest'
import { readColumns, writeColumns } from './columns'

test('columns survive the URL', () => {
  const columns = [
    { key: '0', assistant: 'a,b:c', thread: 't/1' },
    { key: '1', assistant: 'plain', thread: undefined },
  ]
  expect(readColumns(writeColumns(columns))).toEqual(columns)
  expect(writeColumns(columns.slice(1))).toBe('plain')
})

test('a broken URL gives no more than four columns, and no error', () => {
  expect(readColumns('%E0%A4%A,,b:,c,d,e').map(({ assistant }) => assistant)).toEqual(['%E0%A4%A', 'b', 'c', 'd'])
  expect(readColumns('')).toEqual([])
})
