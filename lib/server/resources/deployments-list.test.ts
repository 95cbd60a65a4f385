import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { deploymentRecord } from '@/e2e/support/sample-inputs'
import { type Seen, type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { rowHealth } from '@/lib/contracts/deployments/deployment-row'
import { BOM } from '@/lib/format/csv'
import { anchorsAfter } from '@/lib/lists/anchored-page'
import { createFixture, type Fixture } from '@/platform/testing/platform-fixture'
import type { Actor } from '../access/actor'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { db } from '../process/db'
import { recordings } from '../recorder/schema'
import { deleteView, listViews, saveView, updateView, type ViewChange } from '../records/saved-views'
import { type TestConsole, testActor, testConsole } from '../testing'
import { readDeploymentRows, readRowsById } from './deployment-rows'
import { bulkDelete } from './deployments-bulk'
import { exportDeployments } from './deployments-export'

vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 })

let fixture: Fixture
let stub: StubUpstream
let home: TestConsole
let admin: Actor
let viewer: Actor
const ids: string[] = []
const names = Array.from({ length: 23 }, (_, index) => `fleet-${String(index).padStart(2, '0')}`)

/** Switches the control plane that responds. */
const against = (kind: 'platform' | 'stub') =>
  home.set(kind === 'stub' ? { CONTROL_PLANE_URL: stub.url } : fixture.consoleSettings)
const workspaceOf = { platform: 'local', stub: 'default' }
const rows = (query: Record<string, unknown> = {}, actor = viewer) => readDeploymentRows('local', query, { actor })

beforeAll(async () => {
  fixture = await createFixture()
  stub = await startStubUpstream()
  home = await testConsole()
  against('platform')
  admin = await testActor({ local: 'admin', default: 'admin' })
  viewer = await testActor({ local: 'viewer', default: 'viewer' })
  for (const name of names) {
    const { status, body } = await fixture.client.create(name, '/nowhere', {
      secrets: name === 'fleet-03' ? [{ name: 'TOKEN', value: 'canary-secret-value' }] : [],
    })
    expect(status).toBe(201)
    ids.push(body.id)
  }
})
afterAll(async () => {
  await home.close()
  await stub.stop()
  await fixture.close()
})

