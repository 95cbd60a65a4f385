import { expect, test } from 'vitest'
import { checkpointOf, forkPointAt } from './checkpoint'
import { EntryLog } from './entry-log'
import type { LogEntry } from './log'

test.each([
  ['a thread state', { values: {}, checkpoint: { checkpoint_id: 'c', checkpoint_ns: '' } }, 'c'],
  ['a checkpoints event', { values: {}, config: { configurable: { checkpoint_id: 'c', thread_id: 't' } } }, 'c'],
  ['a debug event', { type: 'checkpoint', payload: { config: { configurable: { checkpoint_id: 'c' } } } }, 'c'],
  ['one of an inner graph', { checkpoint: { checkpoint_id: 'c', checkpoint_ns: 'sub:1' } }, undefined],
  ['a state without one', { values: {}, checkpoint: null }, undefined],
  ['anything else', 'text', undefined],
])('%s', (_name, value, id) => expect(checkpointOf(value)).toBe(id))

type Given = [event: string, data: unknown] | { state: unknown }

function logOf(...given: Given[]): EntryLog {
  const log = new EntryLog(1_000_000)
  for (const [index, one] of given.entries())
    log.push({
      ...(Array.isArray(one)
        ? { kind: 'event', event: one[0], data: JSON.stringify(one[1]) }
        : { kind: 'final', outcome: 'success', state: JSON.stringify(one.state) }),
      ...{ seq: index + 1, at: index },
    } as LogEntry)
  return log
}
const begin = (id: string, name: string) => ({ id, name, input: {}, triggers: [] })
const end = (id: string, name: string) => ({ id, name, result: {}, interrupts: [] })
const thread = (checkpoint_id: string) => ({ state: { values: {}, checkpoint: { checkpoint_id } } })

const log = logOf(
  ['metadata', { run_id: 'r' }],
  ['values', { n: 0 }],
  ['tasks', begin('t1', 'plan')],
  ['messages', [{}, {}]],
  ['tasks|plan:t1', begin('t9', 'inner')],
  ['tasks', end('t1', 'plan')],
  ['values', { n: 1 }],
  ['tasks', begin('t2', 'act')],
  ['values', { n: 2 }],
  thread('c3'),
)

test.each([
  ['the first state is that before the first step', 2, { seq: 2, task: 't1' }],
  ['the start of a step', 3, { seq: 3, task: 't1' }],
  ['within a step, its start is nearest', 4, { seq: 3, task: 't1' }],
  ['a step of a subgraph has none', 5, { seq: 3, task: 't1' }],
  ['a state between steps is that before the second', 7, { seq: 7, task: 't2' }],
  ['the last streamed state has none that the stream tells', 9, { seq: 8, task: 't2' }],
  ['the state that was read at the end', 10, { seq: 10, checkpoint: 'c3' }],
  ['beyond the end', 99, { seq: 10, checkpoint: 'c3' }],
] as const)('%s', (_, at, point) => {
  expect(forkPointAt(log, at)).toMatchObject(point)
})

test('there is none before the first state, nor further away than is looked', () => {
  expect(forkPointAt(log, 1)).toBeUndefined()
  expect(forkPointAt(log, 6, 2)).toBeUndefined()
  expect(forkPointAt(log, 6, 4)).toMatchObject({ seq: 3 })
})

test('of two states before a step, only the later one is its checkpoint', () => {
  const two = logOf(['values', { n: 0 }], ['values', { n: 1 }], ['tasks', begin('t1', 'plan')])
  expect(forkPointAt(two, 1)).toBeUndefined()
  expect(forkPointAt(two, 2)).toMatchObject({ seq: 2, task: 't1' })
})

test('checkpoint events tell their own, also of the state before them', () => {
  const told = logOf(
    ['values', { n: 0 }],
    ['checkpoints', { config: { configurable: { checkpoint_id: 'c1', checkpoint_ns: '' } } }],
    ['tasks', begin('t1', 'plan')],
    ['tasks', 'broken'],
  )
  expect(forkPointAt(told, 1)).toEqual({ seq: 1, checkpoint: 'c1' })
  expect(forkPointAt(told, 2)).toEqual({ seq: 2, checkpoint: 'c1' })
  expect(forkPointAt(told, 4)).toMatchObject({ seq: 3, task: 't1' })
})
