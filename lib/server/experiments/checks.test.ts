import { expect, test } from 'vitest'
import type { Check, PairResult } from '@/lib/stream/experiments'
import { evaluate, refuseBadChecks } from './checks'

const result: PairResult = {
  ...{ run: 'r', outcome: 'success', error: null, output: 'The answer is 42.', latencyMs: 1_200, firstTokenMs: 300 },
  values: '{"messages":[{"content":"Hi"},{"content":"42","tags":{"b":1,"a":2}}],"count":3,"a b":12345678901234567890}',
  ...{ tokensIn: 1, tokensOut: 2, cost: null, isEstimated: false },
}
const equals = (path: string, value: string): Check => ({ kind: 'equals', path, value })

test.each<[Check, boolean, string]>([
  [{ kind: 'contains', text: 'ANSWER' }, true, 'Contains'],
  [{ kind: 'contains', text: 'question' }, false, 'Does not contain'],
  [{ kind: 'regex', pattern: 'is \\d+\\.$' }, true, 'Matches'],
  [{ kind: 'regex', pattern: '^answer' }, false, 'Does not match'],
  [{ kind: 'latency', ms: 1_200 }, true, 'Took 1.2 s'],
  [{ kind: 'latency', ms: 1_199 }, false, 'more than'],
  [equals('count', '3'), true, 'count is 3'],
  [equals('$.messages[-1].content', '"42"'), true, 'is "42"'],
  [equals('messages[0].content', '"42"'), false, 'is "Hi"'],
  [equals('messages[1].tags', '{"a":2,"b":1}'), true, 'is'],
  [equals('["a b"]', '12345678901234567890'), true, 'is'],
  [equals('["a b"]', '12345678901234567891'), false, 'is 12345678901234567890'],
  [equals('messages[9].content', '"42"'), false, 'does not exist'],
  [equals('toString', 'null'), false, 'does not exist'],
])('%j: %s', (check, isPassed, reason) => {
  expect(evaluate(check, result)).toEqual({ isPassed, reason: expect.stringContaining(reason) })
})

test('what is unknown does not pass', () => {
  const unknown = { ...result, values: null, latencyMs: null }
  expect(evaluate(equals('count', '3'), unknown).isPassed).toBe(false)
  expect(evaluate({ kind: 'latency', ms: 9_999_999 }, unknown).isPassed).toBe(false)
})

test('a pattern that stalls other engines takes no time', () => {
  const began = performance.now()
  const output = `${'a'.repeat(50_000)}!`
  expect(evaluate({ kind: 'regex', pattern: '^(a+)+$' }, { ...result, output }).isPassed).toBe(false)
  expect(performance.now() - began).toBeLessThan(2_000)
})

test.each<[Check, string]>([
  [{ kind: 'regex', pattern: '(' }, 'not a regex'],
  [{ kind: 'regex', pattern: '(?=a)b' }, 'look-around'],
  [{ kind: 'regex', pattern: 'a'.repeat(501) }, 'at most 500'],
  [equals('a..b[', '1'), 'not a path'],
  [equals('a', 'text'), 'double quotes'],
])('%j is refused', (check, message) => {
  expect(() => refuseBadChecks([{ kind: 'latency', ms: 1 }, check])).toThrow(message)
})
