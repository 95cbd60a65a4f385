import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { rowsOf, SAMPLE_ID, sampleInput } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Operation } from '@/lib/contracts/api'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import { AppError } from '@/lib/errors'
import { testDatabase } from '@/scripts/testing'
import type { Actor } from './actor'
import { forgetAgentAddress } from './agent-address'
import { call, callAny, openAnyStream } from './call'
import { db } from './db'
import { schemasOf } from './schemas'
import { testActor, testConsole } from './testing'

vi.mock('./log', async (original) => ({ ...(await original<typeof import('./log')>()), log: { info: vi.fn(), warn: vi.fn(), error: vi.fn() } }))

const KEY = 'canary-api-key-5f2a'
const deploymentRecord = (url: string | null) => ({
  id: SAMPLE_ID,
  name: 'demo',
  source: 'github',
  source_config: { custom_url: url },
  source_revision_config: {},
  secrets: [{ name: 'TOKEN', value: 'canary-secret-value' }],
  created_at: '2026-11-21T00:00:00Z',
  updated_at: '2026-11-21T00:00:00Z',
  status: 'READY',
})

let database: Awaited<ReturnType<typeof testDatabase>>
let home: Awaited<ReturnType<typeof testConsole>>
let upstream: StubUpstream
let people: Record<'viewer' | 'developer' | 'admin' | 'stranger', Actor>
beforeAll(async () => {
  database = await testDatabase()
  upstream = await startStubUpstream()
  home = await testConsole(database.url, { CONTROL_PLANE_URL: upstream.url, CONTROL_PLANE_API_KEY: KEY })
  people = {
    viewer: await testActor({ default: 'viewer' }),
    developer: await testActor({ default: 'developer' }),
    admin: await testActor({ default: 'admin' }),
    stranger: await testActor({ elsewhere: 'admin' }),
  }
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
  await database.drop()
})
beforeEach(() => {
  home.set({})
  forgetAgentAddress('default', SAMPLE_ID)
  upstream.seen.length = 0
  upstream.answer(({ path }) => (path === `/v2/deployments/${SAMPLE_ID}` ? { body: deploymentRecord(`${upstream.url}/agents/demo`) } : { body: {} }))
})

type AuditRow = { kind: string; operation: string; outcome: string | null; fields: string[]; params: Record<string, string>; request_id: string; upstream_status: number | null }
const auditRows = async (of: Actor): Promise<AuditRow[]> =>
  (await (await db()).execute<AuditRow>(sql`select * from console.audit where actor = ${of.id} order by seq`)).rows
const input = (op: Operation) => sampleInput(op, schemasOf(op).body !== undefined)
const perform = (op: Operation, actor: Actor) => (op.answer === 'stream' ? openAnyStream : callAny)(op, input(op), { actor })
const failure = (work: Promise<unknown>): Promise<AppError> =>
  work.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => {
      if (!(error instanceof AppError)) throw error
      return error
    },
  )
const rows = rowsOf(controlPlane, agentServer, traces)
const get = () => call(controlPlane.getDeployment, { workspace: 'default', params: { deployment_id: SAMPLE_ID } }, { actor: people.viewer })
const isDeployment = (path: string) => path === `/v2/deployments/${SAMPLE_ID}`