describe('a page of the list', () => {
  test('joins each row with its revisions in one read, for viewers too', async () => {
    await expect
      .poll(async () => (await rows({ limit: 5, sort: 'created' })).rows.map(({ latest }) => latest?.status), {
        timeout: 20_000,
      })
      .toEqual(Array(5).fill('BUILD_FAILED'))
    const page = await rows({ limit: 5, sort: 'created' })
    expect(page).toMatchObject({ offset: 0, hasNext: true, isLost: false })
    expect(page.rows.map(({ name }) => name)).toEqual(names.slice(-5).reverse())
    expect(page.rows[0]).toMatchObject({ active: null, latest: { at: expect.any(String) }, repo: '/nowhere' })
  })

  test('counts the health of all deployments, and lists one kind of it', async () => {
    const failing = { counts: { ok: 0, failing: names.length, progress: 0, unknown: 0 }, isCut: false }
    await expect.poll(async () => (await rows({ limit: 5 })).health, { timeout: 20_000 }).toEqual(failing)
    const first = await rows({ health: 'failing', limit: 20 })
    expect(first).toMatchObject({ hasNext: true, health: failing })
    const second = await rows({ health: 'failing', limit: 20, offset: 20, after: anchorsAfter(first.rows).join(',') })
    expect(second.hasNext).toBe(false)
    expect([...first.rows, ...second.rows].map(({ name }) => name)).toEqual(names.toReversed())
    expect((await rows({ health: 'failing', name_contains: '03' })).rows.map(({ name }) => name)).toEqual(['fleet-03'])
    expect((await rows({ health: 'ok' })).rows).toEqual([])
    expect(await failure(rows({ health: 'failing' }, await testActor({ other: 'admin' })))).toMatchObject({
      code: 'not_found',
    })
  })

  test('has failing deployments first, or the order that was asked for', async () => {
    against('stub')
    const of = (name: string, latest: string, updated_at: string) => ({
      ...deploymentRecord(null),
      ...{ id: name, name, updated_at, latest_revision_id: latest, active_revision_id: 'active', status: 'READY' },
    })
    const all = [
      of('b-healthy', 'active', '2026-01-03T00:00:00Z'),
      of('a-rolling', 'moving', '2026-01-01T00:00:00Z'),
      of('c-failed', 'failed', '2026-01-02T00:00:00Z'),
    ]
    const statuses: Record<string, string> = { active: 'DEPLOYED', moving: 'BUILDING', failed: 'BUILD_FAILED' }
    stub.respondWith(({ path }) => {
      const id = /revisions\/(\w+)/.exec(path)?.[1]
      const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' }
      return id
        ? { body: { id, status: statuses[id], ...times, source_revision_config: {} } }
        : { body: { resources: all, offset: all.length } }
    })
    const ordered = async (query = {}) => {
      const page = await readDeploymentRows(workspaceOf.stub, query, { actor: viewer })
      return [page.sort, ...page.rows.map(({ name }) => name)]
    }
    expect(await ordered()).toEqual(['health', 'c-failed', 'a-rolling', 'b-healthy'])
    expect(await ordered({ sort: 'name' })).toEqual(['name', 'a-rolling', 'b-healthy', 'c-failed'])
    expect(await ordered({ sort: 'updated' })).toEqual(['updated', 'b-healthy', 'c-failed', 'a-rolling'])
    expect(await ordered({ sort: 'created' })).toEqual(['created', 'b-healthy', 'a-rolling', 'c-failed'])
    expect(await ordered({ limit: 1, offset: 1 })).toEqual(['health', 'a-rolling'])
    expect((await failure(ordered({ sort: 'shape' }))).code).toBe('invalid')
    against('platform')
  })

  /** A workspace of its own whose control plane has these healthy deployments, and who may see them. */
  async function workspaceWith(slug: string, names: string[], otherwise: () => Promise<unknown> | unknown) {
    await insertWorkspace(
      NewWorkspace.parse({
        ...{ kind: 'control-plane', slug, name: slug, dialect: 'auto', allowedOrigins: [] },
        ...{ baseUrl: stub.url, keys: { apiKey: 'key' }, traces: { url: stub.url } },
      }),
    )
    const all = names.map((id) => ({
      ...deploymentRecord(null),
      ...{ id, name: id, latest_revision_id: 'active', active_revision_id: 'active', status: 'READY' },
    }))
    stub.respondWith(async ({ path }) => {
      const single = all.find(({ id }) => path.endsWith(`/v2/deployments/${id}`))
      const listed = path.startsWith('/v2/deployments') && { resources: all, offset: all.length }
      return { body: single ?? (listed || (await otherwise())) }
    })
    return { actor: await testActor({ [slug]: 'viewer' }) }
  }

  test('calls no deployment healthy whose runs are still being read', async () => {
    let answer = (_: []) => {}
    const traces = new Promise<[]>((resolve) => {
      answer = resolve
    })
    const options = await workspaceWith('reading', ['fine'], () => traces)
    const read = () => readDeploymentRows('reading', {}, options)
    const first = await read()
    expect(first.health).toBeNull()
    expect(first.rows.map(rowHealth)).toMatchObject([{ level: 'unknown', detail: expect.stringMatching(/runs/) }])
    answer([])
    await expect.poll(async () => (await read()).health?.counts.ok, { timeout: 10_000 }).toBe(1)
    expect((await read()).rows.map((row) => rowHealth(row).level)).toEqual(['ok'])
  })

  test('counts, lists and sorts a deployment whose runs fail as failing', async () => {
    const workspace = 'failing'
    const options = await workspaceWith(workspace, ['fine', 'billing', 'idle'], () => [])
    const startedAt = new Date()
    const recorded = (deployment: string, outcome: 'success' | 'error') => ({
      ...{
        id: crypto.randomUUID(),
        workspace,
        deployment,
        assistant: 'agent',
        phase: 'ended' as const,
      },
      ...{
        outcome,
        startedBy: 'ada',
        startedAt,
        endedAt: startedAt,
        request: '{}',
        isStateless: false,
        isResumable: false,
      },
    })
    const outcomes = ['error', 'error', 'error', 'success', 'success', 'success'] as const
    await (await db())
      .insert(recordings)
      .values([...outcomes.map((one) => recorded('billing', one)), recorded('fine', 'success')])
    const page = await readDeploymentRows(workspace, {}, options)
    expect(page.health?.counts).toEqual({ ok: 2, failing: 1, progress: 0, unknown: 0 })
    expect(page.rows.map(({ name, failing }) => [name, failing?.failed])).toEqual([
      ['billing', 3],
      ['fine', undefined],
      ['idle', undefined],
    ])
    const failing = await readDeploymentRows(workspace, { health: 'failing' }, options)
    expect(failing.rows.map(({ name }) => name)).toEqual(['billing'])
    const [found] = (await readRowsById(workspace, ['billing'], options)) ?? []
    expect(found?.failing).toMatchObject({ runs: 6, failed: 3 })
  })

  test('continues after the last row seen when rows come and go', async () => {
    const first = await rows({ limit: 10, sort: 'created' })
    const { body } = await fixture.client.create('fleet-late', '/nowhere')
    const next = { limit: 10, offset: 10, sort: 'created', after: anchorsAfter(first.rows).join(',') }
    const second = await rows(next)
    expect(second.offset).toBe(11)
    expect(second.rows.map(({ name }) => name)).toEqual(names.slice(3, 13).reverse())
    await fixture.client.request('DELETE', `/v2/deployments/${body.id}`)
    await expect.poll(async () => (await rows(next)).offset, { timeout: 10_000 }).toBe(10)
    expect((await rows(next)).rows).toHaveLength(10)
  })

  test('of many deployments waits for no second reading of them all', async () => {
    against('stub')
    vi.useFakeTimers({ toFake: ['Date'] })
    const record = { ...deploymentRecord(null), latest_revision_id: 'b', active_revision_id: 'a' }
    const revision = { id: 'b', status: 'DEPLOYED', created_at: 'x', updated_at: 'x', source_revision_config: {} }
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    let isHeld = false
    stub.respondWith(async ({ path }) => {
      if (path.includes('/revisions/')) return { body: revision }
      const query = new URL(path, 'http://stub').searchParams
      const [offset, limit] = [Number(query.get('offset')), Number(query.get('limit'))]
      if (isHeld && offset > 0) await gate
      return {
        body: { resources: Array.from({ length: limit }, (_, n) => ({ ...record, id: `many-${offset + n}` })), offset },
      }
    })
    const read = () => readDeploymentRows(workspaceOf.stub, {}, { actor: viewer })
    await expect.poll(async () => (await read()).health?.isCut, { timeout: 10_000 }).toBe(true)
    isHeld = true
    vi.setSystemTime(Date.now() + 40_000)
    const page = await read()
    expect(page.rows[0]?.id).toBe('many-0')
    expect(page.health).toMatchObject({ isCut: true, counts: { ok: 1000 } })
    vi.setSystemTime(Date.now() + 600_000)
    expect(await read()).toMatchObject({ sort: 'created', health: null })
    open()
    await expect.poll(async () => (await read()).health?.isCut, { timeout: 10_000 }).toBe(true)
    vi.useRealTimers()
    against('platform')
  })

  test('refuses unknown parameters and users without a role', async () => {
    expect((await failure(rows({ limit: 1000 }))).code).toBe('invalid')
    expect((await failure(rows({ shape: 'odd' }))).code).toBe('invalid')
    expect((await failure(rows({}, await testActor({})))).code).toBe('not_found')
  })

  test('still loads when revisions cannot be read, with their state unknown', async () => {
    against('stub')
    const record = { ...deploymentRecord(null), latest_revision_id: 'b', active_revision_id: 'a' }
    stub.respondWith(({ path }) =>
      path.includes('/revisions/')
        ? { status: 500, body: { detail: 'no' } }
        : { body: { resources: [record], offset: 1 } },
    )
    const page = await readDeploymentRows(workspaceOf.stub, {}, { actor: viewer })
    expect(page.rows[0]).toMatchObject({ latest: { id: 'b', status: null }, active: { id: 'a', status: null } })
    expect(JSON.stringify(page)).not.toContain('canary')
    against('platform')
  })

  test('reads each revision once for concurrent readers', async () => {
    against('stub')
    const record = { ...deploymentRecord(null), latest_revision_id: 'r1', active_revision_id: 'r1' }
    const many = Array.from({ length: 20 }, (_, index) => ({ ...record, id: `d${index}` }))
    const revision = { id: 'r1', status: 'DEPLOYED', created_at: 'x', updated_at: 'x', source_revision_config: {} }
    stub.respondWith(({ path }) => ({
      body: path.includes('/revisions/') ? revision : { resources: many, offset: 20 },
    }))
    const before = stub.seen.length
    const read = () => readDeploymentRows(workspaceOf.stub, {}, { actor: viewer })
    const pages = await Promise.all([read(), read(), read()])
    for (const page of pages) expect(page.rows.every(({ latest }) => latest?.status === 'DEPLOYED')).toBe(true)
    await read()
    const asked = stub.seen.slice(before).map(({ path }) => path)
    expect(asked.filter((path) => path.includes('/revisions/'))).toHaveLength(20)
    against('platform')
  })
})

