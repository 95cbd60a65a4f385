import { expect, test } from 'vitest'
import type { HistoryRow } from '@/lib/contracts/agents/thread-edit'
import { checkpointName } from './checkpoint-name'

const row = { id: '1f0c9a4e-0000-6000', step: 3, source: 'loop', by: ['agent', 'tools'] } as HistoryRow
const at = new Date(2026, 10, 24, 9, 5, 7).toISOString()

test('a checkpoint is called by its step, what wrote it and when', () => {
  expect(checkpointName({ ...row, at })).toBe('step 3, loop by agent, tools, 09:05:07')
  expect(checkpointName({ ...row, by: [], at })).toBe('step 3, loop, 09:05:07')
  expect(checkpointName({ ...row, step: null, source: null, by: [], at: null })).toBe('step ?, unknown, 1f0c9a4e')
})
