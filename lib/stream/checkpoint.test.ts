import { expect, test } from 'vitest'
import { checkpointOf } from './checkpoint'

test.each([
  ['a thread state', { values: {}, checkpoint: { checkpoint_id: 'c', checkpoint_ns: '' } }, 'c'],
  ['a checkpoints event', { values: {}, config: { configurable: { checkpoint_id: 'c', thread_id: 't' } } }, 'c'],
  ['a debug event', { type: 'checkpoint', payload: { config: { configurable: { checkpoint_id: 'c' } } } }, 'c'],
  ['one of an inner graph', { checkpoint: { checkpoint_id: 'c', checkpoint_ns: 'sub:1' } }, undefined],
  ['a state without one', { values: {}, checkpoint: null }, undefined],
  ['anything else', 'text', undefined],
])('%s', (_name, value, id) => expect(checkpointOf(value)).toBe(id))
