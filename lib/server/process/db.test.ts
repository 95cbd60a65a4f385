import { expect, test } from 'vitest'
import { LOCKS } from './db'

test('no two advisory locks share a number', () => {
  const numbers = Object.values(LOCKS)
  expect(new Set(numbers).size).toBe(numbers.length)
})
