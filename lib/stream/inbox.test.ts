import { expect, test } from 'vitest'
import { parseJson } from '@/lib/json/lossless'
import { askLine } from './inbox'

test.each([
  ['Go   on?\n', 'Go on?'],
  [{ question: 'Send it?', draft: 'long' }, 'Send it?'],
  [{ action_requests: [{ name: 'send', args: {} }, { name: 'delete' }] }, 'send, delete'],
  [{ action_request: { action: 'mail', args: {} }, config: { allow_accept: true } }, 'mail'],
  [parseJson('[1, {"serial": 12345678901234567890}]'), '[1,{"serial":12345678901234567890}]'],
  [null, 'null'],
  [undefined, 'null'],
  [{ __proto__: null, question: { nested: true } }, '{"question":{"nested":true}}'],
])('a question of any shape is summarized in a line: %j', (value, line) => {
  expect(askLine(value)).toBe(line)
})

test('a long one is truncated', () => {
  expect(askLine('word '.repeat(1_000))).toHaveLength(160)
  expect(askLine({ huge: 'x'.repeat(1_000_000) })).toHaveLength(160)
})
