import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { deploymentRecord, SAMPLE_ID } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import { db } from '../process/db'
import { type TestConsole, type TestPeople, testActor, testConsole, testPeople } from '../testing'
import { call, callAny } from './call'
import { resetUpstream } from './testing'

const KEY = 'canary-api-key-5f2a'
let home: TestConsole
let upstream: StubUpstream
let people: TestPeople
beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole({ CONTROL_PLANE_URL: upstream.url, CONTROL_PLANE_API_KEY: KEY })
  people = await testPeople()
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})
beforeEach(() => {
  home.set({})
  resetUpstream(upstream)
})

const get = () =>
  call(
    controlPlane.getDeployment,
    { workspace: 'default', params: { deployment_id: SAMPLE_ID } },
    { actor: people.viewer },
  )
const isDeployment = (path: string) => path === `/v2/deployments/${SAMPLE_ID}`

describe('keys', () => {
  test('go to the control plane and to agent servers of the same origin', async () => {
    await callAny(agentServer.getInfo, { workspace: 'default', deploymentId: SAMPLE_ID }, { actor: people.viewer })
    expect(upstream.seen.map(({ path, headers }) => [path, headers['x-api-key']])).toEqual([
      [`/v2/deployments/${SAMPLE_ID}`, KEY],
      ['/agents/demo/info', KEY],
    ])
  })

  test('never go to another origin, which must be in a range allowed by the operator', async () => {
    const other = await startStubUpstream(() => ({ status: 401, body: { detail: 'who are you' } }))
    upstream.respondWith(() => ({ body: deploymentRecord(other.url) }))
    const ask = () =>
      failure(callAny(agentServer.getInfo, { workspace: 'default', deploymentId: SAMPLE_ID }, { actor: people.viewer }))
    expect(await ask()).toMatchObject({ code: 'forbidden', message: expect.stringContaining('ALLOWED_UPSTREAMS') })
    expect(other.seen).toEqual([])
    home.set({ ALLOWED_UPSTREAMS: '127.0.0.0/8' })
    expect(await ask()).toMatchObject({
      code: 'upstream_refused_key',
      message: expect.stringContaining('is not sent there'),
    })
    expect(other.seen.map(({ path, headers }) => [path, headers['x-api-key'], headers.authorization])).toEqual([
      ['/info', undefined, undefined],
    ])
    await other.stop()
  })

  test("go to a workspace's allowed origins", async () => {
    const other = await startStubUpstream(() => ({ body: { version: '1' } }))
    home.set({ ALLOWED_UPSTREAMS: other.url })
    upstream.respondWith(() => ({ body: deploymentRecord(other.url) }))
    await callAny(agentServer.getInfo, { workspace: 'default', deploymentId: SAMPLE_ID }, { actor: people.viewer })
    expect(other.seen[0]?.headers['x-api-key']).toBe(KEY)
    await other.stop()
  })

  test('can be set separately for agent servers', async () => {
    home.set({ AGENT_SERVER_API_KEY: 'another-key' })
    await callAny(agentServer.getInfo, { workspace: 'default', deploymentId: SAMPLE_ID }, { actor: people.viewer })
    expect(upstream.seen.map(({ headers }) => headers['x-api-key'])).toEqual([KEY, 'another-key'])
  })

  test("refused by the upstream are reported as the workspace's, with the upstream's message", async () => {
    upstream.respondWith(() => ({ status: 403, body: { detail: `key ${KEY} has no access` } }))
    const error = await failure(get())
    expect(error).toMatchObject({ code: 'upstream_refused_key', view: { upstreamStatus: 403 } })
    expect(error.message).toBe(
      "The control plane refused this workspace's API key: key [redacted] has no access. Check the key in the workspace's settings.",
    )
  })
})