describe('an export', () => {
  const get = (query: string, actor = viewer) =>
    exportDeployments(
      new Request(`http://localhost:3000/api/export/local/deployments?${query}`),
      'local',
      async () => actor,
    )

  test('as CSV has all matching rows, with or without a byte order mark', async () => {
    const response = await get('format=csv&name_contains=fleet-')
    expect(response.headers.get('content-disposition')).toMatch(/attachment; filename="deployments-local-[\d-]+\.csv"/)
    const bytes = Buffer.from(await response.arrayBuffer())
    expect(bytes.subarray(0, 3)).toEqual(Buffer.from(BOM))
    const lines = bytes.toString('utf8').slice(1).trimEnd().split('\r\n')
    expect(lines[0]).toContain('"id","name","status"')
    expect(lines.slice(1).map((line) => line.split(',')[1])).toEqual(names.map((name) => `"${name}"`).reverse())
    expect(bytes.toString()).toContain('"TOKEN"')
    expect(bytes.toString()).not.toContain('canary')
    const plain = await (await get('format=csv&bom=0&name=fleet-01')).text()
    expect(plain.startsWith('"id"')).toBe(true)
    expect(plain.trimEnd().split('\r\n')).toHaveLength(2)
  })

  test('as JSON parses, even when nothing matches', async () => {
    const whole = await (await get('format=json&name_contains=fleet-0')).json()
    expect(whole).toMatchObject({ workspace: 'local', filter: { name_contains: 'fleet-0' }, is_whole: true })
    expect(whole.deployments).toHaveLength(10)
    expect((await (await get('format=json&name=none')).json()).deployments).toEqual([])
  })

  test('has each row of all pages once while rows come and go', async () => {
    against('stub')
    let list = Array.from({ length: 950 }, (_, index) => ({ ...deploymentRecord(null), id: `d${index}` }))
    stub.respondWith(({ path }) => {
      const query = new URL(path, stub.url).searchParams
      const offset = Number(query.get('offset'))
      const resources = list.slice(offset, offset + Number(query.get('limit')))
      // Between two pages three rows at the top are deleted, then one is added.
      list = [{ ...deploymentRecord(null), id: `new${offset}` }, ...list.slice(3)]
      return { body: { resources, offset: offset + resources.length } }
    })
    const response = await exportDeployments(
      new Request('http://localhost:3000/api/export/default/deployments?format=json'),
      workspaceOf.stub,
      async () => viewer,
    )
    const exported = (await response.json()).deployments.map(({ id }: { id: string }) => id)
    expect(new Set(exported).size).toBe(exported.length)
    const lasting = list.map(({ id }) => id).filter((id) => id.startsWith('d'))
    expect(lasting.filter((id) => !exported.includes(id))).toEqual([])
    against('platform')
  })

  test('reveals hidden characters: CSV by their names, JSON as escapes that parse to the same text', async () => {
    against('stub')
    const name = 'pay\u202Elortnoc'
    stub.respondWith(() => ({ body: { resources: [{ ...deploymentRecord(null), name }], offset: 1 } }))
    const file = async (format: string) => {
      const request = new Request(`http://localhost:3000/api/export/default/deployments?format=${format}`)
      return await (await exportDeployments(request, workspaceOf.stub, async () => viewer)).text()
    }
    expect(await file('csv')).toContain('"pay[RLO]lortnoc"')
    const json = await file('json')
    expect(json).toContain(String.raw`pay\u202elortnoc`)
    expect(JSON.parse(json).deployments[0].name).toBe(name)
    against('platform')
  })

  test('that is refused is an error response, not a file', async () => {
    expect((await get('format=xml')).status).toBe(422)
    expect((await get('format=csv', await testActor({}))).status).toBe(404)
    const foreign = new Request('http://localhost:3000/x?format=csv', { headers: { 'sec-fetch-site': 'cross-site' } })
    expect((await exportDeployments(foreign, 'local', async () => viewer)).status).toBe(403)
  })
})

