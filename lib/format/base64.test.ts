import { expect, test } from 'vitest'
import { base64Bytes, base64Flaw, base64Size } from './base64'

test.each([
  ['QUJD', 'ABC'],
  ['QUI=', 'AB'],
  ['QUI', 'AB'],
  ['QU\r\nJD ', 'ABC'],
  ['_-8=', '\xff\xef'],
])('%j is accepted', (text, bytes) => {
  expect(base64Flaw(text)).toBeUndefined()
  expect(String.fromCharCode(...(base64Bytes(text) ?? []))).toBe(bytes)
  expect(base64Size(text)).toBe(bytes.length)
})

test.each([
  ['<svg/>', /not base64/],
  ['QUJD=QUJD', /after its end/],
  ['QUJD====', /after its end/],
  ['QUJDQ', /truncated/],
  ['QUJD=', /truncated/],
  ['====', /empty/],
  [' \n', /empty/],
])('%j is refused with a reason', (text, reason) => {
  expect(base64Flaw(text)).toMatch(reason)
  expect(base64Bytes(text)).toBeUndefined()
})

test('twenty megabytes are checked in one pass', () => {
  expect(base64Flaw('A'.repeat(20_000_001))).toMatch(/truncated/)
  expect(base64Flaw(`${'A'.repeat(20_000_000)}!`)).toMatch(/not base64/)
})
