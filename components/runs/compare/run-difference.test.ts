import { expect, test } from 'vitest'
import type { RecordingSummary } from '@/lib/stream/log'
import { applyEntry, createRunView } from '@/lib/stream/run-view'
import { runDifference } from './run-difference'

const earlier = { type: 'human', id: 'h1', content: 'Hello' }
const reply = { type: 'ai', id: 'a1', content: 'Hi there' }

const summary = { id: 'one', request: '{}', startedAt: '2026-01-01T00:00:00Z' } as RecordingSummary

/** A run's view: its stream's events, then a final state with an earlier message of the thread. */
function viewOf(...events: [event: string, data: unknown][]) {
  const view = createRunView()
  const entries = events.map(([event, data]) => ({ kind: 'event', event, id: '', data: JSON.stringify(data) }) as const)
  entries.forEach((entry, index) => {
    applyEntry(view, { ...entry, seq: index + 1, at: 1_000 + index })
  })
  const state = JSON.stringify({ values: { messages: [earlier, reply] }, next: [] })
  applyEntry(view, { kind: 'final', seq: entries.length + 1, at: 2_000, outcome: 'success', state })
  return { view, summary }
}

test('counts the messages that a run wrote, not those that its thread had before', () => {
  const streamed = viewOf(['messages/complete', [reply]])
  const fromState = viewOf(['custom', 1])
  expect(runDifference(streamed, fromState).find(({ name }) => name === 'Messages written')).toMatchObject({
    a: '1',
    b: '–',
  })
})

test('tokens of which nothing was recorded are unknown, not zero', () => {
  const usage = { input_tokens: 5, output_tokens: 0, total_tokens: 5 }
  const told = viewOf(['messages/complete', [{ ...reply, usage_metadata: usage }]])
  const rows = runDifference(told, viewOf(['custom', 1])).filter(({ name }) => name.startsWith('Tokens'))
  expect(rows.map(({ a, b }) => [a, b])).toEqual([
    ['≈ 5', '–'],
    ['≈ 0', '–'],
  ])
})

test('a trace decides what the models took, and the list of runs whether a question is still open', () => {
  const usage = { input_tokens: 5, output_tokens: 0, total_tokens: 5 }
  const run = viewOf(['messages/complete', [{ ...reply, usage_metadata: usage }]])
  const traced = { trace: 'ended', firstTokenMs: 86, tokens: 12, tokensIn: 9, tokensOut: 3 } as const
  const rows = runDifference({ ...run, traced }, { ...run, summary: { ...summary, outcome: 'continued' } })
  const shown = Object.fromEntries(rows.map(({ name, a, b }) => [name, [a, b]]))
  expect(shown).toMatchObject({
    ...{ 'First token': ['86 ms', '–'], 'Tokens in': ['9', '≈ 5'], 'Tokens out': ['3', '≈ 0'] },
    Status: ['Finished', 'Continued'],
  })
})

test('a recording that is being read tells neither that its run goes on nor that it did nothing', () => {
  const ended = { ...summary, phase: 'ended', outcome: 'success', endedAt: '2026-01-01T00:00:02Z' } as RecordingSummary
  const unread = { view: createRunView(), summary: ended, isLoading: true }
  const rows = runDifference(unread, viewOf(['custom', 1]))
  const shown = Object.fromEntries(rows.map(({ name, a, isDifferent }) => [name, [a, isDifferent]]))
  expect(shown).toMatchObject({
    ...{ Status: ['Finished', false], Duration: ['2.0 s', expect.anything()] },
    ...{ Events: ['…', false], 'Tool calls': ['…', false], 'Messages written': ['…', false] },
  })
})
