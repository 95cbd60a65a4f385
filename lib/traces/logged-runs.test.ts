import { expect, test } from 'vitest'
import { BLOCK_EXAMPLES } from './examples'
import { findRuns, inMessage, runFlaws } from './logged-runs'
import { readRun } from './read-run'

const message = { role: 'user', content: 'Hi' }
test.each<[string, unknown, number]>([
  ['a run', { inputs: { messages: [message] }, outputs: {} }, 1],
  ['a batch as SDKs send it', { post: [{ id: 'a', inputs: { messages: [message] } }], patch: [{ id: 'b' }] }, 2],
  ['a trace, or a page of runs', { runs: [{ id: 'a', inputs: { messages: [message] } }] }, 1],
  ['a list of runs', [{ run_type: 'llm', inputs: { messages: [message] } }], 1],
  ['a list of messages', [message, message], 1],
  ['one message', message, 1],
  ['the inputs of a run', { messages: [message] }, 1],
  ['the outputs of a run', { choices: [{ message }] }, 1],
  ['one block of a message', { type: 'text', text: 'Hi' }, 1],
  ['plain text', 'Hi', 1],
])('%s is recognized, with its message', (as, value, count) => {
  const found = findRuns(value)
  expect([found.as, found.runs.length]).toEqual([as, count])
  const { inputs, outputs } = readRun(found.runs[0]?.run ?? {})
  expect([...(inputs ?? []), ...(outputs ?? [])][0]?.blocks[0]).toMatchObject({ type: 'text', text: 'Hi' })
})

test.each(BLOCK_EXAMPLES.map((one) => [`${one.format} ${one.type} as ${one.reads}`, one] as const))(
  'the example %s is read the same inside a message',
  (_, { block, reads }) => {
    const { inputs, outputs } = readRun(inMessage(block))
    expect([...(inputs ?? []), ...(outputs ?? [])].flatMap(({ blocks }) => blocks.map(({ type }) => type))).toContain(
      reads,
    )
  },
)

test('unrecognized parts are reported by path', () => {
  const bad = { id: 'x', run_type: 'model', start_time: 'now', end_time: 5, dotted_order: 'a.b', events: {} }
  expect(runFlaws(bad).map(({ path }) => path)).toEqual(['run_type', 'start_time', 'dotted_order', 'events'])
  const late = { id: 'x', run_type: 'llm', start_time: 10, end_time: 5, dotted_order: '20260101T000000000000Zx' }
  expect(runFlaws(late)).toEqual([{ path: 'end_time', reason: 'It is before start_time' }])
  expect(runFlaws({ inputs: 1 })).toEqual([])
})
