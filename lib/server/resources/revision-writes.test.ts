import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { startStubUpstream } from '@/e2e/support/stub-upstream'
import { restoreRequest } from '@/lib/contracts/deployments/restore'
import { createFixture, type Fixture, graphFiles, waitFor } from '@/platform/testing/platform-fixture'
import type { Actor } from '../access/actor'
import { listRevisionChanges } from '../records/changes'
import { type TestConsole, testActor, testConsole } from '../testing'
import { downloadLog } from './logs/log-download'
import { interruptRevision, redeployRevision, restoreRevision } from './revision-writes'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 30_000 })

// Against a real embedded platform, and against a server that fails.
let fixture: Fixture
let home: TestConsole
let admin: Actor
let viewer: Actor
let deploymentId: string
let first: string
beforeAll(async () => {
  fixture = await createFixture()
  home = await testConsole(fixture.consoleSettings)
  admin = await testActor({ local: 'admin' })
  viewer = await testActor({ local: 'viewer' })
  const repository = fixture.repository()
  repository.commit(graphFiles())
  const { body } = await fixture.client.create('restorable', repository.url)
  deploymentId = body.id
  first = body.latest_revision_id
  await fixture.client.waitForStatus(deploymentId, first, 'DEPLOYED')
})
afterAll(async () => {
  await home.close()
  await fixture.close()
})

const place = (revision = first) => ({ workspace: 'local', deploymentId, revision, key: randomUUID() })
const record = async () => (await fixture.client.get(`/v2/deployments/${deploymentId}`)).body
/** A restore request as a user would review it now. */
const reviewed = async (revision = first) => {
  const now = await record()
  const request = restoreRequest(await fixture.client.revision(deploymentId, revision), now)
  if ('problem' in request) throw new Error(request.problem)
  return { ...place(revision), latest: now.latest_revision_id as string, reviewed: JSON.stringify(request.body) }
}

describe('with a server that responds', () => {
  test('a restore creates the reviewed revision and records who made it', async () => {
    const { revision: made } = await restoreRevision(await reviewed(), admin)
    expect(made).not.toBe(first)
    const found = await fixture.client.waitForStatus(deploymentId, made, 'DEPLOYED')
    expect(found.source_revision_config).toMatchObject({ repo_ref: 'main', graph_config_path: 'graph.json' })
    const [change] = await listRevisionChanges(viewer, { workspace: 'local', deploymentId })
    expect(change).toMatchObject({ operation: 'updateDeployment', who: admin.email, isDone: true })
  })

  test('a restore sends nothing if a revision was created since its review', async () => {
    const input = await reviewed()
    const patch = { source_revision_config: { repo_ref: 'main' } }
    const { body } = await fixture.client.patch(`/v2/deployments/${deploymentId}`, patch)
    expect(await failure(restoreRevision(input, admin))).toMatchObject({ code: 'conflict' })
    expect((await record()).latest_revision_id).toBe(body.latest_revision_id)
    await fixture.client.waitForStatus(deploymentId, body.latest_revision_id, 'DEPLOYED')
  })

  test('an old revision can be redeployed, and an ended one cannot be interrupted', async () => {
    expect(await redeployRevision(place(), admin)).toEqual({ revision: first })
    await fixture.client.waitForStatus(deploymentId, first, 'DEPLOYED')
    await waitFor('it serves again', async () => (await record()).active_revision_id === first)
    expect(await failure(interruptRevision(place(), admin))).toMatchObject({ code: 'conflict' })
  })

  test('users without the role send nothing and learn nothing', async () => {
    const before = await record()
    // Await all at once, or an early rejection counts as unhandled.
    const attempts = [
      redeployRevision(place(), viewer),
      interruptRevision(place(), viewer),
      restoreRevision({ ...place(), latest: null, reviewed: '' }, viewer),
    ]
    for (const refusal of await Promise.all(attempts.map(failure))) expect(refusal).toMatchObject({ code: 'forbidden' })
    expect(await record()).toEqual(before)
    const stranger = await testActor({ elsewhere: 'admin' })
    expect(await failure(listRevisionChanges(stranger, { workspace: 'local', deploymentId }))).toMatchObject({
      code: 'not_found',
    })
  })

  test('a whole log downloads as a text file, and a refusal is an error response', async () => {
    const request = new Request('http://localhost:3000/api/logs', { headers: { 'sec-fetch-site': 'same-origin' } })
    const params = { workspace: 'local', deploymentId, revisionId: first, type: 'build' }
    const file = await downloadLog(request, params, async () => viewer)
    expect(file.headers.get('content-disposition')).toMatch(/^attachment; filename="build-[\w-]+\.log"$/)
    const text = await file.text()
    const lines = (await fixture.client.log(deploymentId, first, 'build')).split('\n')
    expect(text.trimEnd().split('\n')).toHaveLength(lines.length)
    expect(text).toContain(lines[0])
    const stranger = await testActor({ elsewhere: 'admin' })
    expect((await downloadLog(request, params, async () => stranger)).status).toBe(404)
    expect((await downloadLog(request, { ...params, type: 'other' }, async () => viewer)).status).toBe(404)
    const textOf = async (query: string) => {
      const all = new Request(`http://localhost:3000/api/logs?${query}`, {
        headers: { 'sec-fetch-site': 'same-origin' },
      })
      const file = await downloadLog(all, { ...params, revisionId: 'all' }, async () => viewer)
      return file.status === 200 ? await file.text() : file.status
    }
    expect(await textOf('')).toContain(text)
    expect(await textOf('to=2020-01-01T00:00:00Z')).toBe('')
    expect(await textOf('level=CRITICAL')).toBe('')
    expect(await textOf('level=LOUD')).toBe(422)
    expect(await textOf('from=soon')).toBe(422)
    const foreign = new Request(request, { headers: { 'sec-fetch-site': 'cross-site' } })
    expect((await downloadLog(foreign, params, async () => viewer)).status).toBe(403)
  })
})