describe('over all rows', () => {
  test.each(rows.filter(([, op]) => op.role !== 'viewer'))('%s refuses a viewer before any request is sent, on record', async (name, op) => {
    const before = (await auditRows(people.viewer)).length
    expect(await failure(perform(op, people.viewer))).toMatchObject({ code: 'forbidden', view: { requestId: expect.stringMatching(/./) } })
    expect(upstream.seen).toEqual([])
    const [entry, ...more] = (await auditRows(people.viewer)).slice(before)
    expect(entry).toMatchObject({ kind: 'denial', operation: name })
    expect(more).toEqual([])
  })

  test.each(rows.filter(([, op]) => op.role === 'admin'))('%s refuses a developer before any request is sent', async (_name, op) => {
    expect(await failure(perform(op, people.developer))).toMatchObject({ code: 'forbidden' })
    expect(upstream.seen).toEqual([])
  })

  test.each(rows)('%s does not exist for someone without a role here', async (_name, op) => {
    expect(await failure(perform(op, people.stranger))).toMatchObject({ code: 'not_found' })
    expect(upstream.seen).toEqual([])
  })

  test.each(rows.filter(([, op]) => op.effect === 'write' && op.api !== 'traces'))('%s has its intent on record when it is sent, and its outcome afterwards', async (name, op) => {
    let atArrival: AuditRow[] | undefined
    const inner = ({ path }: { path: string }) => ({ body: isDeployment(path) ? deploymentRecord(`${upstream.url}/agents/demo`) : {} })
    upstream.answer(async (seen) => {
      if (seen.method !== 'GET') atArrival = (await auditRows(people.admin)).filter((row) => row.request_id === seen.headers['x-request-id'])
      return inner(seen)
    })
    // The stub's answer fits few response schemas; what matters here is what was sent, and that something was.
    await perform(op, people.admin).catch((error: unknown) => {
      if (!(error instanceof AppError) || error.code !== 'upstream_shape') throw error
    })
    expect(upstream.seen.filter(({ method }) => method === op.method)).toHaveLength(1)
    expect(atArrival).toMatchObject([{ kind: 'intent', operation: name }])
    const after = (await auditRows(people.admin)).filter((row) => row.request_id === atArrival?.[0]?.request_id)
    expect(after.map(({ kind }) => kind)).toEqual(['intent', 'outcome'])
    expect(after[1]).toMatchObject({ upstream_status: 200 })
    const { body } = input(op)
    expect(atArrival?.[0]?.fields).toEqual(body && !Array.isArray(body) ? Object.keys(body) : [])
  })

  test.each(rows.filter(([, op]) => op.effect === 'write' && op.api !== 'traces'))('%s is not sent when its intent cannot be recorded', async (_name, op) => {
    const store = await db()
    await store.execute(sql`alter table console.audit rename to audit_away`)
    try {
      expect(await failure(perform(op, people.admin))).toMatchObject({ code: 'internal', message: expect.stringContaining('was not made') })
      expect(upstream.seen).toEqual([])
    } finally {
      await store.execute(sql`alter table console.audit_away rename to audit`)
    }
  })

  // The answer as a whole is the user's or a text: nothing in it is known to be an echo.
  const FREE_FORM: Operation[] = [agentServer.joinRun, agentServer.getAgentCard, agentServer.getMetrics, agentServer.getDocs, agentServer.getOpenapi]
  test.each(rows.filter(([, op]) => op.effect === 'read' && op.answer !== 'stream'))('%s lets neither our key out nor secrets or echoed credentials of a record', async (_name, op) => {
    const poisoned = {
      ...deploymentRecord(`${upstream.url}/agents/demo`),
      ...{ api_key: KEY, thread_id: 't', run_id: 'r', assistant_id: 'a', graph_id: 'g', cron_id: 'c', schedule: '* * * * *', compute_type: 'k8s', key: KEY },
      config: { configurable: { 'x-api-key': KEY, authorization: `Bearer ${KEY}`, langgraph_auth_user: { token: 'canary-token' } } },
      metadata: { cookie: 'canary-cookie', 'x-api-key': KEY },
      values: { said: KEY },
      value: KEY,
      namespace: [KEY],
    }
    const forbidden = FREE_FORM.includes(op) ? new RegExp(KEY) : /canary/
    for (const body of [poisoned, [poisoned], { resources: [poisoned], offset: 1 }, { items: [poisoned] }, { runs: [poisoned] }, `# ${KEY}`]) {
      const isLookUp = (path: string) => isDeployment(path) && op !== controlPlane.getDeployment
      upstream.answer(({ path }) => ({ body: isLookUp(path) ? deploymentRecord(`${upstream.url}/agents/demo`) : body }))
      const shown = await callAny(op, input(op), { actor: people.admin }).then(JSON.stringify, (error: AppError) => `${error}${JSON.stringify(error.view)}`)
      expect(shown ?? '').not.toMatch(forbidden)
    }
  })
})

