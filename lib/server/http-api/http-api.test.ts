import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { SAMPLE_ID as A, deploymentRecord } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { createToken, revokeToken } from '@/lib/actions/api-tokens'
import type { Role } from '@/lib/contracts/wire/api'
import { serveHttpApi } from '@/lib/server/http-api/serve'
import { runCommand } from '@/scripts/launch/cli/main.mjs'
import { sessionActor } from '../access/actor'
import { browser } from '../access/testing'
import { adoptStore, db } from '../process/db'
import { recordings } from '../recorder/schema'
import { listTokens } from '../records/api-tokens'
import { forgetLimits, signIn, type TestConsole, type TestPeople, testConsole, testPeople } from '../testing'
import { API_ROUTES } from './serve'

vi.mock('next/headers', () => import('../access/testing'))

const B = '7a1f3c3e-7d1b-4f6e-9d53-0c4f4f9f0002'
const RECORDING: Record<string, string> = {
  [A]: '11111111-1111-4111-8111-111111111111',
  [B]: '22222222-2222-4222-8222-222222222222',
}
const record = (id: string) => ({
  ...deploymentRecord(null),
  ...{ id, name: id === A ? 'alpha' : 'beta', latest_revision_id: id, active_revision_id: id },
})
const revision = { ...record(A), status: 'DEPLOYED', source_revision_config: { repo_ref: 'main' } }

let stub: StubUpstream
let home: TestConsole
let people: TestPeople

beforeAll(async () => {
  stub = await startStubUpstream(({ path }) => {
    if (path.includes('/integrations')) return { body: [{ id: A, name: 'forge' }] }
    if (path.includes('/logs')) return { body: { logs: [{ id: 1, message: 'started' }], next_offset: null } }
    if (/\/revisions\/[^/?]+/.test(path)) return { body: revision }
    if (path.includes('/revisions')) return { body: { resources: [revision], offset: 0 } }
    if (/deployments(\?|$)/.test(path)) return { body: { resources: [record(A), record(B)], offset: 0 } }
    const id = /deployments\/([^/?]+)/.exec(path)?.[1]
    return id === A || id === B ? { body: record(id) } : { status: 404, body: { detail: 'no' } }
  })
  home = await testConsole({ CONTROL_PLANE_URL: stub.url, CONTROL_PLANE_API_KEY: 'key-of-these-tests' })
  people = await testPeople()
  const row = {
    workspace: 'default',
    assistant: 'agent',
    startedBy: 'ada@example.com',
    request: '{"input": {"messages": "Charge order 7"}}',
    isStateless: false,
    isResumable: false,
  } as const
  const ended = { phase: 'ended', outcome: 'error', error: 'TypeError: declined\n    at charge' } as const
  const store = await db()
  for (const deployment of [A, B])
    await store.insert(recordings).values({ ...row, id: RECORDING[deployment] as string, deployment, ...ended })
})
afterAll(async () => {
  await home.close()
  await stub.stop()
})
beforeEach(async () => {
  stub.seen.splice(0)
  await forgetLimits()
})

type Wanted = Partial<Parameters<typeof createToken>[0]> & { by?: keyof TestPeople }
async function make({ by = 'admin', ...wanted }: Wanted = {}) {
  await signIn(people[by])
  const result = await createToken({
    ...{ workspace: 'default', name: 'ci', kind: 'service', role: 'admin', deployments: null, days: 7 },
    ...wanted,
  })
  if (!result.ok) throw new Error(result.error.message)
  return result.data
}
const ask = (path: string, token?: string, init: RequestInit = {}) =>
  serveHttpApi(
    new Request(`http://localhost:3000/api/v1${path}`, {
      ...init,
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(init.body ? { 'content-type': 'application/json' } : {}),
        ...init.headers,
      },
    }),
  )
const read = async (path: string, token: string) => {
  const response = await ask(path, token)
  return { status: response.status, text: await response.text() }
}

