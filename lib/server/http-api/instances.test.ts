import { eq, sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { SAMPLE_ID as A, deploymentRecord } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { createToken, revokeToken } from '@/lib/actions/api-tokens'
import { disableMember, setRole } from '@/lib/actions/members'
import type { Actor } from '../access/actor'
import { db } from '../process/db'
import { apiTokens } from '../process/schema'
import { recordings } from '../recorder/schema'
import { forgetLimits, signIn, type TestConsole, testActor, testConsole } from '../testing'
import { serveHttpApi } from './serve'

vi.mock('next/headers', () => import('../access/testing'))

const B = '7a1f3c3e-7d1b-4f6e-9d53-0c4f4f9f0002'
const RECORDING = '22222222-2222-4222-8222-222222222222'
const record = (id: string) => ({
  ...deploymentRecord(null),
  ...{ id, name: id === A ? 'alpha' : 'beta', latest_revision_id: id, active_revision_id: id },
})

let stub: StubUpstream
let home: TestConsole
let admin: Actor
let second: Awaited<ReturnType<typeof secondInstance>>

beforeAll(async () => {
  stub = await startStubUpstream(({ path }) => {
    if (path.includes('/revisions')) return { body: { resources: [], offset: 0 } }
    if (/deployments(\?|$)/.test(path)) return { body: { resources: [record(A), record(B)], offset: 0 } }
    const id = /deployments\/([^/?]+)/.exec(path)?.[1]
    return id === A || id === B ? { body: record(id) } : { status: 404, body: { detail: 'no' } }
  })
  const settings = { CONTROL_PLANE_URL: stub.url, CONTROL_PLANE_API_KEY: 'key-of-these-tests' }
  home = await testConsole(settings)
  admin = await testActor({ default: 'admin', '*': 'admin' })
  await (await db()).insert(recordings).values({
    ...{ id: RECORDING, workspace: 'default', deployment: B, assistant: 'agent', startedBy: 'ada@example.com' },
    ...{ request: '{}', isStateless: false, isResumable: false, phase: 'ended', outcome: 'success' },
  })
  second = await secondInstance({ ...settings, DATABASE_URL: home.databaseUrl })
})
afterAll(async () => {
  await second?.close()
  await home.close()
  await stub.stop()
})
beforeEach(() => void stub.seen.splice(0))

const held = globalThis as unknown as Record<string, unknown>
/** Replaces what this process keeps outside of its modules; returns what it was. */
function exchange(next: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(held).filter((name) => name.startsWith('pilothouse'))
  const before = Object.fromEntries(names.map((name) => [name, held[name]]))
  for (const name of names) delete held[name]
  Object.assign(held, next)
  return before
}

/** Another console over the same database, with modules, connections and memory of its own. */
async function secondInstance(settings: Record<string, string>) {
  let own: Record<string, unknown> = {}
  async function inside<T>(act: () => Promise<T>): Promise<T> {
    const first = exchange(own)
    try {
      return await act()
    } finally {
      own = exchange(first)
    }
  }
  vi.resetModules()
  const [serve, place] = await inside(async () => {
    const [{ testConsole: start }, { serveHttpApi: serveThere }] = await Promise.all([
      import('../testing'),
      import('./serve'),
    ])
    return [serveThere, await start(settings)] as const
  })
  expect(serve).not.toBe(serveHttpApi)
  return {
    ask: (path: string, token: string, init?: RequestInit) => inside(() => ask(serve, path, token, init)),
    close: () => inside(() => place.close()),
  }
}

async function ask(serve: typeof serveHttpApi, path: string, token: string, init: RequestInit = {}) {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(init.body ? { 'content-type': 'application/json' } : {}),
    ...init.headers,
  }
  const response = await serve(new Request(`http://localhost:3000/api/v1${path}`, { ...init, headers }))
  return { status: response.status, text: await response.text(), retryAfter: response.headers.get('retry-after') }
}

async function make(owner: Actor, kind: 'personal' | 'service') {
  await signIn(owner)
  const made = await createToken({ workspace: 'default', name: 'ci', kind, role: 'admin', deployments: null, days: 7 })
  if (!made.ok) throw new Error(made.error.message)
  return made.data
}

const READS = [
  ...['/token', '/deployments', `/deployments/${A}`, `/deployments/${B}/revisions`, '/runs', '/health', '/audit'],
  ...[`/recordings/${RECORDING}`, `/recordings/${RECORDING}/events`],
]
/** The status of each read on the second instance. */
async function reads(token: string) {
  const status: Record<string, number> = {}
  for (const path of READS) status[path] = (await second.ask(path, token)).status
  return status
}
const all = (status: number) => Object.fromEntries(READS.map((path) => [path, status]))
const redeploy = (id: string, token: string) =>
  second.ask(`/deployments/${id}/revisions`, token, { method: 'POST', body: '{}' })

