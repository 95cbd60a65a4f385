import { afterAll, beforeAll, expect, test } from 'vitest'
import { deploymentRecord, SAMPLE_ID } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import type { Actor } from '../../access/actor'
import { insertWorkspace, NewWorkspace } from '../../access/workspace-settings'
import { until } from '../../recorder/testing'
import { type TestConsole, testActor, testConsole } from '../../testing'
import { readRunRows } from './list'

// A server that does not say what its runs were sent, beside a tracing server that has logged them.
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const timesOf = (n: number) => [`2026-11-24T10:00:0${n}Z`, `2026-11-24T10:00:0${n}.500Z`] as const
const QUESTION = 'GraphInterrupt: [{"value":"Send it?"}]'
/** Of one thread, with the error that the trace has and the status that the server has. */
const RUNS = [
  { error: QUESTION, status: 'interrupted' },
  { error: 'AbortError: stopped', status: 'interrupted' },
  { error: QUESTION, status: 'error' },
  { error: null, status: 'success' },
].map((one, n) => ({ ...one, run_id: idOf(n), thread_id: idOf(900), started: timesOf(n)[0], ended: timesOf(n)[1] }))

let home: TestConsole
let stub: StubUpstream
let actor: Actor
beforeAll(async () => {
  const traced = RUNS.map(({ run_id, thread_id, error, started, ended }) => ({
    ...{ id: run_id, session_id: idOf(700), start_time: started, end_time: ended, error },
    extra: { metadata: { thread_id, graph_id: 'agent' } },
  }))
  const served = RUNS.map(({ run_id, thread_id, status, started, ended }) => ({
    ...{ run_id, thread_id, status, assistant_id: idOf(800), created_at: started, updated_at: ended },
    ...{ metadata: {}, multitask_strategy: 'reject' },
  }))
  const thread = {
    ...{ thread_id: idOf(900), status: 'idle', created_at: timesOf(0)[0], updated_at: timesOf(3)[1] },
    ...{ metadata: { graph_id: 'agent' }, interrupts: {} },
  }
  stub = await startStubUpstream(({ path, body }) => {
    if (path.includes('/threads/search'))
      return { body: (JSON.parse(body) as { status?: string }).status ? [] : [thread] }
    if (path.includes('/runs/query')) return { body: { runs: traced.toReversed(), cursors: { next: null } } }
    const run = served.find(({ run_id }) => path.includes(`/runs/${run_id}`))
    if (run) return { body: run }
    if (path.includes('/runs')) return { body: served.toReversed() }
    const record = { ...deploymentRecord(stub.url), active_revision_id: SAMPLE_ID, tracing_project_id: idOf(700) }
    return path.includes('/deployments/') ? { body: record } : { status: 404, body: {} }
  })
  home = await testConsole()
  await insertWorkspace(
    NewWorkspace.parse({
      ...{ kind: 'control-plane', slug: 'asked', name: 'Asked', dialect: 'auto', allowedOrigins: [] },
      ...{ baseUrl: stub.url, keys: { apiKey: 'key' }, traces: { url: `${stub.url}/api/v1`, apiKey: 'reads' } },
    }),
  )
  actor = await testActor({ asked: 'viewer' })
})
afterAll(async () => {
  await home.close()
  await stub.stop()
})

test('a trace tells that a run asked and has continued only where its server calls it interrupted', async () => {
  const page = await until(async () => {
    const found = await readRunRows('asked', { deployment: SAMPLE_ID }, actor)
    return found.rows.length === RUNS.length && found.looked?.problems.length === 0 && found
  })
  expect(page.looked).toMatchObject({ threads: 1, traced: { deployments: 1 } })
  const statuses = new Map(page.rows.map(({ run, status }) => [run, status]))
  expect(RUNS.map(({ run_id }) => statuses.get(run_id))).toEqual(['continued', 'interrupted', 'error', 'success'])
})