const CREATE = { ...record(A), name: 'made', secrets: [] }
const {
  id: _i,
  latest_revision_id: _l,
  active_revision_id: _a,
  status: _s,
  created_at: _c,
  updated_at: _u,
  ...rest
} = CREATE
const create = {
  ...rest,
  source_config: {
    integration_id: A,
    repo_url: 'https://example.com/a/b',
    deployment_type: 'dev',
    build_on_push: false,
  },
  source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
}
/** Every route, with the least role, written by hand. */
const ROUTES: Record<string, { role: Role; path: string; body?: unknown }> = {
  listDeployments: { role: 'viewer', path: '/deployments' },
  createDeployment: { role: 'admin', path: '/deployments', body: create },
  getDeployment: { role: 'viewer', path: `/deployments/${A}` },
  updateDeployment: { role: 'admin', path: `/deployments/${A}`, body: { ref: 'next' } },
  updateSecrets: { role: 'admin', path: `/deployments/${A}/secrets`, body: { set: { A: 'b' } } },
  listRevisions: { role: 'viewer', path: `/deployments/${A}/revisions` },
  createRevision: { role: 'admin', path: `/deployments/${A}/revisions`, body: {} },
  createUpload: { role: 'admin', path: `/deployments/${A}/uploads` },
  createBuild: { role: 'admin', path: `/deployments/${A}/builds`, body: { ref: 'main' } },
  getRevision: { role: 'viewer', path: `/deployments/${A}/revisions/${A}` },
  readLog: { role: 'viewer', path: `/deployments/${A}/logs?type=build` },
  getToken: { role: 'viewer', path: '/token' },
  getHealth: { role: 'viewer', path: '/health' },
  listIntegrations: { role: 'viewer', path: '/integrations' },
  listRuns: { role: 'viewer', path: '/runs' },
  getRecording: { role: 'viewer', path: `/recordings/${RECORDING[A]}` },
  downloadRecording: { role: 'viewer', path: `/recordings/${RECORDING[A]}/events` },
  listAudit: { role: 'admin', path: '/audit' },
}
const RANKS: Role[] = ['viewer', 'developer', 'admin']
const requestOf = (id: string) => {
  const { method } = API_ROUTES.find((one) => one.id === id) as (typeof API_ROUTES)[number]
  const { path, body } = ROUTES[id] as (typeof ROUTES)[string]
  return [path, { method, ...(body !== undefined && { body: JSON.stringify(body) }) }] as const
}

test('the table names every route with the role that its documentation says', () => {
  const documented = Object.fromEntries(API_ROUTES.map(({ id, role }) => [id, role]))
  expect(documented).toEqual(Object.fromEntries(Object.entries(ROUTES).map(([id, { role }]) => [id, role])))
})

test.each(Object.entries(ROUTES))('%s takes a token of its role and above', async (id, { role }) => {
  for (const rank of RANKS) {
    const { token } = await make({ role: rank })
    stub.seen.splice(0)
    const [path, init] = requestOf(id)
    const response = await ask(path, token, init)
    const text = await response.text()
    if (RANKS.indexOf(rank) < RANKS.indexOf(role)) {
      expect([response.status, stub.seen], `${rank}: ${text}`).toEqual([403, []])
    } else expect([401, 403, 404, 405, 500], `${rank}: ${text}`).not.toContain(response.status)
    expect(text).not.toContain('canary-secret-value')
    expect(text).not.toContain('key-of-these-tests')
  }
})

