import { expect, test } from 'vitest'
import { MAX_SUBSCRIPTIONS } from '@/lib/contracts/wire/live'
import { LivePost } from './subscriptions'

const base = { id: 'a', workspace: 'w' }
const recording = { ...base, kind: 'recording', recording: 'r', cursor: 0 }
const logs = { ...base, kind: 'logs', deployment: 'd', type: 'build', cursor: 0 }
const parse = (...subscriptions: unknown[]) => LivePost.safeParse({ subscriptions })

test.each([
  recording,
  { ...recording, cursor: 7, epoch: 2 },
  { ...base, kind: 'recordings' },
  { ...base, kind: 'recordings', deployment: 'd' },
  { ...base, kind: 'runs', query: { a: 'x', b: 1, c: true } },
  { ...base, kind: 'deployments', query: {} },
  { ...base, kind: 'deployment', deployment: 'd' },
  { ...base, kind: 'revisions', deployment: 'd' },
  { ...base, kind: 'revisions', deployment: 'd', query: { limit: 5 } },
  { ...base, kind: 'revision', deployment: 'd', revision: 'r' },
  logs,
  {
    ...{ ...logs, revision: 'r', level: 'ERROR', query: 'x', epoch: 1 },
    ...{ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  },
  { ...base, kind: 'thread', deployment: 'd', thread: 't' },
  { ...base, kind: 'inbox' },
  { ...base, kind: 'inbox', isBrief: true },
  { ...recording, id: 'x'.repeat(300) },
])('%j is a subscription', (one) => {
  expect(parse(one).data).toEqual({ subscriptions: [one] })
})

test.each([
  { ...recording, kind: 'other' },
  { ...recording, extra: 1 },
  { ...recording, id: '' },
  { ...recording, id: 'x'.repeat(301) },
  { ...recording, cursor: -1 },
  { ...recording, cursor: 1.5 },
  { ...recording, epoch: -1 },
  { ...recording, recording: undefined },
  { ...base, kind: 'recordings', extra: 1 },
  { ...base, kind: 'runs' },
  { ...base, kind: 'runs', query: { a: [] } },
  { ...base, kind: 'runs', query: {}, extra: 1 },
  { ...base, kind: 'deployments', query: 'x' },
  { ...base, kind: 'deployments', query: {}, extra: 1 },
  { ...base, kind: 'deployment' },
  { ...base, kind: 'deployment', deployment: 'd', extra: 1 },
  { ...base, kind: 'revisions', deployment: 'd', extra: 1 },
  { ...base, kind: 'revision', deployment: 'd' },
  { ...base, kind: 'revision', deployment: 'd', revision: 'r', extra: 1 },
  { ...logs, type: 'other' },
  { ...logs, level: 'LOUD' },
  { ...logs, from: 'yesterday' },
  { ...logs, query: '' },
  { ...logs, query: 'x'.repeat(301) },
  { ...logs, cursor: undefined },
  { ...logs, cursor: -1 },
  { ...logs, epoch: -1 },
  { ...logs, extra: 1 },
  { ...base, kind: 'thread', deployment: 'd' },
  { ...base, kind: 'thread', deployment: 'd', thread: 't', extra: 1 },
  { ...base, kind: 'inbox', isBrief: 'yes' },
  { ...base, kind: 'inbox', extra: 1 },
])('%j is none', (one) => {
  expect(parse(one).success).toBe(false)
})

test('a post has between one and the most subscriptions, each with its own id', () => {
  const some = (count: number) => Array.from({ length: count }, (_, index) => ({ ...recording, id: `${index}` }))
  expect(parse().success).toBe(false)
  expect(parse(...some(MAX_SUBSCRIPTIONS)).success).toBe(true)
  expect(parse(...some(MAX_SUBSCRIPTIONS + 1)).success).toBe(false)
  const { error } = parse(recording, { ...base, kind: 'inbox' })
  expect(error?.issues.map(({ message }) => message)).toEqual(['Each subscription needs its own id.'])
  expect(LivePost.safeParse({ subscriptions: [recording], extra: 1 }).success).toBe(false)
})
