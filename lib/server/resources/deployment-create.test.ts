import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { createBody, createFixture, type Fixture, graphFiles } from '@/platform/testing/platform-fixture'
import type { Actor } from '../access/actor'
import { db } from '../process/db'
import { log } from '../process/log'
import { type TestConsole, testActor, testConsole } from '../testing'
import { createDeployment } from './deployment-create'
import { deleteDeployment } from './deployment-delete'
import { readSettings, saveSettings } from './deployment-settings'

const loggedLines = () => Object.values(log).flatMap((write) => vi.mocked(write).mock.calls)
// Real processes on a machine that other tests share.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

type Fault =
  | 'none'
  | 'fail'
  | 'fail-late'
  | 'lost'
  | 'lost-late'
  | 'html-late'
  | 'echo'
  | 'blind'
  | 'silent'
  | 'silent-late'
let fixture: Fixture
let home: TestConsole
let door: StubUpstream
let admin: Actor
let repository: string
/** What the server does with the next write. */
let fault: Fault

// A real embedded platform behind a server that injects faults.
beforeAll(async () => {
  fixture = await createFixture()
  const made = fixture.repository()
  made.commit(graphFiles())
  repository = made.url
  door = await startStubUpstream(async ({ method, path, headers, body }) => {
    const now = method === 'GET' && fault !== 'blind' ? 'none' : fault
    const failed = { status: 500, headers: { 'content-type': 'text/plain' }, body: 'Internal Server Error' }
    if (now === 'fail') return failed
    if (now === 'lost' || now === 'blind') return (response) => void response.destroy()
    if (now === 'silent') return () => undefined
    if (now === 'echo')
      return { status: 422, body: { detail: [{ loc: ['body', 'secrets', 0, 'value'], msg: `bad: ${body}` }] } }
    const upstreamResponse = await fetch(fixture.platform.url + path, {
      method,
      headers: { 'x-api-key': String(headers['x-api-key']), 'content-type': 'application/json' },
      ...(body && { body }),
    })
    const text = await upstreamResponse.text()
    if (now === 'fail-late') return failed
    if (now === 'silent-late') return () => undefined
    if (now === 'lost-late') return (response) => void response.destroy()
    if (now === 'html-late') return { headers: { 'content-type': 'text/html' }, body: '<html>Please wait</html>' }
    return { status: upstreamResponse.status, body: text }
  })
  home = await testConsole({
    CONTROL_PLANE_URL: door.url,
    CONTROL_PLANE_API_KEY: fixture.platform.apiKey,
  })
  admin = await testActor({ default: 'admin' })
})
afterAll(async () => {
  await home.close()
  await door.stop()
  await fixture.close()
})

/** How long to wait for a silent server. */
const SILENT_MS: Partial<Record<Fault, number>> = { silent: 500, 'silent-late': 3_000 }
let names = 0
let name: string
beforeEach(() => {
  fault = 'none'
  vi.clearAllMocks()
  name = `made-${++names}`
})

const SECRET = 'canary-value-of-this-test'
const request = (key: string, more: object = {}) => ({
  workspace: 'default',
  key,
  body: { ...createBody(name, repository), secrets: [{ name: 'GREETING', value: SECRET }], ...more },
})
const create = (key = `key-of-${name}`, more: object = {}) =>
  createDeployment(request(key, more), { actor: admin, timeoutMs: SILENT_MS[fault] })
async function named(): Promise<{ id: string; latest_revision_id: string }[]> {
  const response = await fetch(`${fixture.platform.url}/v2/deployments?name=${name}`, {
    headers: { 'x-api-key': fixture.platform.apiKey },
  })
  return ((await response.json()) as { resources: { id: string; latest_revision_id: string }[] }).resources
}
const writes = () => door.seen.filter(({ method, body }) => method === 'POST' && body.includes(`"${name}"`)).length

test('two requests with one key create one deployment and get the same result', async () => {
  const [first, second] = await Promise.all([create(), create()])
  expect(second).toEqual(first)
  expect(await named()).toMatchObject([{ id: first.deployment, latest_revision_id: first.revision }])
  expect(writes()).toBe(1)
})

test('two forms with one name create one deployment; the other fails at the name field', async () => {
  const outcomes = await Promise.allSettled([create('key-of-one-form'), create('key-of-another')])
  expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(outcomes.find((one) => one.status === 'rejected')?.reason).toMatchObject({
    code: 'invalid',
    view: { fields: [{ path: ['name'] }] },
  })
  expect(await named()).toHaveLength(1)
  expect(writes()).toBe(1)
})

