import { expect, test } from 'vitest'
import { hiddenPlaces, looksMasked } from './secret-masks'

test.each([
  '***',
  '********',
  '••••••',
  '●●●',
  'sk-****1234',
  '<redacted>',
  '[REDACTED]',
  '(hidden)',
  '{{ secret value }}',
  'xxxxxxxx',
  'sk-...abcd',
  '…',
  'hidden',
  '__MASKED__',
  '*** ***',
])('%s counts as a mask', (text) => expect(looksMasked(text)).toBe(true))

test.each([
  '',
  'true',
  '0',
  'x',
  'xxx',
  'postgres://u:p@h/db',
  '*/5 * * * *',
  'a**b',
  '-----BEGIN KEY-----',
  'secrets/of/mine',
  'my secret',
  '<html>',
  'a...b c',
  '{"a":[1]}',
  'sk-proj-4711',
])('%j counts as a value', (text) => expect(looksMasked(text)).toBe(false))

const hidden = (...values: (string | null)[]) => [...hiddenPlaces(values.map((value) => ({ value })))]

test('the same text in most of the list is a mask, whatever it looks like; plain settings are not', () => {
  expect(hidden('same', 'same', 'same', 'other')).toEqual([0, 1, 2])
  expect(hidden('same', 'same', 'a', 'b')).toEqual([])
  expect(hidden('true', 'true', 'true', 'true')).toEqual([])
  expect(hidden('', '')).toEqual([0, 1])
  expect(hidden('', '', 'a')).toEqual([])
  expect(hidden(null, 'a')).toEqual([0])
  expect([...hiddenPlaces([{ value: 'a' }, { value: 'b' }], (value) => value === 'b')]).toEqual([1])
})

test('a text counts as shared by most only if it is by more than half', () => {
  expect(hidden('same', 'same', 'same', 'a', 'b', 'c')).toEqual([])
  expect(hidden('same', 'same', 'same', 'a', 'b')).toEqual([0, 1, 2])
  expect(hidden('')).toEqual([])
})

test('values that the server does not send are not a text that most share', () => {
  expect(hidden(null, null, null, 'a')).toEqual([0, 1, 2])
})

test.each([
  ['xxxx', true],
  ['XXXX', true],
  ['xxxX', false],
  ['axxxx', false],
  ['xxxxa', false],
  ['X', false],
  ['a…', true],
  ['…a b', false],
  ['sk-....1', true],
])('%j counts as a mask: %j', (text, is) => expect(looksMasked(text)).toBe(is))

test.each(['true', 'Off', 'none', '1', '123456'])('many secrets may be %s', (text) =>
  expect(hidden(text, text, text)).toEqual([]),
)
test.each(['truely', 'not true', 'a', '1234567', 'a1'])('many secrets that are %s are masked', (text) =>
  expect(hidden(text, text, text)).toEqual([0, 1, 2]),
)
