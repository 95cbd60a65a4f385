import { expect, test } from 'vitest'
import { recorderHub } from '../recorder/shared-hub'
import { type Polled, watch } from './watch'

const base = { id: 'a', workspace: 'w' }
const deployment = { ...base, kind: 'deployment', deployment: 'd' } as const
const revision = { ...base, kind: 'revision', deployment: 'd', revision: 'r' } as const
const revisions = { ...base, kind: 'revisions', deployment: 'd' } as const
const deployments = { ...base, kind: 'deployments', query: {} } as const
const quiet = { status: 'READY', latest: null, active: null, failing: null }
const thread = { ...base, kind: 'thread', deployment: 'd', thread: 't' } as const
const recordings = { ...base, kind: 'recordings' } as const
const runs = { ...base, kind: 'runs', query: {} } as const
const inbox = { ...base, kind: 'inbox' } as const

test.each<[Polled, unknown, boolean]>([
  [deployment, { status: 'READY', latest_revision_id: 'r1', active_revision_id: 'r1' }, false],
  [deployment, { status: 'READY', latest_revision_id: 'r2', active_revision_id: 'r1' }, true],
  [deployment, { status: 'READY', latest_revision_id: 'r1' }, true],
  [deployment, { status: 'READY', latest_revision_id: null }, false],
  [deployment, { status: 'AWAITING_DELETE', latest_revision_id: 'r1', active_revision_id: 'r1' }, true],
  [revision, { status: 'BUILDING' }, true],
  [revision, { status: 'DEPLOYED' }, false],
  [revisions, { resources: [{ status: 'DEPLOYED' }, { status: 'QUEUED' }] }, true],
  [revisions, { resources: [{ status: 'DEPLOYED' }] }, false],
  [revisions, { resources: [] }, false],
  [deployments, { rows: [quiet] }, false],
  [deployments, { rows: [quiet, { status: 'AWAITING_DATABASE' }] }, true],
  [deployments, { rows: [{ ...quiet, failing: undefined }] }, true],
  [thread, { status: 'busy' }, true],
  [thread, { status: 'idle' }, false],
  [recordings, { items: [{ phase: 'ended' }, { phase: 'live' }] }, true],
  [recordings, { items: [{ phase: 'ended' }] }, false],
  [runs, { rows: [{ status: 'success' }], looked: null }, false],
  [runs, { rows: [{ status: 'success' }, { status: 'running' }], looked: null }, true],
  [runs, { rows: [], looked: { isPending: true } }, true],
  [runs, { rows: [], looked: { isPending: false } }, false],
  [inbox, { threads: [{}] }, false],
])('%j with the value %j is read often: %j', (wanted, value, isMoving) => {
  expect(watch(wanted, null).isMoving(value)).toBe(isMoving)
})

test('a message names who is asked', () => {
  expect([deployment, revision, revisions, deployments].map((one) => watch(one, null).upstream)).toEqual(
    Array(4).fill('control plane'),
  )
  expect(watch(thread, null).upstream).toBe('agent server')
  expect([recordings, runs, inbox].map((one) => watch(one, null).upstream)).toEqual(Array(3).fill('console'))
})

test('only the inbox, which asks many servers, may take longer, and only it has a short form', () => {
  const all = [deployment, revision, revisions, deployments, thread, recordings, runs, inbox]
  expect(all.flatMap((one) => watch(one, null).lateMs ?? [])).toEqual([15_000])
  expect(all.filter((one) => watch(one, null).brief).map(({ kind }) => kind)).toEqual(['inbox'])
})

test('what is recorded is read again at once when a recording changes', () => {
  for (const one of [recordings, runs]) {
    const hinted: string[] = []
    const forget = watch(one, null).onHint?.(() => hinted.push(one.kind))
    recorderHub().changed()
    forget?.()
    recorderHub().changed()
    expect(hinted).toEqual([one.kind])
  }
})

test('an invalid query of runs refuses the subscription', async () => {
  const { read } = watch({ ...runs, query: { limit: 'many' } }, null)
  await expect(read(new AbortController().signal)).rejects.toMatchObject({ code: 'invalid' })
})
