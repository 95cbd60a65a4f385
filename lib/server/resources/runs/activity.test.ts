import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { deploymentRecord } from '@/e2e/support/sample-inputs'
import { type Reply, type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import type { Actor } from '../../access/actor'
import { insertWorkspace, NewWorkspace } from '../../access/workspace-settings'
import { withAudit } from '../../audit/trail'
import { db } from '../../process/db'
import { recordings } from '../../recorder/schema'
import { type TestConsole, testActor, testConsole } from '../../testing'
import { readActivity } from './activity'

const HOUR = 3_600_000
const RECORDS = ['a', 'b', 'c'].map((id) => ({ ...deploymentRecord(null), id, name: `agent-${id}` }))
let home: TestConsole
let stub: StubUpstream
let viewer: Actor
let stats: () => Reply

beforeAll(async () => {
  stub = await startStubUpstream(({ path }) => {
    if (path.startsWith('/v2/deployments')) return { body: { resources: RECORDS, offset: 3 } }
    if (path.includes('/sessions')) return { body: [{ id: 'p', name: 'agent-a' }] }
    if (path.includes('/runs/query')) return { body: { runs: [{ id: 'r', start_time: '2026-01-01T00:00:00Z' }] } }
    return stats()
  })
  home = await testConsole()
  await insertWorkspace(
    NewWorkspace.parse({
      ...{ kind: 'control-plane', slug: 'hosted', name: 'Hosted', dialect: 'auto', allowedOrigins: [] },
      ...{ baseUrl: stub.url, keys: { apiKey: 'key' }, traces: { url: `${stub.url}/api/v1`, apiKey: 'reads' } },
    }),
  )
  viewer = await testActor({ hosted: 'viewer' })
})
afterAll(async () => {
  await home.close()
  await stub.stop()
})

const read = (ids = 'a,b,c', actor = viewer) => readActivity('hosted', { ids }, { actor })
const record = async (deployment: string, hoursAgo: number, seconds: number, outcome: 'success' | 'error') => {
  const startedAt = new Date(Date.now() - hoursAgo * HOUR)
  await (await db()).insert(recordings).values({
    ...{ id: crypto.randomUUID(), workspace: 'hosted', deployment, assistant: 'agent', phase: 'ended', outcome },
    ...{ startedBy: 'ada', startedAt, endedAt: new Date(startedAt.getTime() + seconds * 1000) },
    ...{ request: '{}', isStateless: false, isResumable: false },
  })
}

test('runs are unknown, not zero, while traces fail and where nothing is recorded', async () => {
  await record('a', 1, 2, 'success')
  stats = () => ({ status: 500, body: { detail: 'no' } })
  const { a, b } = await read()
  expect(a).toMatchObject({ runs: null, problem: expect.stringContaining('500') })
  expect(b).toEqual({ runs: null, problem: null, lastRun: null, change: null })
})

test('traces are read once for all viewers, and recordings where there are none', async () => {
  const hour = Math.floor(Date.now() / HOUR) * HOUR
  const bucket = (at: number, run_count: number, error_count: number) => ({
    ...{ start_time: new Date(at).toISOString(), run_count, error_count },
  })
  const of = { run_count: 5, error_count: 2, latency_p95: 1.5 }
  stats = () => ({ body: { ...of, buckets: [bucket(hour - 23 * HOUR, 1, 0), bucket(hour, 4, 2)] } })
  for (const [hoursAgo, outcome] of [
    [0, 'error'],
    [2, 'success'],
    [30, 'success'],
  ] as const)
    await record('b', hoursAgo, 4, outcome)
  await record('c', 40, 1, 'success')
  const { a, b, c } = await read()
  const asked = stub.seen.filter(({ path }) => path.includes('/runs/stats')).length
  expect(a).toMatchObject({
    runs: { source: 'traces', runs: 5, failed: 2, p95: 1.5 },
    lastRun: { at: '2026-01-01T00:00:00.000Z', source: 'traces' },
  })
  expect(a?.runs?.hours?.[1]).toEqual({ runs: 1, failed: 0 })
  expect(a?.runs?.hours?.at(-1)).toEqual({ runs: 4, failed: 2 })
  expect(b?.runs).toMatchObject({ source: 'recordings', runs: 2, failed: 1, p95: 4 })
  expect(b?.runs?.hours?.filter(({ runs }) => runs > 0)).toHaveLength(2)
  expect(c).toMatchObject({ runs: { source: 'recordings', runs: 0, p95: null }, lastRun: { source: 'recordings' } })
  await read()
  expect(stub.seen.filter(({ path }) => path.includes('/runs/stats'))).toHaveLength(asked)
})

test('the figures of a single deployment are read again after two seconds, as its charts show newer ones', async () => {
  stats = () => ({ body: { run_count: 6, error_count: 0, latency_p95: 1 } })
  const at = Date.now()
  const clock = vi.spyOn(Date, 'now')
  const runsIn = async (ms: number, ids: string) => {
    clock.mockReturnValue(at + ms)
    return (await read(ids)).a?.runs?.runs
  }
  expect(await runsIn(0, 'a')).toBe(5)
  expect(await runsIn(2_100, 'a')).toBe(6)
  stats = () => ({ body: { run_count: 7, error_count: 0, latency_p95: 1 } })
  expect(await runsIn(10_000, 'a,b')).toBe(6)
  clock.mockRestore()
})

test('the last change names who made it', async () => {
  const admin = await testActor({ hosted: 'admin' })
  for (const fields of [['secrets'], ['name']])
    await withAudit(
      {
        ...{ actor: admin, role: 'admin', workspace: 'hosted', operation: 'control-plane.updateDeployment', fields },
        ...{ params: { deployment_id: 'a' }, requestId: 'r' },
      },
      async () => ({ value: null }),
    )
  const { a, b } = await read()
  expect(a?.change).toMatchObject({ actor: admin.email, did: 'changed this deployment' })
  expect(b?.change).toBeNull()
})

test('needs a role and at most a page of ids', async () => {
  await expect(read('a', await testActor({ other: 'admin' }))).rejects.toMatchObject({ code: 'not_found' })
  await expect(read(Array.from({ length: 51 }, (_, n) => n).join())).rejects.toMatchObject({ code: 'invalid' })
})
