import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Actor } from '@/lib/server/access/actor'
import { insertDirectServer } from '@/lib/server/access/direct-servers'
import { until } from '@/lib/server/recorder/testing'
import { testAgentConsole } from '@/lib/server/resources/testing'
import { signIn } from '@/lib/server/testing'
import { call } from '@/lib/server/upstream/call'
import { createCron, deleteCron, runCron, updateCron } from './crons'
import { deleteItem, putItem } from './store'

let actor: Actor
vi.mock('next/headers', () => import('@/lib/server/access/testing'))
// Against the embedded agent server.
const { server, at, developer, close } = await testAgentConsole({ isDirect: true })
afterAll(close)
beforeEach(async () => {
  actor = await signIn(developer)
})

let keys = 0
const key = () => `key-of-test-${keys++}`
const unwrap = <T>(result: { ok: true; data: T } | { ok: false; error: { message: string } }): T => {
  if (!result.ok) throw new Error(result.error.message)
  return result.data
}
const BODY =
  '{"assistant_id":"counter","schedule":"0 9 * * *","timezone":"Europe/Berlin","input":{"until":2},"on_run_completed":"keep"}'
const cronOf = async (id: string) => (await server.get(`/runs/crons/${id}`)).json

test('a cron is created once and changed field by field, and a concurrent change is a conflict', async () => {
  const made = { ...at, key: key(), body: BODY }
  const [{ cron = '' }, again] = [unwrap(await createCron(made)), unwrap(await createCron(made))]
  expect(again.cron).toBe(cron)
  expect((await server.post('/runs/crons/count', {})).json).toBe(1)
  const place = { ...at, cron }
  const seen = (await cronOf(cron)).updated_at as string
  unwrap(await updateCron({ place, key: key(), expectedUpdatedAt: seen, patch: '{"enabled":false}' }))
  expect(await cronOf(cron)).toMatchObject({ enabled: false, schedule: '0 9 * * *', timezone: 'Europe/Berlin' })
  expect(
    await updateCron({ place, key: key(), expectedUpdatedAt: seen, patch: '{"schedule":"1 1 * * *"}' }),
  ).toMatchObject({
    ok: false,
    error: { code: 'conflict' },
  })
  expect(
    await updateCron({ place, key: key(), expectedUpdatedAt: null, patch: '{"schedule":"99 1 * * *"}' }),
  ).toMatchObject({
    ok: false,
    error: { code: 'invalid', fields: [{ path: ['schedule'] }] },
  })
  expect(await cronOf(cron)).toMatchObject({ enabled: false, schedule: '0 9 * * *' })
  unwrap(await deleteCron({ place }))
  unwrap(await deleteCron({ place })) // a missing cron counts as deleted
  expect((await server.get(`/runs/crons/${cron}`)).status).toBe(404)
})

test("running a cron now records a run with the cron's request and does not change the cron", async () => {
  const { cron = '' } = unwrap(await createCron({ ...at, key: key(), body: BODY }))
  const before = await cronOf(cron)
  const run = unwrap(await runCron({ place: { ...at, cron }, key: key() }))
  expect(run).toMatchObject({ workspace: 'tests', thread: expect.any(String), run: expect.any(String) })
  const found = await until(async () => {
    const { json } = await server.post('/threads/search', { metadata: { cron_id: cron }, status: 'idle' })
    return json.length > 0 && json
  })
  expect(found).toMatchObject([{ thread_id: run.thread, values: { count: 2 } }])
  expect(await cronOf(cron)).toEqual(before)
})

