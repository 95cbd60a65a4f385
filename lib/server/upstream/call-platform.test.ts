import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { agentServer } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import type { AppError } from '@/lib/errors'
import { createFixture, type Fixture, graphFiles } from '@/platform/testing/platform-fixture'
import type { Actor } from '../access/actor'
import { readRunRows } from '../resources/runs/list'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call } from './call'

// Real processes on a machine that other tests share.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

// `call` against a real embedded platform: HTTP, git, builds, child processes.
let fixture: Fixture
let home: TestConsole
let admin: Actor
beforeAll(async () => {
  fixture = await createFixture()
  home = await testConsole(fixture.consoleSettings)
  admin = await testActor({ local: 'admin' })
})
afterAll(async () => {
  await home.close()
  await fixture.close()
})

const by = () => ({ actor: admin })
const body = (name: string, repo: string) => ({
  name,
  source: 'github' as const,
  source_config: { integration_id: integration, repo_url: repo, deployment_type: 'dev' as const, build_on_push: false },
  source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
  secrets: [],
})
let integration = ''

test('create, read, poll until DEPLOYED, change a secret, read logs, ask the agent, delete', async () => {
  const repository = fixture.repository()
  repository.commit(graphFiles())
  const [installed] = await call(controlPlane.listGithubIntegrations, { workspace: 'local' }, by())
  integration = installed?.id ?? ''
  const created = await call(
    controlPlane.createDeployment,
    { workspace: 'local', body: body('through-the-door', repository.url) },
    by(),
  )
  const params = { deployment_id: created.id }
  const revision = (id: string) =>
    call(controlPlane.getRevision, { workspace: 'local', params: { ...params, revision_id: id } }, by())
  const first = created.latest_revision_id ?? ''
  await expect.poll(async () => (await revision(first)).status, { timeout: 20_000 }).toBe('DEPLOYED')

  const changed = await call(
    controlPlane.updateDeployment,
    { workspace: 'local', params, body: { secrets: [{ name: 'GREETING', value: 'canary-value' }] } },
    by(),
  )
  expect(JSON.stringify(changed)).not.toContain('canary')
  expect(changed.secrets).toEqual([{ name: 'GREETING' }])
  await expect
    .poll(async () => (await revision(changed.latest_revision_id ?? '')).status, { timeout: 20_000 })
    .toBe('DEPLOYED')

  const { resources } = await call(controlPlane.listRevisions, { workspace: 'local', params }, by())
  expect(resources.map(({ id }) => id)).toEqual([changed.latest_revision_id, first])
  const { logs } = await call(
    controlPlane.listRevisionLogs,
    { workspace: 'local', params: { ...params, revision_id: first }, query: { type: 'build' } },
    by(),
  )
  expect(logs.length).toBeGreaterThan(0)
  expect(
    (
      await call(controlPlane.listDeployments, { workspace: 'local', query: { name_contains: 'door' } }, by())
    ).resources.map(({ id }) => id),
  ).toEqual([created.id])
  expect(await call(agentServer.getOk, { workspace: 'local', deploymentId: created.id }, by())).toEqual({ ok: true })

  await expectTracedRuns(created)

  await call(controlPlane.deleteDeployment, { workspace: 'local', params }, by())
  const isThere = () =>
    call(controlPlane.getDeployment, { workspace: 'local', params }, by()).then(
      ({ status }) => status,
      ({ code }: AppError) => code,
    )
  await expect.poll(isThere, { timeout: 20_000 }).toBe('not_found')
})

