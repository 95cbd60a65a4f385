import { expect, test } from 'vitest'
import { StartError } from '../compute'
import { refusalOf } from './api-errors'

test.each([
  [400, true],
  [401, true],
  [404, true],
  [405, true],
  [413, true],
  [422, true],
  [408, false],
  [409, false],
  [429, false],
  [500, false],
  [503, false],
])('an answer %s is final: %s', (code, isFinal) => {
  const error = refusalOf({ code, body: { message: 'no' } }, 'Secret a', 'east')
  expect(error instanceof StartError).toBe(isFinal)
  expect(error.message).toMatch(/\bno\b|credentials/)
})

test('no answer at all is not final', () => {
  const error = new Error('connect ECONNREFUSED')
  expect(refusalOf(error, 'Secret a', 'east')).toBe(error)
})