describe('input', () => {
  test('refused by the schema is not sent, and its fields are named', async () => {
    const body = { name: 'demo', nonsense: 1 } as never
    const error = await failure(
      call(controlPlane.createDeployment, { workspace: 'default', body }, { actor: people.admin }),
    )
    expect(error).toMatchObject({ code: 'invalid' })
    expect(error.view.fields.map(({ path }) => path.join('.'))).toContain('source')
    expect(upstream.seen).toEqual([])
  })

  test.each(['..', '.', ''])('with the path parameter %j is refused', async (deployment_id) => {
    expect(
      await failure(
        call(controlPlane.getDeployment, { workspace: 'default', params: { deployment_id } }, { actor: people.viewer }),
      ),
    ).toMatchObject({ code: 'invalid' })
    expect(upstream.seen).toEqual([])
  })

  test('cannot make a read cancel its run on disconnect', async () => {
    const asked = {
      workspace: 'default',
      deploymentId: SAMPLE_ID,
      params: { thread_id: 't', run_id: 'r' },
      query: { cancel_on_disconnect: true },
    }
    expect(await failure(call(agentServer.joinRun, asked, { actor: people.viewer }))).toMatchObject({ code: 'invalid' })
    expect(upstream.seen).toEqual([])
  })

  test('for an agent server without a deployment is refused', async () => {
    expect(
      await failure(callAny(agentServer.getInfo, { workspace: 'default' }, { actor: people.viewer })),
    ).toMatchObject({ code: 'invalid' })
  })

  test('keeps numbers that a double cannot hold, in both directions', async () => {
    const { parseJson, printJson } = await import('@/lib/json/lossless')
    const digits = '{"id":12345678901234567890123}'
    upstream.respondWith(({ path, method }) =>
      isDeployment(path)
        ? { body: deploymentRecord(`${upstream.url}/agents/demo`) }
        : { body: method === 'GET' ? `{"values":${digits},"next":[],"tasks":[]}` : '{}' },
    )
    const place = { workspace: 'default', deploymentId: SAMPLE_ID, params: { thread_id: 't' } }
    const state = await call(agentServer.getThreadState, place, { actor: people.developer })
    expect(printJson(state.values)).toBe(digits)
    await call(
      agentServer.updateThreadState,
      { ...place, body: { values: parseJson(digits) as Record<string, unknown> } },
      { actor: people.developer },
    )
    expect(upstream.seen.at(-1)?.body).toBe(`{"values":${digits}}`)
  })
})

describe('responses', () => {
  const failsWith = (status: number, body: unknown, headers?: Record<string, string>) => {
    upstream.respondWith(() => ({ status, body, headers }))
    return failure(get())
  }

  test('422 keeps the fields that the upstream refused', async () => {
    const error = await failsWith(422, {
      detail: [{ loc: ['body', 'source_config', 'repo_url'], msg: 'Field required', type: 'missing' }],
    })
    expect(error).toMatchObject({
      code: 'invalid',
      view: { fields: [{ path: ['source_config', 'repo_url'], message: 'Field required' }], upstreamStatus: 422 },
    })
  })

  test.each([
    [404, { detail: 'Deployment 6f1f not found' }, 'not_found', 'Deployment 6f1f not found'],
    [409, { detail: 'name is taken' }, 'conflict', 'name is taken'],
    [
      500,
      'Internal Server Error',
      'upstream_failed',
      'The control plane responded with status 500: Internal Server Error.',
    ],
    [
      502,
      '<html><title>502 Bad Gateway</title></html>',
      'upstream_failed',
      'The control plane responded with status 502: 502 Bad Gateway.',
    ],
    [503, '', 'upstream_failed', 'The control plane responded with status 503.'],
  ] as const)('%i %j becomes %s', async (status, body, code, message) => {
    expect(await failsWith(status, body)).toMatchObject({ code, message, view: { upstreamStatus: status } })
  })

  test.each([
    ['7', 7_000, 'Try again in 7 s.'],
    ['180', 180_000, 'Try again in 3 min.'],
    [undefined, undefined, 'Try again later.'],
  ])('429 with Retry-After %s says whose limit it is and when to retry', async (header, retryAfterMs, when) => {
    const error = await failsWith(429, { detail: 'Slow down.' }, header === undefined ? {} : { 'retry-after': header })
    expect(error).toMatchObject({ code: 'rate_limited', view: { retryAfterMs } })
    expect(error.message).toBe(
      `The control plane limits requests, and this workspace's key has reached the limit (“Slow down”). ${when}`,
    )
  })

  test.each([
    { error: 'org_scoped_key_requires_workspace' },
    { detail: 'This API key is org-scoped and requires workspace specification.' },
  ])('a key of several tenants without a tenant ID names the setting', async (body) => {
    const { code, message } = await failsWith(403, body)
    expect(code).toBe('upstream_refused_key')
    expect(message).toContain("Set the tenant ID in the workspace's settings, or CONTROL_PLANE_TENANT_ID")
  })

  test.each([
    ['a web page', '<html></html>', { 'content-type': 'text/html' }, 'something other than JSON (text/html)'],
    ['half a document', '{"id": ', undefined, 'JSON that is broken or cut off'],
    ['nothing', '', undefined, 'the whole response'],
    ['another record', { id: 7 }, undefined, 'in an unknown form: id'],
    [
      'a bad record deep inside',
      { ...deploymentRecord(null), source_config: { build_on_push: 'yes' } },
      undefined,
      'source_config.build_on_push',
    ],
  ])('%s instead of a deployment says where it does not fit', async (_name, body, headers, message) => {
    expect(await failsWith(200, body, headers)).toMatchObject({
      code: 'upstream_shape',
      message: expect.stringContaining(message),
    })
  })

  test('secrets have names only, and keys of the other dialect are translated', async () => {
    upstream.respondWith(() => ({
      body: { ...deploymentRecord(null), source_revision_config: { langgraph_config_path: 'a.json' } },
    }))
    expect(await get()).toMatchObject({
      secrets: [{ name: 'TOKEN' }],
      source_revision_config: { graph_config_path: 'a.json' },
    })
    // A write uses the dialect learned from that record.
    await call(
      controlPlane.updateDeployment,
      {
        workspace: 'default',
        params: { deployment_id: SAMPLE_ID },
        body: { source_revision_config: { graph_config_path: 'b.json' } },
      },
      { actor: people.admin },
    )
    expect(upstream.seen.at(-1)?.body).toBe('{"source_revision_config":{"langgraph_config_path":"b.json"}}')
  })
})