describe('a token', () => {
  test('is refused at once when it is revoked, expires, or its owner is disabled', async () => {
    const { id, token } = await make()
    expect((await ask('/token', token)).status).toBe(200)
    expect(await revokeToken({ workspace: 'default', id })).toEqual({ ok: true, data: null })
    const refused = await ask('/token', token)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([
      401,
      'application/problem+json; charset=utf-8',
    ])

    const expired = await make()
    const store = await db()
    await store.execute(sql`update console.api_tokens set expires_at = now() where id = ${expired.id}`)
    expect((await ask('/token', expired.token)).status).toBe(401)

    const personal = await make({ by: 'viewer', kind: 'personal', role: 'viewer' })
    expect((await ask('/token', personal.token)).status).toBe(200)
    const disable = (at: string | null) =>
      store.execute(sql`update console.accounts set disabled_at = ${at} where id = ${people.viewer.id}`)
    await disable('2026-01-01')
    expect((await ask('/token', personal.token)).status).toBe(401)
    await disable(null)
  })

  test('of a person never exceeds the role that they have now', async () => {
    const { token } = await make({ by: 'developer', kind: 'personal', role: 'developer' })
    const role = async () => JSON.parse((await read('/token', token)).text).role
    const become = async (name: Role) =>
      await (await db()).execute(
        sql`update console.memberships set role = ${name} where account = ${people.developer.id} and workspace = 'default'`,
      )
    expect(await role()).toBe('developer')
    await become('viewer')
    expect(await role()).toBe('viewer')
    await become('admin')
    expect(await role()).toBe('developer')
    await become('developer')
  })

  test('cannot have a higher role than its creator, and service accounts are for administrators', async () => {
    await expect(make({ by: 'viewer', kind: 'personal', role: 'developer' })).rejects.toThrow(/higher role/)
    await expect(make({ by: 'developer', kind: 'service', role: 'viewer' })).rejects.toThrow(/needs the role admin/)
    await expect(make({ by: 'stranger', kind: 'personal', role: 'viewer' })).rejects.toThrow(/role viewer/)
  })

  test('is listed without its secret, to its owner and to administrators', async () => {
    const own = await make({ by: 'viewer', kind: 'personal', role: 'viewer', name: 'laptop' })
    expect((await listTokens(people.viewer, 'default')).every(({ isOwn }) => isOwn)).toBe(true)
    const all = await listTokens(people.admin, 'default')
    const secret = own.token.split('_').slice(2).join('_') // base64url, which may have underscores too
    expect(all.find(({ id }) => id === own.id)).toMatchObject({ name: 'laptop', owner: people.viewer.email })
    expect(JSON.stringify(all)).not.toContain(secret)
    const rows = await (await db()).execute(sql`select * from console.api_tokens`)
    expect(JSON.stringify(rows.rows)).not.toContain(secret)
    await signIn(people.developer)
    const developers = await make({ by: 'developer', kind: 'personal', role: 'viewer' })
    expect(await revokeToken({ workspace: 'default', id: developers.id })).toEqual({ ok: true, data: null })
    expect((await ask('/token', developers.token)).status).toBe(401)
    expect(await revokeToken({ workspace: 'default', id: own.id })).toMatchObject({ error: { code: 'forbidden' } })
    await signIn(people.admin)
    expect(await revokeToken({ workspace: 'elsewhere', id: own.id })).toMatchObject({ ok: false })
    expect((await ask('/token', own.token)).status).toBe(200)
  })

  test('is named in the audit trail', async () => {
    const { token, id } = await make({ name: 'deploy bot' })
    await ask(`/deployments/${A}/revisions`, token, { method: 'POST', body: '{}' })
    const { text } = await read(`/audit?deployment=${A}&by=deploy`, token)
    expect(JSON.parse(text).entries[0]).toMatchObject({
      actor: 'deploy bot (service account)',
      operation: 'control-plane.redeployRevision',
    })
    const { rows } = await (await db()).execute(sql`select actor from console.audit order by seq desc limit 1`)
    expect(rows).toEqual([{ actor: `token:${id}` }])
  })

  test('never works for browser routes, nor a session for the API', async () => {
    const { token } = await make()
    await signIn(people.admin)
    const { cookies } = browser
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    for (const [path, init] of [
      ['/deployments', {}],
      [`/deployments/${A}/revisions`, { method: 'POST', body: '{}' }],
    ] as const)
      expect((await ask(path, undefined, { ...init, headers: { cookie } })).status).toBe(401)
    expect(stub.seen).toEqual([])
    cookies.clear()
    cookies.set('authorization', `Bearer ${token}`)
    await expect(sessionActor()).rejects.toMatchObject({ code: 'unauthenticated' })
  })

  test('has a limit of requests', async () => {
    const { token } = await make()
    const other = await make()
    let last = 200
    for (let at = 0; at <= 600 && last === 200; at += 1) last = (await ask('/token', token)).status
    expect(last).toBe(429)
    expect((await ask('/token', other.token)).status).toBe(200)
  }, 30_000)

  test('that is wrong is looked up sixty times a minute from one address', async () => {
    const wrong = `pht_${'0'.repeat(32)}_${'a'.repeat(43)}`
    const codes = await Promise.all(Array.from({ length: 62 }, async () => (await ask('/token', wrong)).status))
    expect(codes.filter((status) => status === 429)).toHaveLength(2)
  })
})

