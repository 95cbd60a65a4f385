import { describe, expect, test } from 'vitest'
import type { LogEntry } from './log'
import { messageText } from './messages'
import { applyEntry, createRunView, messagesOf, valuesAt } from './run-view'

// The stack overflows at about ten thousand levels; reading a million shows that nothing recurses.
const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`
const DEEP = deep(50_000)
const DEEP_OBJECT = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
const event = (seq: number, name: string, data: string): LogEntry => ({
  seq,
  at: seq,
  kind: 'event',
  event: name,
  data,
})

describe('data nested deeper than the stack', () => {
  test.each([
    ['a message', 'messages', `[{"type":"ai","id":"m","content":[{"type":"x","value":${DEEP}}]},{}]`],
    [
      'arguments of a tool',
      'messages',
      `[{"type":"ai","id":"m","content":"","tool_calls":[{"name":"t","args":${DEEP}}]},{}]`,
    ],
    ['an update', 'updates', `{"node":${DEEP_OBJECT}}`],
    ['a question', 'updates', `{"__interrupt__":[{"id":"q","value":${DEEP}}]}`],
    ['a failed task', 'tasks', `{"id":"t","name":"n","error":{"cause":${DEEP}},"result":null,"interrupts":[]}`],
    ['a state', 'values', `{"messages":[{"type":"ai","content":[{"type":"x","value":${DEEP}}]}],"x":${DEEP}}`],
    ['an error', 'error', `{"error":"E","message":${DEEP}}`],
    ['metadata', 'metadata', DEEP],
    ['an unknown mode', 'whatever', DEEP],
    ['an update, a million levels', 'updates', `{"node":${deep(1_000_000)}}`],
  ])('in %s stops nothing', (_name, mode, data) => {
    const view = createRunView()
    applyEntry(view, event(1, mode, data))
    messagesOf(view)
    valuesAt(view, 1)
    applyEntry(view, {
      seq: 2,
      at: 2,
      kind: 'final',
      outcome: 'waiting',
      state: `{"values":${data},"interrupts":[{"id":"q","value":${DEEP}}]}`,
    })
    messagesOf(view)
    expect(view.phase).toBe('ended')
  })
})

test('a single token of a megabyte is one piece of text like any other', () => {
  const view = createRunView()
  const token = 'x'.repeat(1_048_576)
  const started = performance.now()
  for (let seq = 1; seq <= 20; seq++)
    applyEntry(view, event(seq, 'messages', JSON.stringify([{ type: 'AIMessageChunk', id: 'm', content: token }, {}])))
  const [message] = messagesOf(view)
  expect(message && messageText(message).length).toBe(20 * token.length)
  expect(performance.now() - started).toBeLessThan(3_000)
})