test('a cron is found if the server answers its creation with its first run, unless two could be meant', async () => {
  const rows = [{ cron_id: 'an older one', at: '09:00:00', until: 2 }]
  const stub = await startStubUpstream(({ path, body }) => {
    if (path === '/runs/crons/search')
      return {
        body: rows.map(({ cron_id, at: time, until }) => ({
          ...{ cron_id, schedule: '0 9 * * *', created_at: `2026-11-25T${time}Z`, payload: { input: { until } } },
        })),
      }
    rows.push({ cron_id: `cron ${rows.length}`, at: '10:00:00', until: JSON.parse(body).input.until })
    return { body: { run_id: 'run', thread_id: 'thread', status: 'pending', created_at: '2026-11-25T10:00:01Z' } }
  })
  try {
    const { id } = await insertDirectServer('tests', { name: 'aegra', url: stub.url })
    const create = (body: string) => createCron({ workspace: 'tests', deploymentId: id, key: key(), body })
    expect(unwrap(await create(BODY))).toEqual({ cron: 'cron 1', hasRun: true })
    expect(unwrap(await create(BODY.replace('"until":2', '"until":3')))).toEqual({ cron: 'cron 2', hasRun: true })
    expect(unwrap(await create(BODY))).toEqual({ cron: undefined, hasRun: true })
  } finally {
    await stub.stop()
  }
})

test('an item is created, replaced and deleted, and a concurrent change is a conflict', async () => {
  const place = { ...at, namespace: ['users', 'ann'], key: 'likes' }
  const read = async () =>
    await call(agentServer.getItem, { ...at, query: { namespace: 'users.ann', key: 'likes' } }, { actor })
  const put = (value: string, seen: string | null) =>
    putItem({ place, value, expectedUpdatedAt: seen, requestKey: key() })
  unwrap(await put('{"serial":1,"old":1}', null))
  expect(await put('{}', null)).toMatchObject({ ok: false, error: { code: 'conflict' } })
  const { updated_at: seen } = (await read()) ?? {}
  unwrap(await put('{"serial":2}', seen ?? ''))
  expect((await server.get('/store/items?namespace=users.ann&key=likes')).json.value).toEqual({ serial: 2 })
  expect(await put('{"mine":true}', seen ?? '')).toMatchObject({ ok: false, error: { code: 'conflict' } })
  expect(await put('[1]', null)).toMatchObject({ ok: false, error: { code: 'invalid' } })
  unwrap(await deleteItem(place))
  expect(await read()).toBeNull()
  expect(await put('{"mine":true}', seen ?? '')).toMatchObject({ ok: false, error: { code: 'conflict' } })
})

test.each([
  ['stored', true, { ok: true }],
  ['lost', false, { ok: false, error: { message: expect.stringContaining('nothing has changed so far') } }],
])('an item whose write failed after it was sent is looked up: %s', async (_what, isStored, expected) => {
  let item: unknown = null
  const stub = await startStubUpstream(({ method, body }) => {
    if (method === 'GET') return { body: item }
    if (isStored) item = { ...JSON.parse(body), created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' }
    return { status: 500, body: { detail: 'Internal error' } }
  })
  try {
    const { id: deploymentId } = await insertDirectServer('tests', { name: `half-${isStored}`, url: stub.url })
    const place = { workspace: 'tests', deploymentId, namespace: ['a'], key: 'b' }
    expect(await putItem({ place, value: '{"n":1}', expectedUpdatedAt: null, requestKey: key() })).toMatchObject(
      expected,
    )
    expect(stub.seen.filter(({ method }) => method === 'PUT')).toHaveLength(1)
  } finally {
    await stub.stop()
  }
})

test('numbers reach the server exactly as typed', async () => {
  const stub = await startStubUpstream(({ method }) => (method === 'GET' ? { body: null } : { status: 204 }))
  try {
    const { id: deploymentId } = await insertDirectServer('tests', { name: 'stub', url: stub.url })
    const place = { workspace: 'tests', deploymentId, namespace: ['a'], key: 'b' }
    const value = '{"serial":12345678901234567890,"price":1.10}'
    unwrap(await putItem({ place, value, ttlMinutes: 5, expectedUpdatedAt: null, requestKey: key() }))
    expect(stub.seen.at(-1)).toMatchObject({ method: 'PUT', path: '/store/items' })
    expect(stub.seen.at(-1)?.body).toContain('"serial":12345678901234567890')
    expect(stub.seen.at(-1)?.body).toContain('"ttl":5')
  } finally {
    await stub.stop()
  }
})
