import { expect, test } from 'vitest'
import type { AssistantChange } from '@/lib/contracts/agents/assistant-edit'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import { authorsOf } from './versions'

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

test('the author of a version sent the only write in progress at that time', () => {
  const changes = [
    change('a@x', '2026-11-21T10:00:00Z'),
    change('b@x', '2026-11-21T11:00:00Z'),
    change('c@x', '2026-11-21T11:00:01Z'),
    change('d@x', '2026-11-21T09:00:00Z', 'createAssistant'),
  ]
  const versions = [
    version(4, '2026-11-21T12:00:00Z'),
    version(3, '2026-11-21T11:00:00.500Z'),
    version(2, '2026-11-21T10:00:00.100Z'),
    version(1, '2026-11-21T09:00:00.100Z'),
  ]
  expect(Object.fromEntries(authorsOf(versions, changes))).toEqual({ 1: 'd@x', 2: 'a@x' })
})

test('a write counts for one version only, even if another was created shortly before', () => {
  const changes = [change('a@x', '2026-11-21T10:00:02Z')]
  const versions = [version(3, '2026-11-21T10:00:02.100Z'), version(2, '2026-11-21T10:00:01.900Z')]
  expect(Object.fromEntries(authorsOf(versions, changes))).toEqual({ 3: 'a@x' })
})

test('clock differences below three seconds are tolerated, and a version without a time has no author', () => {
  const changes = [change('a@x', '2026-11-21T10:00:00Z')]
  expect(authorsOf([version(2, '2026-11-21T10:00:02.900Z')], changes).get(2)).toBe('a@x')
  expect(authorsOf([version(2, '2026-11-21T10:00:03.500Z')], changes).get(2)).toBeUndefined()
  expect(authorsOf([version(2, 'never')], changes).get(2)).toBeUndefined()
})
