import { expect, test } from 'vitest'
import { isLargeRun } from './use-run-view'

const messages = (count: number, length: number) => ({
  messages: Array.from({ length: count }, () => ({ role: 'user', content: 'x'.repeat(length) })),
})

test.each<[string, object, boolean]>([
  ['a short conversation', { inputs: messages(20, 500), outputs: {} }, false],
  ['one long text', { inputs: {}, outputs: { text: 'x'.repeat(100_000) } }, true],
  ['many messages', { inputs: messages(500, 200), outputs: {} }, true],
  ['many numbers', { inputs: {}, outputs: { data: Array.from({ length: 20_000 }, () => 0) } }, true],
  ['a run without content', {}, false],
])('%s', (_, run, isLarge) => expect(isLargeRun(run)).toBe(isLarge))