test('a deployment without an address fails with a message that says so', async () => {
  upstream.respondWith(() => ({ body: deploymentRecord(null) }))
  const error = await failure(
    callAny(agentServer.getInfo, { workspace: 'default', deploymentId: SAMPLE_ID }, { actor: people.viewer }),
  )
  expect(error.message).toContain('no address yet')
})

test("concurrent calls look a deployment's address up once; a failed call looks it up again", async () => {
  const info = () =>
    callAny(agentServer.getInfo, { workspace: 'default', deploymentId: SAMPLE_ID }, { actor: people.viewer })
  await Promise.all([info(), info(), info()])
  const lookups = () => upstream.seen.filter(({ path }) => isDeployment(path)).length
  expect(lookups()).toBe(1)
  upstream.respondWith(({ path }) =>
    isDeployment(path) ? { body: deploymentRecord(`${upstream.url}/agents/moved`) } : { status: 502, body: '' },
  )
  await failure(info())
  expect(lookups()).toBe(1)
  await failure(info())
  expect(lookups()).toBe(2)
  expect(upstream.seen.at(-1)?.path).toBe('/agents/moved/info')
})

test('aborting one caller of a shared address lookup does not abort the others', async () => {
  let release = () => {}
  upstream.respondWith(({ path }) =>
    isDeployment(path)
      ? (response) => {
          release = () => response.end(JSON.stringify(deploymentRecord(`${upstream.url}/agents/demo`)))
          response.writeHead(200, { 'content-type': 'application/json' })
        }
      : { body: {} },
  )
  const info = (signal?: AbortSignal) =>
    callAny(agentServer.getInfo, { workspace: 'default', deploymentId: SAMPLE_ID }, { actor: people.viewer, signal })
  const others = info()
  const [first, second] = [new AbortController(), new AbortController()]
  const leaving = Promise.allSettled([info(first.signal), info(second.signal)])
  await vi.waitFor(() => expect(upstream.seen.filter(({ path }) => isDeployment(path))).toHaveLength(1))
  first.abort()
  second.abort()
  expect((await leaving).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  release()
  await others
  expect(upstream.seen.map(({ path }) => path)).toEqual([`/v2/deployments/${SAMPLE_ID}`, '/agents/demo/info'])
})

test('a revoked role applies from the next call', async () => {
  const person = await testActor({ default: 'developer' })
  const run = () =>
    call(agentServer.createThread, { workspace: 'default', deploymentId: SAMPLE_ID, body: {} }, { actor: person })
  expect(await failure(run())).toMatchObject({ code: 'upstream_shape' })
  await (await db()).execute(sql`update console.memberships set role = 'viewer' where account = ${person.id}`)
  upstream.seen.length = 0
  expect(await failure(run())).toMatchObject({ code: 'forbidden' })
  expect(upstream.seen).toEqual([])
})