test.each<Fault>(['fail-late', 'lost-late', 'html-late', 'silent-late'])(
  'if the server created it but responds with %s, it is found and not created again',
  async (kind) => {
    fault = kind
    const made = await create()
    expect(made.note).toMatch(/was made/)
    expect(await named()).toMatchObject([{ id: made.deployment, latest_revision_id: made.revision }])
    fault = 'none'
    expect(await create()).toEqual(made)
    expect(writes()).toBe(1)
  },
)

test.each<Fault>(['fail', 'lost', 'silent'])(
  'if the server created nothing and responds with %s, the message says so and a retry works',
  async (kind) => {
    fault = kind
    expect((await failure(create())).message).toMatch(/nothing has changed/)
    fault = 'none'
    expect(await named()).toHaveLength(0)
    expect((await create()).note).toBeUndefined()
  },
)

test('nothing is sent when the name cannot be looked up', async () => {
  fault = 'blind'
  expect((await failure(create())).message).toMatch(/Nothing was sent/)
  expect(writes()).toBe(0)
})

test('a refusal names its field and never quotes a secret value', async () => {
  const wrong = await failure(create('key-of-wrong', { source_config: { build_on_push: true } }))
  expect(wrong.view.fields.map(({ path }) => path.join('.'))).toContain('source_config.repo_url')
  fault = 'echo'
  const echoed = await failure(create())
  expect(echoed.view.fields).toEqual([{ path: ['secrets', 'GREETING', 'value'], message: 'Refused by the server' }])
  const { rows } = await (await db()).execute(sql`select * from console.audit, console.idempotency_keys`)
  expect(JSON.stringify([echoed.view, echoed.message, loggedLines(), rows])).not.toContain(SECRET.slice(0, 12))
})

test('only administrators create, change and delete deployments', async () => {
  const developer = await testActor({ default: 'developer' })
  const { deployment: deploymentId } = await create()
  const place = { workspace: 'default', deploymentId }
  const { snapshot } = await readSettings(place, admin)
  const change = { 'source_config.build_on_push': true }
  const all = [
    createDeployment(request('another-key', { name: `${name}-more` }), { actor: developer }),
    readSettings(place, developer),
    saveSettings({ place, key: 'key-of-change', snapshot, change }, developer),
    deleteDeployment({ ...place, key: randomUUID(), name, deletesTracingProject: false }, developer),
  ]
  for (const one of await Promise.all(all.map(failure))) expect(one.code).toBe('forbidden')
  expect(writes()).toBe(1)
})

test('settings are saved with or without a new revision, and a stale edit is a conflict', async () => {
  const place = { workspace: 'default', deploymentId: (await create()).deployment }
  const read = () => readSettings(place, admin)
  const before = await read()
  expect(before).toMatchObject({ source: 'github', settings: { 'source_revision_config.repo_ref': 'main' } })
  const push = { 'source_config.build_on_push': true, 'source_config.install_command': 'npm ci' }
  const quiet = await saveSettings({ place, key: 'quiet-change', snapshot: before.snapshot, change: push }, admin)
  expect(quiet.revision).toBeNull()
  const stale = await failure(
    saveSettings(
      { place, key: 'stale-change', snapshot: before.snapshot, change: { 'source_config.build_on_push': false } },
      admin,
    ),
  )
  expect(stale.code).toBe('conflict')
  const command = { 'source_config.install_command': '', 'source_revision_config.graph_config_path': 'other.json' }
  const loud = await saveSettings({ place, key: 'loud-change', snapshot: quiet.snapshot, change: command }, admin)
  expect(loud.revision).toBe((await named())[0]?.latest_revision_id)
  expect((await read()).settings).toMatchObject({ ...push, ...command })
  const tag = { 'source_revision_config.repo_ref': 'refs/tags/v1' }
  const refused = await failure(saveSettings({ place, key: 'tag-change', snapshot: loud.snapshot, change: tag }, admin))
  expect(refused.view.fields).toMatchObject([{ path: ['source_config', 'build_on_push'] }])
})

test('deleting requires the current name, and the message after a failure is true', async () => {
  const { deployment: deploymentId } = await create()
  const remove = (typed: string) =>
    deleteDeployment(
      { workspace: 'default', deploymentId, key: randomUUID(), name: typed, deletesTracingProject: true },
      admin,
    )
  expect((await failure(remove('another'))).code).toBe('conflict')
  fault = 'lost'
  expect((await failure(remove(name))).message).toMatch(/nothing has changed/)
  expect(await named()).toHaveLength(1)
  fault = 'lost-late'
  expect((await remove(name)).note).toMatch(/is being deleted/)
  fault = 'none'
  await expect.poll(async () => (await named()).length, { timeout: 20_000 }).toBe(0)
  expect((await remove(name)).note).toMatch(/already deleted/)
})