describe('keys', () => {
  test('go to the control plane and to agent servers of the same origin', async () => {
    await callAny(agentServer.getInfo, { workspace: 'default', deployment: SAMPLE_ID }, { actor: people.viewer })
    expect(upstream.seen.map(({ path, headers }) => [path, headers['x-api-key']])).toEqual([
      [`/v2/deployments/${SAMPLE_ID}`, KEY],
      ['/agents/demo/info', KEY],
    ])
  })

  test('never go to another origin, which is reached only inside a range that the operator named', async () => {
    const other = await startStubUpstream(() => ({ status: 401, body: { detail: 'who are you' } }))
    upstream.answer(() => ({ body: deploymentRecord(other.url) }))
    const ask = () => failure(callAny(agentServer.getInfo, { workspace: 'default', deployment: SAMPLE_ID }, { actor: people.viewer }))
    expect(await ask()).toMatchObject({ code: 'forbidden', message: expect.stringContaining('ALLOWED_UPSTREAMS') })
    expect(other.seen).toEqual([])
    home.set({ ALLOWED_UPSTREAMS: '127.0.0.0/8' })
    expect(await ask()).toMatchObject({ code: 'upstream_refused_key', message: expect.stringContaining('is not sent there') })
    expect(other.seen.map(({ path, headers }) => [path, headers['x-api-key'], headers.authorization])).toEqual([['/info', undefined, undefined]])
    await other.stop()
  })

  test('of a workspace follow its allowed origins', async () => {
    const other = await startStubUpstream(() => ({ body: { version: '1' } }))
    home.set({ ALLOWED_UPSTREAMS: other.url })
    upstream.answer(() => ({ body: deploymentRecord(other.url) }))
    await callAny(agentServer.getInfo, { workspace: 'default', deployment: SAMPLE_ID }, { actor: people.viewer })
    expect(other.seen[0]?.headers['x-api-key']).toBe(KEY)
    await other.stop()
  })

  test('of agent servers are another one where it is set', async () => {
    home.set({ AGENT_SERVER_API_KEY: 'another-key' })
    await callAny(agentServer.getInfo, { workspace: 'default', deployment: SAMPLE_ID }, { actor: people.viewer })
    expect(upstream.seen.map(({ headers }) => headers['x-api-key'])).toEqual([KEY, 'another-key'])
  })

  test('that the upstream refuses are named as the workspace\'s, with what it said', async () => {
    upstream.answer(() => ({ status: 403, body: { detail: `key ${KEY} has no access` } }))
    const error = await failure(get())
    expect(error).toMatchObject({ code: 'upstream_refused_key', view: { upstreamStatus: 403 } })
    expect(error.message).toBe("The control plane refused this workspace's API key: key [redacted] has no access. Check the key in the workspace's settings.")
  })
})

describe('input', () => {
  test('that the schema refuses is not sent, and its fields are named', async () => {
    const body = { name: 'demo', nonsense: 1 } as never
    const error = await failure(call(controlPlane.createDeployment, { workspace: 'default', body }, { actor: people.admin }))
    expect(error).toMatchObject({ code: 'invalid' })
    expect(error.view.fields.map(({ path }) => path.join('.'))).toContain('source')
    expect(upstream.seen).toEqual([])
  })

  test.each(['..', '.', ''])('with the path parameter %j is refused', async (deployment_id) => {
    expect(await failure(call(controlPlane.getDeployment, { workspace: 'default', params: { deployment_id } }, { actor: people.viewer }))).toMatchObject({ code: 'invalid' })
    expect(upstream.seen).toEqual([])
  })

  test('cannot make a read cancel a run by leaving it', async () => {
    const asked = { workspace: 'default', deployment: SAMPLE_ID, params: { thread_id: 't', run_id: 'r' }, query: { cancel_on_disconnect: true } }
    expect(await failure(call(agentServer.joinRun, asked, { actor: people.viewer }))).toMatchObject({ code: 'invalid' })
    expect(upstream.seen).toEqual([])
  })

  test('of an agent operation without a deployment is refused', async () => {
    expect(await failure(callAny(agentServer.getInfo, { workspace: 'default' }, { actor: people.viewer }))).toMatchObject({ code: 'invalid' })
  })

  test('keeps numbers that a double cannot hold, there and back', async () => {
    const { parseJson, printJson } = await import('@/lib/contracts/json')
    const digits = '{"id":12345678901234567890123}'
    upstream.answer(({ path, method }) =>
      isDeployment(path) ? { body: deploymentRecord(`${upstream.url}/agents/demo`) } : { body: method === 'GET' ? `{"values":${digits},"next":[],"tasks":[]}` : '{}' },
    )
    const place = { workspace: 'default', deployment: SAMPLE_ID, params: { thread_id: 't' } }
    const state = await call(agentServer.getThreadState, place, { actor: people.developer })
    expect(printJson(state.values)).toBe(digits)
    await call(agentServer.updateThreadState, { ...place, body: { values: parseJson(digits) as Record<string, unknown> } }, { actor: people.developer })
    expect(upstream.seen.at(-1)?.body).toBe(`{"values":${digits}}`)
  })
})

