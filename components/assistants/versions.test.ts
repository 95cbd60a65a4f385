import { expect, test } from 'vitest'
import type { AssistantChange } from '@/lib/contracts/assistant-edit'
import type { Assistant } from '@/lib/contracts/assistants'
import { authorOf } from './versions'

const version = (number: number, at: string): Assistant => ({
  assistant_id: 'a',
  graph_id: 'g',
  config: {},
  context: {},
  metadata: {},
  version: number,
  created_at: at,
})
const change = (who: string, at: string, operation: AssistantChange['operation'] = 'updateAssistant') => ({
  seq: 1,
  at,
  until: new Date(Date.parse(at) + 200).toISOString(),
  who,
  operation,
})

test('a version is by whoever sent the write that was under way then; of two it is by nobody', () => {
  const changes = [
    change('a@x', '2026-11-21T10:00:00Z'),
    change('b@x', '2026-11-21T11:00:00Z'),
    change('c@x', '2026-11-21T11:00:01Z'),
    change('d@x', '2026-11-21T09:00:00Z', 'createAssistant'),
  ]
  expect(authorOf(version(2, '2026-11-21T10:00:00.100Z'), changes)).toBe('a@x')
  expect(authorOf(version(3, '2026-11-21T11:00:00.500Z'), changes)).toBeUndefined()
  expect(authorOf(version(1, '2026-11-21T09:00:00.100Z'), changes)).toBe('d@x')
  expect(authorOf(version(4, '2026-11-21T12:00:00Z'), changes)).toBeUndefined()
})
