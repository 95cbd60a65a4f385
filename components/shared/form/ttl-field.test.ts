import { expect, test } from 'vitest'
import { readTtl } from './ttl-field'

test('minutes to live are a number above zero, or empty for no limit', () => {
  expect(readTtl(' ')).toEqual({})
  expect(readTtl('1.5')).toEqual({ ttl: 1.5 })
  for (const text of ['0', '-1', 'soon']) expect(readTtl(text)).toEqual({ problem: 'Enter a number above zero.' })
})