describe('answers', () => {
  const answered = (status: number, body: unknown, headers?: Record<string, string>) => {
    upstream.answer(() => ({ status, body, headers }))
    return failure(get())
  }

  test('422 keeps the fields that the upstream refused', async () => {
    const error = await answered(422, { detail: [{ loc: ['body', 'source_config', 'repo_url'], msg: 'Field required', type: 'missing' }] })
    expect(error).toMatchObject({ code: 'invalid', view: { fields: [{ path: ['source_config', 'repo_url'], message: 'Field required' }], upstreamStatus: 422 } })
  })

  test.each([
    [404, { detail: 'Deployment 6f1f not found' }, 'not_found', 'Deployment 6f1f not found'],
    [409, { detail: 'name is taken' }, 'conflict', 'name is taken'],
    [500, 'Internal Server Error', 'upstream_failed', 'The control plane answered with status 500: Internal Server Error.'],
    [502, '<html><title>502 Bad Gateway</title></html>', 'upstream_failed', 'The control plane answered with status 502: 502 Bad Gateway.'],
    [503, '', 'upstream_failed', 'The control plane answered with status 503.'],
  ] as const)('%i %j becomes %s', async (status, body, code, message) => {
    expect(await answered(status, body)).toMatchObject({ code, message, view: { upstreamStatus: status } })
  })

  test('429 says when to come back', async () => {
    expect(await answered(429, { detail: 'slow down' }, { 'retry-after': '7' })).toMatchObject({ code: 'rate_limited', view: { retryAfterMs: 7000 } })
  })

  test.each([
    ['a web page', '<html></html>', { 'content-type': 'text/html' }, 'something else than JSON (text/html)'],
    ['half a document', '{"id": ', undefined, 'something else than JSON'],
    ['nothing', '', undefined, 'the whole answer'],
    ['another record', { id: 7 }, undefined, 'in an unknown form: id'],
    ['a bad record deep inside', { ...deploymentRecord(null), source_config: { build_on_push: 'yes' } }, undefined, 'source_config.build_on_push'],
  ])('%s instead of a deployment says where it does not fit', async (_name, body, headers, message) => {
    expect(await answered(200, body, headers)).toMatchObject({ code: 'upstream_shape', message: expect.stringContaining(message) })
  })

  test('secrets have names only, and keys of the other dialect are those of ours', async () => {
    upstream.answer(() => ({ body: { ...deploymentRecord(null), source_revision_config: { langgraph_config_path: 'a.json' } } }))
    expect(await get()).toMatchObject({ secrets: [{ name: 'TOKEN' }], source_revision_config: { graph_config_path: 'a.json' } })
    // The dialect was learned from that record; a write speaks it.
    await call(controlPlane.updateDeployment, { workspace: 'default', params: { deployment_id: SAMPLE_ID }, body: { source_revision_config: { graph_config_path: 'b.json' } } }, { actor: people.admin })
    expect(upstream.seen.at(-1)?.body).toBe('{"source_revision_config":{"langgraph_config_path":"b.json"}}')
  })
})

test('a deployment without an address yet says so', async () => {
  upstream.answer(() => ({ body: deploymentRecord(null) }))
  const error = await failure(callAny(agentServer.getInfo, { workspace: 'default', deployment: SAMPLE_ID }, { actor: people.viewer }))
  expect(error.message).toContain('no address yet')
})

test('the address of a deployment is asked for once for many calls, and again after one failed', async () => {
  const info = () => callAny(agentServer.getInfo, { workspace: 'default', deployment: SAMPLE_ID }, { actor: people.viewer })
  await Promise.all([info(), info(), info()])
  const lookups = () => upstream.seen.filter(({ path }) => isDeployment(path)).length
  expect(lookups()).toBe(1)
  upstream.answer(({ path }) => (isDeployment(path) ? { body: deploymentRecord(`${upstream.url}/agents/moved`) } : { status: 502, body: '' }))
  await failure(info())
  expect(lookups()).toBe(1)
  await failure(info())
  expect(lookups()).toBe(2)
  expect(upstream.seen.at(-1)?.path).toBe('/agents/moved/info')
})

test('a role taken away acts at the next call', async () => {
  const person = await testActor({ default: 'developer' })
  const run = () => call(agentServer.createThread, { workspace: 'default', deployment: SAMPLE_ID, body: {} }, { actor: person })
  expect(await failure(run())).toMatchObject({ code: 'upstream_shape' })
  await (await db()).execute(sql`update console.memberships set role = 'viewer' where account = ${person.id}`)
  upstream.seen.length = 0
  expect(await failure(run())).toMatchObject({ code: 'forbidden' })
  expect(upstream.seen).toEqual([])
})