test('requests while the database is away do not use up the limit of wrong tokens', async () => {
  const { token } = await make()
  await adoptStore('postgres://nobody@127.0.0.1:1/none')
  const away = await Promise.all(Array.from({ length: 60 }, () => ask('/token', token))).finally(() =>
    adoptStore(home.databaseUrl),
  )
  expect(away.filter(({ status }) => status < 500)).toEqual([])
  expect((await ask('/token', token)).status).toBe(200)
})

describe('a token for one deployment', () => {
  let token: string
  beforeAll(async () => {
    ;({ token } = await make({ deployments: [A] }))
  })
  const paths = Object.entries(ROUTES).filter(([, { path }]) => path.includes(A))

  test.each(paths)('%s does not reach another one', async (id) => {
    const [path, init] = requestOf(id)
    const response = await ask(path.replace(A, B).replace(RECORDING[A] as string, RECORDING[B] as string), token, init)
    expect([response.status, stub.seen]).toEqual([404, []])
  })

  test.each(['/deployments', '/health', '/runs', `/runs?deployment=${A}`])('%s names no other one', async (path) => {
    const { status, text } = await read(path, token)
    expect(status, text).toBe(200)
    expect(text).not.toContain(B)
    expect(text).not.toContain('beta')
  })

  test('sees its own in lists', async () => {
    expect(JSON.parse((await read('/deployments', token)).text).deployments).toMatchObject([{ id: A, health: 'ok' }])
    expect(JSON.parse((await read('/runs', token)).text).runs).toMatchObject([
      { recording_id: RECORDING[A], status: 'error', error: 'TypeError: declined', input: 'Charge order 7' },
    ])
    expect(JSON.parse((await read('/health', token)).text)).toMatchObject({ deployments: { ok: 1, failing: 0 } })
  })

  test('tells a shell which runs failed, where and why', async () => {
    const out: string[] = []
    const code = await runCommand(['runs', '--failed'], {
      env: { PILOTHOUSE_TOKEN: token, PILOTHOUSE_URL: 'http://localhost:3000' },
      request: ((address: string, init: RequestInit) => serveHttpApi(new Request(address, init))) as typeof fetch,
      out: (line: string) => out.push(line),
    })
    expect([code, out]).toEqual([
      0,
      [expect.stringMatching(`error +alpha {2}agent {2}${RECORDING[A]} {2}TypeError: declined$`)],
    ])
  })

  test('reads the audit entries of its deployment only', async () => {
    const all = await make()
    await ask(`/deployments/${B}/revisions`, all.token, { method: 'POST', body: '{}' })
    await ask(`/deployments/${A}/revisions`, all.token, { method: 'POST', body: '{}' })
    // The id of the deployment in another place of an entry about the other one.
    await ask(`/deployments/${B}/revisions`, all.token, { method: 'POST', body: JSON.stringify({ revision_id: A }) })
    const { entries } = JSON.parse((await read('/audit', token)).text)
    expect(entries.length).toBeGreaterThan(0)
    expect(entries.every(({ params }: { params: Record<string, string> }) => params.deployment_id === A)).toBe(true)
    expect(JSON.stringify(JSON.parse((await read('/audit', all.token)).text))).toContain(B)
  })

  test('creates none, and is refused other lists', async () => {
    const [path, init] = requestOf('createDeployment')
    expect((await ask(path, token, init)).status).toBe(404)
    expect((await read(`/runs?deployment=${B}`, token)).status).toBe(404)
    expect((await read(`/audit?deployment=${B}`, token)).text).not.toContain(B)
  })
})