describe('a bulk delete', () => {
  test('reports the outcome of each and requires an administrator', async () => {
    const [one, two] = ids as [string, string]
    expect((await failure(bulkDelete({ workspace: 'local', ids: [one] }, viewer))).code).toBe('forbidden')
    const ofOne = await testActor({ local: { role: 'viewer', deployments: { [one]: 'admin' } } })
    expect(await bulkDelete({ workspace: 'local', ids: [two] }, ofOne)).toEqual([
      { id: two, outcome: 'failed', reason: expect.stringContaining('This needs an admin of the deployment') },
    ])
    const [three = ''] = ids.slice(2)
    const ofThree = await testActor({ local: { role: 'viewer', deployments: { [three]: 'admin' } } })
    expect(['deleted', 'deleting']).toContain(
      (await bulkDelete({ workspace: 'local', ids: [three] }, ofThree))[0]?.outcome,
    )
    const missing = '00000000-0000-4000-8000-000000000000'
    const results = await bulkDelete({ workspace: 'local', ids: [one, missing, two] }, admin)
    expect(results.map(({ id }) => id)).toEqual([one, missing, two])
    for (const { outcome } of results) expect(['deleted', 'deleting']).toContain(outcome)
  })

  /** A control plane that responds a bulk delete with `bulk` and knows only `a` (being deleted) and `b` (kept). */
  const bulkOutcomes = (bulk: (seen: Seen) => { status: number; body?: unknown }) => {
    against('stub')
    stub.respondWith((seen) => {
      if (seen.method === 'DELETE') return bulk(seen)
      const id = seen.path.split('/').at(-1)
      if (id === 'a') return { body: { ...deploymentRecord(null), id, status: 'AWAITING_DELETE' } }
      if (id === 'b') return { body: { ...deploymentRecord(null), id } }
      return { status: 404, body: { detail: 'Deployment c not found' } }
    })
    return bulkDelete({ workspace: workspaceOf.stub, ids: ['a', 'b', 'c'] }, admin).finally(() => against('platform'))
  }
  const truth = (reason: string) => [
    { id: 'a', outcome: 'deleting' },
    { id: 'b', outcome: 'failed', reason: expect.stringContaining(reason) },
    { id: 'c', outcome: 'deleted' },
  ]

  test('looks up outcomes that the response does not give', async () => {
    const body = { results: [{ id: 'b', error: 'It is locked.' }] }
    expect(await bulkOutcomes(() => ({ status: 207, body }))).toEqual(truth('It is locked.'))
    expect(await bulkOutcomes(() => ({ status: 200, body: null }))).toEqual(truth('still exists'))
  })

  test('reports the actual outcomes after a late failure', async () => {
    expect(await bulkOutcomes(() => ({ status: 500, body: { detail: 'oops' } }))).toEqual(truth('oops'))
  })

  test('deletes one by one if the server has no bulk delete', async () => {
    const before = stub.seen.length
    const results = await bulkOutcomes(({ path }) =>
      path.includes('deployment_ids')
        ? { status: 405 }
        : path.includes('/b?')
          ? { status: 400, body: { detail: 'Not now.' } }
          : { status: 204 },
    )
    expect(results).toEqual(truth('Not now.'))
    expect(stub.seen.slice(before).filter(({ method }) => method === 'DELETE')).toHaveLength(4)
  })
})

