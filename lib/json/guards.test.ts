import vm from 'node:vm'
import { LosslessNumber } from 'lossless-json'
import { expect, test } from 'vitest'
import { isContainer, isRecord, isUuid } from './guards'

test.each([{}, { a: 1 }, Object.create(null), vm.runInNewContext('({ a: 1 })')])('%j is a record', (value) => {
  expect(isRecord(value)).toBe(true)
  expect(isContainer(value)).toBe(true)
})

test.each([null, undefined, 'text', 1, true, [], new LosslessNumber('1'), new Date(0), new Map()])(
  '%j is not a record',
  (value) => {
    expect(isRecord(value)).toBe(false)
    expect(isContainer(value)).toBe(Array.isArray(value))
  },
)

test('a UUID has 32 digits in five groups, in either case', () => {
  expect(isUuid('0198c2f4-5a6b-7c8d-9e0f-1a2b3c4d5e6f')).toBe(true)
  expect(isUuid('0198C2F4-5A6B-7C8D-9E0F-1A2B3C4D5E6F')).toBe(true)
  for (const text of [
    '',
    '0198c2f45a6b7c8d9e0f1a2b3c4d5e6f',
    ' 0198c2f4-5a6b-7c8d-9e0f-1a2b3c4d5e6f',
    `${'a'.repeat(36)}`,
  ])
    expect(isUuid(text)).toBe(false)
})