describe('with a server that fails', () => {
  const at = new Date(0).toISOString()
  const revision = {
    id: 'r',
    status: 'DEPLOYED',
    source: 'github',
    created_at: at,
    updated_at: at,
    source_revision_config: { repo_ref: 'main' },
  }
  const base = {
    id: 'd',
    name: 'd',
    source: 'github',
    source_config: {},
    source_revision_config: {},
    secrets: [],
    created_at: at,
    updated_at: at,
    status: 'READY',
    latest_revision_id: 'r',
    active_revision_id: 'r',
  }
  let stub: Awaited<ReturnType<typeof startStubUpstream>>
  let isDone = false
  let writes = 0
  let whatWritesDo: 'commit' | 'nothing' = 'commit'
  beforeAll(async () => {
    stub = await startStubUpstream(({ method, path }) => {
      if (method !== 'GET') {
        writes += 1
        isDone = whatWritesDo === 'commit'
        return { status: 500, body: { detail: 'Internal error' } }
      }
      if (path.includes('/revisions/')) return { body: { ...revision, status: isDone ? 'QUEUED' : 'DEPLOYED' } }
      return { body: base }
    })
    home.set({ ...fixture.consoleSettings, CONTROL_PLANE_URL: stub.url })
  })
  afterAll(async () => {
    home.set(fixture.consoleSettings)
    await stub.stop()
  })

  test('a write that took effect succeeds with a note', async () => {
    whatWritesDo = 'commit'
    const done = await redeployRevision(
      { workspace: 'local', deploymentId: 'd', revision: 'r', key: randomUUID() },
      admin,
    )
    expect(done).toMatchObject({ revision: 'r', note: expect.stringContaining('but the change was made') })
  })

  test('a write without effect fails with a message that nothing has changed', async () => {
    isDone = false
    whatWritesDo = 'nothing'
    const error = await failure(
      redeployRevision({ workspace: 'local', deploymentId: 'd', revision: 'r', key: randomUUID() }, admin),
    )
    expect(error.message).toContain('nothing has changed so far')
  })

  test('two requests with one key are one write, and the key cannot be reused for another', async () => {
    isDone = false
    whatWritesDo = 'commit'
    writes = 0
    const input = { workspace: 'local', deploymentId: 'd', revision: 'r', key: 'one-dialog' }
    const press = () => redeployRevision(input, admin)
    const [one, two] = await Promise.all([press(), press()])
    expect([writes, two]).toEqual([1, one])
    const misuse = redeployRevision({ ...input, revision: 'other' }, admin)
    expect(await failure(misuse)).toMatchObject({ code: 'conflict' })
  })
})
