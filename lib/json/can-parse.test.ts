import { expect, test } from 'vitest'
import { canParse } from './can-parse'

const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}0${'}]'.repeat(levels / 2)}`

test.each([
  ['{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"a","A":"\\"a"}', true],
  [nested(512), true],
  [nested(514), false],
  ['{"a":1,"b":{"c":[],"c":2}}', false],
  ['{"a":1,"\\u0061":2}', false],
  ['{"x":["a","a",{}],"__proto__":1}', true],
])('%s can be parsed without loss: %s', (text, can) => {
  expect(canParse(text)).toBe(can)
})