describe('hostile input', () => {
  let token: string
  beforeAll(async () => {
    ;({ token } = await make())
  })
  const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`
  test.each([
    ['GET', '/nothing', undefined],
    ['GET', '/deployments/%00', undefined],
    ['GET', '/deployments/..%2f..%2fetc', undefined],
    ['GET', '/deployments/%ff', undefined],
    ['GET', `/deployments/${'a'.repeat(2_001)}`, undefined],
    ['GET', '/deployments?limit=1e9', undefined],
    ['GET', '/deployments?limit=1&limit=2', undefined],
    ['GET', '/deployments?unknown=1', undefined],
    ['GET', '/deployments?name=%00', undefined],
    ['GET', `/deployments/${A}/revisions/%ed%a0%80`, undefined],
    ['GET', `/deployments/${A}/logs?type=secret`, undefined],
    ['GET', `/deployments/${A}/logs?from=yesterday`, undefined],
    ['GET', '/runs?since=never', undefined],
    ['GET', '/runs?text=%00', undefined],
    ['GET', '/runs?after=%00', undefined],
    ['GET', '/runs?after=9e99_x', undefined],
    ['GET', '/audit?before=-1', undefined],
    ['GET', '/audit?by=%00', undefined],
    ['GET', '/recordings/nothing', undefined],
    ['GET', '/recordings/%00/events', undefined],
    ['GET', "/recordings/'; drop table console.recordings; --", undefined],
    ['POST', '/deployments', ''],
    ['POST', '/deployments', 'null'],
    ['POST', '/deployments', '[]'],
    ['POST', '/deployments', '{'],
    ['POST', '/deployments', deep],
    ['POST', '/deployments', '{"__proto__":{"name":"x"}}'],
    ['POST', '/deployments', `{"name":"${'a'.repeat(70_000)}"}`],
    ['PATCH', `/deployments/${A}`, '{}'],
    ['PATCH', `/deployments/${A}`, '{"name":"other"}'],
    ['PATCH', `/deployments/${A}/secrets`, '{"set":{"":"x"}}'],
    ['PATCH', `/deployments/${A}/secrets`, '{"set":{"A":"\\ud800"}}'],
    ['PATCH', `/deployments/${A}/secrets`, '{"set":{"A":1}}'],
    ['POST', `/deployments/${A}/revisions`, '{"revision_id":{"$ne":1}}'],
    ['DELETE', `/deployments/${A}`, undefined],
    ['PUT', '/deployments', '{}'],
  ])('%s %s is answered with a problem', async (method, path, body) => {
    const response = await ask(path, token, { method, body })
    const text = await response.text()
    if (response.status === 200) return expect(path).toMatch(/name=|after=|by=|text=/) // matches nothing
    expect(response.status, text).toBeGreaterThanOrEqual(400)
    expect(response.status, text).toBeLessThan(500)
    expect(response.headers.get('content-type')).toContain('application/problem+json')
    expect(JSON.parse(text)).toMatchObject({
      status: response.status,
      detail: expect.any(String),
      code: expect.any(String),
    })
  })

  test.each([
    '',
    'Bearer',
    'Bearer x',
    'Basic abc',
    `Bearer pht_${'0'.repeat(32)}_${'a'.repeat(43)}`,
    'Bearer pht_\u00e9',
  ])('the header "%s" is no token', async (authorization) => {
    expect((await ask('/token', undefined, { headers: { authorization } })).status).toBe(401)
  })

  test('another secret for a known token is refused', async () => {
    const [, id] = token.split('_')
    expect((await ask('/token', `pht_${id}_${'a'.repeat(43)}`)).status).toBe(401)
  })

  test('a broken idempotency key is refused, and a repeat gets the first result', async () => {
    const init = (key: string) => ({ method: 'POST', body: '{}', headers: { 'idempotency-key': key } })
    expect((await ask(`/deployments/${A}/revisions`, token, init('short'))).status).toBe(422)
    const first = await ask(`/deployments/${A}/revisions`, token, init('one-key-1'))
    stub.seen.splice(0)
    const second = await ask(`/deployments/${A}/revisions`, token, init('one-key-1'))
    expect(await second.json()).toEqual(await first.json())
    expect(stub.seen.filter(({ method }) => method === 'POST')).toEqual([])
  })
})

test('the description of the API is public, names every route and knows the problem body', async () => {
  const document = await (await ask('/openapi.json')).json()
  const operations = Object.values(document.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
    (methods) => Object.values(methods),
  )
  expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(ROUTES).sort())
  expect(document).toMatchObject({ openapi: '3.1.0', components: { schemas: { Problem: { type: 'object' } } } })
})

test('a write without a body takes what is usual', async () => {
  const { token } = await make()
  expect((await ask(`/deployments/${A}/revisions`, token, { method: 'POST' })).status).toBe(200)
})

test('a downloaded recording is JSON Lines', async () => {
  const { token } = await make({ role: 'viewer' })
  const response = await ask(`/recordings/${RECORDING[A]}/events`, token)
  expect(response.headers.get('content-type')).toContain('application/jsonl')
  const lines = (await response.text())
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.length).toBeGreaterThanOrEqual(2)
})