describe('saved views', () => {
  const place = { workspace: 'local', page: 'deployments' }
  const save = async (actor: Actor, view: { name: string; query: string }, at = place) =>
    (await saveView(actor, at, view, 'request')).id
  const update = (actor: Actor, id: string, change: ViewChange) =>
    updateView(actor, { ...place, id }, change, 'request')

  test('belong to one user, have unique names and at most one default', async () => {
    const ready = await save(admin, { name: 'Ready', query: 'status=READY' })
    const prod = await save(admin, { name: 'Prod', query: 'deployment_type=prod' })
    await save(viewer, { name: 'Ready', query: '' })
    await save(admin, { name: 'Ready', query: '' }, { ...place, workspace: 'default' })
    expect((await failure(save(admin, { name: 'ready', query: '' }))).view).toMatchObject({
      code: 'conflict',
      fields: [{ path: ['name'] }],
    })
    await update(admin, ready, { isDefault: true })
    await update(admin, prod, { isDefault: true, name: 'Production' })
    expect((await failure(update(admin, prod, { name: 'READY' }))).code).toBe('conflict')
    expect((await failure(update(viewer, prod, { name: 'Mine' }))).code).toBe('not_found')
    await deleteView(viewer, { ...place, id: prod }, 'request')
    const own = { isShared: false, owner: null }
    expect(await listViews(admin, place)).toEqual([
      { ...own, id: prod, name: 'Production', query: 'deployment_type=prod', isDefault: true },
      { ...own, id: ready, name: 'Ready', query: 'status=READY', isDefault: false },
    ])
    expect(await deleteView(admin, { ...place, id: prod }, 'request')).toHaveLength(1)
  })
})