/** Logs runs as the deployment's server does, and finds them in the workspace's list. */
async function expectTracedRuns({ id, name }: { id: string; name: string }) {
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
  const log = (minute: number, more: object, metadata: object = { thread_id: randomUUID(), graph_id: 'main' }) => {
    const run = randomUUID()
    const body = {
      ...{ id: run, name: 'main', run_type: 'chain' as const, session_name: name, start_time: at(minute) },
      ...{ inputs: {}, extra: { metadata: { ...metadata, run_id: run } }, ...more },
    }
    return call(traces.createTraceRun, { workspace: 'local', body }, by()).then(() => run)
  }
  const done = await log(1, { end_time: at(2), outputs: {} })
  const failed = await log(3, { end_time: at(4), error: 'Error: no card' })
  const lost = await log(5, {})
  await log(6, { end_time: at(7) }, { note: 'logged by a script' })
  const rows = async (query: object = {}) => (await readRunRows('local', query, admin)).rows
  await expect.poll(async () => (await rows()).map(({ run }) => run)).toEqual([lost, failed, done])
  const [first, second, third] = await rows()
  expect([first?.status, second?.status, third?.status]).toEqual(['unknown', 'error', 'success'])
  expect(second).toMatchObject({ deployment: id, startedBy: 'API', startedAt: at(3), endedAt: at(4), recording: null })
  expect((await rows({ status: 'failed' })).map(({ run }) => run)).toEqual([failed])
  expect((await rows({ deployment: id, until: at(3) })).map(({ run }) => run)).toEqual([done])
  const page = await readRunRows('local', { limit: '2' }, admin)
  expect(page.looked).toMatchObject({ traced: { deployments: 1, isPartial: false } })
  expect((await rows({ limit: '2', after: page.next })).map(({ run }) => run)).toEqual([done])
}

test('a deployment of which nothing was ever deployed has no server to ask, and says why', async () => {
  const repository = fixture.repository('broken')
  repository.commit({ 'graph.json': '{' })
  const created = await call(
    controlPlane.createDeployment,
    { workspace: 'local', body: body('broken', repository.url) },
    by(),
  )
  const params = { deployment_id: created.id, revision_id: created.latest_revision_id ?? '' }
  const status = async () => (await call(controlPlane.getRevision, { workspace: 'local', params }, by())).status
  await expect.poll(status, { timeout: 20_000 }).toBe('BUILD_FAILED')
  const error = await failure(call(agentServer.getOk, { workspace: 'local', deploymentId: created.id }, by()))
  expect(error).toMatchObject({ code: 'upstream_unreachable', message: expect.stringMatching(/build .* failed/) })
  expect(error.view.upstreamStatus).toBeUndefined() // it was not asked
  const { rows, looked } = await readRunRows('local', { deployment: created.id }, admin)
  expect([rows, looked?.problems]).toEqual([[], []])
})

describe('failures', () => {
  const params = { deployment_id: '6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f0001' }
  const ask = () => failure(call(controlPlane.getDeployment, { workspace: 'local', params }, by()))

  test("an unknown deployment is not found, with the platform's message", async () => {
    const error = await ask()
    expect(error).toMatchObject({ code: 'not_found', view: { upstreamStatus: 404 } })
    expect(error.message).toMatch(/not found|no such/i)
  })

  test("input that only the platform refuses fails with the platform's message", async () => {
    const given = body('other', '/nowhere')
    const source_config = { ...given.source_config, integration_id: params.deployment_id }
    const error = await failure(
      call(controlPlane.createDeployment, { workspace: 'local', body: { ...given, source_config } }, by()),
    )
    expect(error).toMatchObject({ code: 'invalid', message: expect.stringContaining('Integration') })
    expect(error.view.upstreamStatus).toBeGreaterThanOrEqual(400)
  })

  test("a wrong key is reported as the workspace's and never shown", async () => {
    home.set({ ...fixture.consoleSettings, CONTROL_PLANE_API_KEY: 'wrong-key' })
    const error = await ask()
    expect(error).toMatchObject({ code: 'upstream_refused_key' })
    expect(error.message).toContain("refused this workspace's API key")
    expect(error.message).not.toContain('wrong-key')
    home.set(fixture.consoleSettings)
  })

  test('a platform that is down is reported, and used again once it is back', async () => {
    const { url } = fixture.platform
    await fixture.platform.stop()
    const error = await ask()
    expect(error).toMatchObject({
      code: 'upstream_unreachable',
      message: `The control plane at ${url} cannot be reached (connection refused).`,
    })
    await fixture.start()
    home.set(fixture.consoleSettings)
    expect(await ask()).toMatchObject({ code: 'not_found' })
  })
})
