import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { insertWorkspace, NewWorkspace } from '../../access/workspace-settings'
import { type TestConsole, testConsole } from '../../testing'
import { tracedRuns } from './traced'

const PROJECTS = 230
const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const BASE = {
  ...{ session_id: idOf(7), start_time: '2026-11-24T00:00:00Z', end_time: '2026-11-24T00:00:02Z' },
  extra: { metadata: { thread_id: idOf(9_001), graph_id: 'agent' } },
}
const TOLD = [
  {
    ...{
      id: idOf(1),
      inputs_preview: 'Charge\n order 7',
      outputs_preview: 'Not charged',
      error: 'Error: declined\n    at charge',
      total_tokens: 445,
    },
    ...{ first_token_time: '2026-11-24T00:00:00.250Z', total_cost: '0.0123' },
  },
  { id: idOf(2), error: 'AbortError: stopped' },
  {
    ...{ id: idOf(3), error: 'GraphInterrupt: [{"value":"Send it?"}]' },
    extra: { metadata: { thread_id: idOf(9_005), graph_id: 'agent' } },
  },
  { id: idOf(4), end_time: null, total_tokens: 5 },
  { id: idOf(5), end_time: null, last_time: new Date().toISOString() },
]
/** Newest first, as tracing servers list them. */
const ASKED = [
  { id: idOf(11), outputs_preview: 'Sent', extra: { metadata: { thread_id: idOf(9_002), graph_id: 'agent' } } },
  ...[idOf(9_002), idOf(9_003)].map((thread_id, index) => ({
    ...{ id: idOf(12 + index), error: 'GraphInterrupt: [{"value":"Send it?"}]' },
    extra: { metadata: { thread_id, graph_id: 'agent' } },
  })),
  {
    ...{ id: idOf(14), error: 'GraphInterrupt: [{"value":"Send it?"}]' },
    extra: { metadata: { thread_id: idOf(9_004), graph_id: 'agent', is_stateless: true } },
  },
]
let home: TestConsole
let stub: StubUpstream
beforeAll(async () => {
  stub = await startStubUpstream(({ path, body }) => {
    const { pathname, searchParams } = new URL(path, 'http://stub')
    if (pathname.endsWith('/sessions')) {
      const offset = Number(searchParams.get('offset') ?? 0)
      const size = Math.min(Number(searchParams.get('limit') ?? PROJECTS), PROJECTS - offset)
      return { body: Array.from({ length: size }, (_, n) => ({ id: idOf(offset + n), name: `agent-${offset + n}` })) }
    }
    const { session } = JSON.parse(body) as { session: string[] }
    if (session[0] === idOf(7))
      return { body: { runs: TOLD.map((one) => ({ ...BASE, ...one })), cursors: { next: null } } }
    if (session[0] === idOf(8))
      return { body: { runs: ASKED.map((one) => ({ ...BASE, session_id: idOf(8), ...one })), cursors: { next: null } } }
    const run = {
      ...{
        id: idOf(9_000),
        session_id: session[0],
        start_time: '2026-11-24T00:00:00Z',
        end_time: '2026-11-24T00:00:01Z',
      },
      extra: { metadata: { thread_id: idOf(9_001), graph_id: 'agent' } },
    }
    return { body: { runs: [run], cursors: { next: null } } }
  })
  home = await testConsole()
  await insertWorkspace(
    NewWorkspace.parse({
      ...{ kind: 'control-plane', slug: 'hosted', name: 'Hosted', dialect: 'auto', allowedOrigins: [] },
      ...{ baseUrl: 'http://127.0.0.1:9', keys: { apiKey: 'key' } },
      traces: { url: `${stub.url}/api/v1`, apiKey: 'reads' },
    }),
  )
})
afterAll(async () => {
  await home.close()
  await stub.stop()
})

test('a deployment whose project is behind the first pages of projects has its runs listed', async () => {
  const one = { id: idOf(1), name: `agent-${PROJECTS - 1}`, tracing_project_id: null }
  const wanted = { after: undefined, limit: 25 } as Parameters<typeof tracedRuns>[2]
  const found = await tracedRuns('hosted', [one], wanted, () => true)
  expect(found).toMatchObject({ deployments: [one.id], runs: [{ deployment: one.id, status: 'success' }] })
  expect(stub.seen.filter(({ path }) => path.includes('/sessions')).length).toBe(3)
})

test('traces tell what runs were asked and took, and a cancelled run has not failed', async () => {
  const one = { id: idOf(1), name: 'told', tracing_project_id: idOf(7) }
  const wanted = { after: undefined, limit: 25 } as Parameters<typeof tracedRuns>[2]
  const found = await tracedRuns('hosted', [one], wanted, () => true)
  expect(found).toMatchObject({ isPartial: false, oldest: '2026-11-24T00:00:00.000Z' })
  const [failed, ...others] = found?.runs ?? []
  expect(failed).toMatchObject({
    ...{ status: 'error', input: 'Charge order 7', error: 'Error: declined', firstTokenMs: 250, tokens: 445 },
    output: 'Not charged',
    cost: { amount: 0.0123, isEstimated: false },
    trace: 'ended',
  })
  expect(others.splice(-2)).toMatchObject([
    { status: 'unknown', tokens: 5, trace: 'open' },
    { status: 'running', trace: 'open' }, // its trace was logged just now
  ])
  expect(others.map(({ status, error, cost }) => [status, error, cost])).toEqual([
    ['cancelled', undefined, undefined],
    ['unknown', undefined, undefined],
  ])
})

test('a run that asked was continued by a later one of its thread, and nobody can answer one without a thread', async () => {
  const one = { id: idOf(1), name: 'asked', tracing_project_id: idOf(8) }
  const wanted = { after: undefined, limit: 25 } as Parameters<typeof tracedRuns>[2]
  // Also where a filter hides the later run.
  const found = await tracedRuns('hosted', [one], wanted, ({ run }) => run !== idOf(11))
  expect(found?.runs.map(({ run, status, isStateless }) => [run, status, isStateless])).toEqual([
    [idOf(12), 'continued', false],
    [idOf(13), 'unknown', false],
    [idOf(14), 'interrupted', true],
  ])
})