test('a token that is revoked on one instance is refused by the next request to the other', async () => {
  const { id, token } = await make(admin, 'service')
  expect(await reads(token)).toEqual(all(200))
  expect(await revokeToken({ workspace: 'default', id })).toEqual({ ok: true, data: null })
  stub.seen.splice(0)
  expect(await reads(token)).toEqual(all(401))
  expect((await redeploy(A, token)).status).toBe(401)
  expect((await ask(serveHttpApi, '/token', token)).status).toBe(401)
  expect(stub.seen).toEqual([])
})

test('a token has one limit of requests for both instances, and is told when to ask again', async () => {
  const { token } = await make(admin, 'service')
  let allowed = 0
  for (let turn = 0; turn < 310; turn += 1) {
    const answers = [await ask(serveHttpApi, '/token', token), await second.ask('/token', token)]
    allowed += answers.filter(({ status }) => status === 200).length
  }
  expect(allowed).toBeLessThanOrEqual(600)
  expect(allowed).toBeGreaterThanOrEqual(570) // what an instance holds may end unused
  const refused = await second.ask('/token', token)
  expect(refused.status).toBe(429)
  expect(Number(refused.retryAfter)).toBeGreaterThan(0)
  expect(Number(refused.retryAfter)).toBeLessThanOrEqual(62)
}, 60_000)

test('an address without a valid token has one limit for both instances, and its requests with a token write nothing', async () => {
  const slices = async () =>
    (await (await db()).execute(sql`select count(*)::int as n from console.limit_slices`)).rows[0]?.n
  const { token } = await make(admin, 'service')
  await forgetLimits()
  expect((await ask(serveHttpApi, '/token', token)).status).toBe(200)
  expect(await slices()).toBe(1) // of the token
  const init = { headers: { 'x-forwarded-for': '192.0.2.9' } }
  const both = async () => [await ask(serveHttpApi, '/token', 'wrong', init), await second.ask('/token', 'wrong', init)]
  let refused = 0
  for (let turn = 0; turn < 40; turn += 1) {
    const answers = await both()
    refused += answers.filter(({ status }) => status === 401).length
  }
  expect(refused).toBeLessThanOrEqual(60)
  expect(refused).toBeGreaterThanOrEqual(57) // what an instance holds may end unused
  for (const answer of await both())
    expect(answer).toMatchObject({ status: 429, retryAfter: expect.stringMatching(/^[1-6]?\d$/) })
})

test('rights that are narrowed on one instance are narrowed on the other at once', async () => {
  const owner = await testActor({ default: 'admin' })
  const { token } = await make(owner, 'personal')
  expect(await reads(token)).toEqual(all(200))
  const become = async (rights: Pick<Parameters<typeof setRole>[0], 'role' | 'deployments'>) => {
    await signIn(admin)
    expect(await setRole({ workspace: 'default', account: owner.account.id, ...rights })).toMatchObject({ ok: true })
  }
  await become({ role: null, deployments: { [A]: 'developer' } })
  expect(await reads(token)).toMatchObject({
    ...{ '/token': 200, '/deployments': 200, [`/deployments/${A}`]: 200, [`/deployments/${B}/revisions`]: 404 },
    ...{ [`/recordings/${RECORDING}`]: 404, [`/recordings/${RECORDING}/events`]: 404 },
  })
  for (const path of ['/deployments', '/health', '/runs'])
    expect((await second.ask(path, token)).text).not.toMatch(`beta|${B}`)
  stub.seen.splice(0)
  expect((await redeploy(A, token)).status).toBe(403)
  await become({ role: 'viewer' })
  expect((await second.ask(`/deployments/${B}`, token)).status).toBe(200)
  expect((await redeploy(B, token)).status).toBe(403)
  await become({ role: null })
  expect(await reads(token)).toEqual(all(401))
  await disableMember({ account: owner.account.id, isDisabled: true })
  expect(await reads(token)).toEqual(all(401))
  expect(stub.seen.filter(({ method }) => method !== 'GET')).toEqual([])
})

test('a token that is narrowed in the store has less on the other instance at once', async () => {
  const { id, token } = await make(admin, 'service')
  expect((await second.ask(`/deployments/${B}`, token)).status).toBe(200)
  const store = await db()
  await store
    .update(apiTokens)
    .set({ role: 'viewer', deployments: [A] })
    .where(eq(apiTokens.id, id))
  expect((await second.ask(`/deployments/${B}`, token)).status).toBe(404)
  expect((await redeploy(A, token)).status).toBe(403)
  await store.update(apiTokens).set({ expiresAt: new Date() }).where(eq(apiTokens.id, id))
  expect(await reads(token)).toEqual(all(401))
})
