import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { agentSchemaName } from '../kernel/agent-database'
import {
  blockingGraph,
  type Client,
  createCanary,
  createFixture,
  type createRepository,
  type Fixture,
  graphFiles,
  isAlive,
  numberHere,
  waitFor,
} from '../testing/platform-fixture'

// Generous, because real processes are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

let fixture: Fixture
let client: Client
beforeAll(async () => {
  fixture = await createFixture()
  client = fixture.client
})
afterAll(() => fixture.close())

/** A serving deployment with its repository. */
async function serving(
  name: string,
  fields: Record<string, unknown> = {},
  files: Record<string, string> = graphFiles(),
) {
  const repository = fixture.repository(name)
  repository.commit(files)
  const { body } = await client.create(name, repository.url, fields)
  await client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
  return { id: body.id as string, first: body.latest_revision_id as string, repository }
}
const newRevision = async (id: string, patch: unknown = {}) =>
  (await client.request('POST', `/v2/deployments/${id}/revisions`, patch)).body.id as string
type Repository = ReturnType<typeof createRepository>

describe('a revision that cannot serve fails with its reason in the log, and the previous one keeps serving', () => {
  let id: string
  let first: string
  let repository: Repository
  beforeAll(async () => {
    ;({ id, first, repository } = await serving('failing'))
  })

  test.each([
    [
      'a syntax error',
      'DEPLOY_FAILED',
      () => repository.commit({ 'main.mjs': 'export const graph = {' }),
      /Graph "main".*|Unexpected/,
    ],
    [
      'a missing export',
      'DEPLOY_FAILED',
      () => repository.commit({ 'main.mjs': 'export const other = {}' }),
      /Graph "main" cannot be loaded: there is no export graph/,
    ],
    [
      'a throw at load',
      'DEPLOY_FAILED',
      () => repository.commit({ 'main.mjs': 'throw new Error("no model key")' }),
      /no model key/,
    ],
    [
      'an exit at load',
      'DEPLOY_FAILED',
      () => repository.commit({ 'main.mjs': 'process.exit(7)' }),
      /ended before it was ready: exit code 7/,
    ],
    [
      'a graph that cannot be drawn',
      'DEPLOY_FAILED',
      () => repository.commit(graphFiles('x', ', draws: false')),
      /Graph "main" failed its check.*cannot be drawn/,
    ],
    [
      'no configuration file',
      'BUILD_FAILED',
      () => [repository.git('rm', '-q', 'graph.json'), repository.commit({ 'main.mjs': 'export const graph = {}' })],
      /"graph.json" does not exist/,
    ],
    [
      'a broken configuration file',
      'BUILD_FAILED',
      () => repository.commit({ 'graph.json': '{' }),
      /graph.json is not valid JSON/,
    ],
    [
      'a Python graph',
      'BUILD_FAILED',
      () => repository.commit({ 'graph.json': '{"graphs":{"main":"./main.py:graph"}}' }),
      /JavaScript and TypeScript, not ".\/main.py"/,
    ],
    [
      'a path out of the source',
      'BUILD_FAILED',
      () => repository.commit({ 'graph.json': '{"graphs":{"main":"../../../../etc/x.mjs:graph"}}' }),
      /does not exist|points outside/,
    ],
  ])('%s: %s', async (_what, status, breakIt, reason) => {
    breakIt()
    const revision = await newRevision(id)
    await client.waitForStatus(id, revision, status)
    expect(await client.log(id, revision, status === 'BUILD_FAILED' ? 'build' : 'deploy')).toMatch(reason)
    expect((await client.get(`/v2/deployments/${id}`)).body).toMatchObject({
      active_revision_id: first,
      latest_revision_id: revision,
    })
    expect(await client.about(id)).toMatchObject({ revision: first, text: 'one' })
  })

  test('a missing ref and an invalid ref', async () => {
    for (const [ref, reason] of [
      ['nowhere', /couldn't find remote ref refs\/heads\/nowhere/],
      ['--upload-pack=touch /tmp/x', /is not a valid branch or tag name/],
      ['refs/tags/v9', /couldn't find remote ref refs\/tags\/v9/],
    ] as const) {
      const { body } = await client.patch(`/v2/deployments/${id}`, { source_revision_config: { repo_ref: ref } })
      await client.waitForStatus(id, body.latest_revision_id, 'BUILD_FAILED')
      expect(await client.log(id, body.latest_revision_id, 'build')).toMatch(reason)
    }
    expect((await client.about(id)).revision).toBe(first)
  })
})

test('the agent server sees the deployment’s secrets and the platform’s settings, and nothing else of our environment', async () => {
  process.env.OPERATOR_TOKEN = 'ours alone'
  const config = { graphs: { main: './main.mjs:graph' }, env: { PILOTHOUSE_AGENT_OWNER: 'me' } }
  const files = { ...graphFiles(), 'graph.json': JSON.stringify(config) }
  const { id, first } = await serving('environment', { secrets: [{ name: 'GREETING', value: 'hi' }] }, files)
  const about = await client.about(id)
  expect(about).toMatchObject({
    greeting: 'hi',
    revision: first,
    info: { deployment: { id, name: 'environment' }, revision: first, commit: expect.stringMatching(/^[0-9a-f]{40}$/) },
  })
  expect(about.names).not.toContain('OPERATOR_TOKEN')
  expect(about.names).not.toContain('TEST_DATABASE_URL')
  expect(about.names).not.toContain('DATABASE_URL')
  delete process.env.OPERATOR_TOKEN
})

test('only the last queued revision is rolled out; earlier ones are SKIPPED', async () => {
  const { id, repository } = await serving('queue')
  const held = path.join(fixture.folder, 'held-queue')
  writeFileSync(held, '')
  repository.commit({ 'main.mjs': blockingGraph(held, 'slow') })
  const slow = await newRevision(id)
  await waitFor('the slow one is deploying', async () => (await client.revision(id, slow)).status === 'DEPLOYING')
  repository.commit(graphFiles('quick'))
  const waiting = [await newRevision(id), await newRevision(id), await newRevision(id)]
  await waitFor('they wait', async () => (await client.revision(id, waiting[1] as string)).status === 'QUEUED')
  rmSync(held)
  await client.waitForStatus(id, slow, 'DEPLOYED')
  await client.waitForStatus(id, waiting[2] as string, 'DEPLOYED')
  expect([
    (await client.revision(id, waiting[0] as string)).status,
    (await client.revision(id, waiting[1] as string)).status,
  ]).toEqual(['SKIPPED', 'SKIPPED'])
  expect(await client.log(id, waiting[0] as string, 'build')).toMatch(/Skipped: revision 5/)
})

test('commands run in their folders with their output in the build log, without secrets in their environment', async () => {
  const { id, first } = await serving(
    'commands',
    {
      secrets: [{ name: 'TOKEN', value: 'hidden-token' }],
      source_config: {
        integration_id: '6f1a2c7e-0b51-4a86-9a5c-3d1f00000001',
        repo_url: path.join(fixture.folder, 'commands'),
        deployment_type: 'dev',
        build_on_push: false,
        install_command: 'node install.mjs',
        build_command: 'node build.mjs',
      },
      source_revision_config: { repo_ref: 'main', graph_config_path: 'agent/graph.json' },
    },
    {
      'install.mjs':
        'console.log("installing in", process.cwd().split("/").pop().length, "token", process.env.TOKEN, "hidden-token"); console.error("a warning")',
      'agent/graph.json': graphFiles()['graph.json'],
      'agent/main.mjs': graphFiles('built')['main.mjs'],
      'agent/build.mjs': 'console.log("building in", process.cwd().split("/").pop())',
    },
  )
  const log = await client.log(id, first, 'build')
  expect(log).toMatch(/installing in 36 token undefined ••••/)
  expect(log).toMatch(/building in agent/)
  expect(await client.about(id)).toMatchObject({ text: 'built' })
})

test('a failing command fails the build with its last output; an interrupt kills a running one and its process group', async () => {
  const { id, repository } = await serving('interrupt')
  await client.patch(`/v2/deployments/${id}`, { source_config: { install_command: 'node broken.mjs' } })
  repository.commit({ 'broken.mjs': 'console.error("cannot reach the registry"); process.exit(4)' })
  const broken = await newRevision(id)
  await client.waitForStatus(id, broken, 'BUILD_FAILED')
  expect(await client.log(id, broken, 'build')).toMatch(/cannot reach the registry[\s\S]*install command ended with 4/)

  repository.commit({ 'broken.mjs': 'console.log("pid", process.pid); setInterval(() => {}, 1000)' })
  const stuck = await newRevision(id)
  await waitFor('the command runs', async () => /pid \d+/.test(await client.log(id, stuck, 'build')))
  const pid = numberHere(Number(/pid (\d+)/.exec(await client.log(id, stuck, 'build'))?.[1]), 'broken.mjs')
  const waiting = await newRevision(id)
  expect((await client.request('POST', `/v2/deployments/${id}/revisions/${waiting}/interrupt`)).body.status).toBe(
    'INTERRUPTED',
  )
  expect((await client.request('POST', `/v2/deployments/${id}/revisions/${stuck}/interrupt`)).body.status).toBe(
    'INTERRUPTED',
  )
  await waitFor('the command is gone', () => !isAlive(pid))
})

test('a push to the tracked branch creates a revision, even if it cannot be built; a push elsewhere does not', async () => {
  const { id, first, repository } = await serving('pushed')
  await client.patch(`/v2/deployments/${id}`, { source_config: { build_on_push: true } })
  const latest = async () => (await client.get(`/v2/deployments/${id}`)).body.latest_revision_id
  const pushed = repository.commit(graphFiles('pushed'))
  await waitFor('a revision is made', async () => (await latest()) !== first)
  const second = await latest()
  expect((await client.waitForStatus(id, second, 'DEPLOYED')).source_revision_config.repo_commit_sha).toBe(pushed)
  expect(await client.log(id, second, 'build')).toContain(`main was pushed to: commit ${pushed}`)
  expect(await client.about(id)).toMatchObject({ text: 'pushed' })

  const broken = repository.commit({ 'graph.json': '{' })
  await waitFor('another is made', async () => (await latest()) !== second)
  const third = await latest()
  expect((await client.waitForStatus(id, third, 'BUILD_FAILED')).source_revision_config.repo_commit_sha).toBe(broken)
  repository.git('checkout', '-q', '-b', 'elsewhere')
  repository.commit(graphFiles('elsewhere'))
  await (await createCanary(fixture)).passed()
  expect(await latest()).toBe(third)
  await client.patch(`/v2/deployments/${id}`, { source_config: { build_on_push: false } })
})

test('folders of the newest five revisions stay; an older one that is redeployed is rebuilt, and its folder stays while it serves', async () => {
  const { id, first } = await serving('folders')
  const parent = path.dirname((await client.about(id)).cwd)
  const made = [first]
  for (let count = 0; count < 5; count += 1) {
    const next = await newRevision(id)
    await client.waitForStatus(id, next, 'DEPLOYED')
    made.push(next)
  }
  const folders = () => readdirSync(parent).sort()
  await waitFor('the oldest is gone', () => !folders().includes(first))
  expect(folders()).toEqual(made.slice(1).sort())
  await client.request('POST', `/v2/deployments/${id}/revisions/${first}/redeploy`)
  await client.waitForStatus(id, first, 'DEPLOYED')
  expect(await client.about(id)).toMatchObject({ revision: first, text: 'one' })
  expect(folders()).toEqual(made.sort())
})

test('an agent server that dies is restarted, with the reason in its deploy log', async () => {
  const { id, first } = await serving('crash')
  const before = await client.about(id)
  await client.get(`/agents/${id}/crash`).catch(() => {})
  await waitFor('it responds again', async () => (await client.get(`/agents/${id}/about`)).status === 200)
  expect((await client.about(id)).pid).not.toBe(before.pid)
  expect(await client.log(id, first, 'deploy')).toMatch(/server exited: exit code 3/)
  expect((await client.revision(id, first)).status).toBe('DEPLOYED')
})

test('no request fails and no stream is cut during a switch, and the old process is gone afterwards', async () => {
  const { id, first } = await serving('switch')
  const { pid } = await client.about(id)
  const held = path.join(fixture.folder, 'held')
  writeFileSync(held, '')
  const url = `${fixture.platform.url}/agents/${id}/hold?file=${encodeURIComponent(held)}`
  const open = Array.from({ length: 5 }, async () => {
    const response = await fetch(url, { headers: { 'x-api-key': fixture.platform.apiKey } })
    const seen = (await response.text()).split('\n\n').slice(0, -1)
    // Every number in order, followed by the agent server's own end.
    return seen.every((event, n) => event === `data: ${n === seen.length - 1 ? 'whole' : n}`)
  })
  const second = await newRevision(id)
  const seen = new Set<string>()
  const failures: unknown[] = []
  let isOver = false
  const load = Array.from({ length: 4 }, async () => {
    while (!isOver) {
      const response = await client.get(`/agents/${id}/about`).catch((error) => ({ status: 0, body: error }))
      if (response.status === 200) seen.add(response.body.revision)
      else failures.push(response)
    }
  })
  await client.waitForStatus(id, second, 'DEPLOYED')
  await waitFor('the new one responds', () => seen.has(second))
  expect(isAlive(pid)).toBe(true)
  rmSync(held)
  expect(await Promise.all(open)).toEqual([true, true, true, true, true])
  await waitFor('the old process is gone', () => !isAlive(pid))
  isOver = true
  await Promise.all(load)
  expect(failures).toEqual([])
  expect([...seen].sort()).toEqual([first, second].sort())
})

test('a deleted deployment waits for its process to end, then loses its folder, database schema and role', async () => {
  const { id } = await serving('gone')
  const { pid, cwd } = await client.about(id)
  expect(await client.request('DELETE', `/v2/deployments/${id}?force=true`)).toMatchObject({ status: 400 })
  expect((await client.request('DELETE', `/v2/deployments/${id}`)).status).toBe(204)
  expect(['AWAITING_DELETE', undefined]).toContain((await client.get(`/v2/deployments/${id}`)).body.status)
  expect((await client.get(`/agents/${id}/ok`)).status).toBe(404)
  await waitFor('it is gone', async () => (await client.get(`/v2/deployments/${id}`)).status === 404)
  expect([isAlive(pid), existsSync(cwd)]).toEqual([false, false])
  const connection = new pg.Client({ connectionString: fixture.database.url })
  await connection.connect()
  const { rows } = await connection.query(
    'select from pg_namespace where nspname = $1 union all select from pg_roles where rolname = $1',
    [agentSchemaName(id)],
  )
  await connection.end()
  expect(rows).toEqual([])
})
