import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { GET as getPrices } from '@/app/api/prices/[workspace]/route'
import { deploymentRecord, SAMPLE_ID as id } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Role } from '@/lib/contracts/wire/api'
import type { Subscription } from '@/lib/contracts/wire/live'
import { AppError } from '@/lib/errors'
import { MAX_FAVOURITES } from '@/lib/lists/saved'
import type { Actor } from '@/lib/server/access/actor'
import { readSecrets } from '@/lib/server/edits/read-secrets'
import { readWaiting } from '@/lib/server/inbox/inbox-thread'
import { serveLive } from '@/lib/server/live/serve'
import { listFavourites } from '@/lib/server/records/favourites'
import { relay } from '@/lib/server/relay/relay'
import { readDeploymentRows } from '@/lib/server/resources/deployment-rows'
import { exportDeployments } from '@/lib/server/resources/deployments-export'
import { downloadLog } from '@/lib/server/resources/logs/log-download'
import { readRunRows } from '@/lib/server/resources/runs/list'
import { signIn, type TestConsole, type TestPeople, testActor, testConsole, testPeople } from '@/lib/server/testing'
import { deleteDeployments } from './bulk'
import { createCron, deleteCron, runCron, updateCron } from './crons'
import { createDeployment, deleteDeployment, readSettings, saveSettings } from './deployments'
import { setFavourite } from './favourites'
import { answerThread, answerThreads } from './inbox'
import { saveResourceSpec } from './platform/resource-spec'
import { savePrice } from './prices'
import { interruptRevision, redeployRevision, restoreRevision } from './revisions'
import { cancelRuns } from './runs'
import { deleteView, saveView, updateView } from './saved-views'
import { saveSecrets } from './secrets'
import { deleteItem, putItem } from './store'
import { saveTemplate } from './templates'

// Tries every operation on deployments as every role. The table below is written by hand: it is the specification.

let actor: Actor
vi.mock('next/headers', () => import('@/lib/server/access/testing'))
const workspace = 'default'
const place = { workspace, deploymentId: id }
const at = { ...place, revision: id }
const cron = { ...place, cron: id }
const item = { ...place, namespace: ['a'], key: 'b' }
const snapshot = { digest: '', fingerprints: [], updatedAt: null, latestRevision: null }
const price = { provider: null, input: 1, output: 2, cachedInput: null, reasoning: null, validFrom: null }
let keys = 0
const key = () => `matrix-key-${++keys}`
const record = deploymentRecord(null)
const create = JSON.stringify({ ...record, name: 'made', secrets: [] })

/** The code if the role was refused; null if the call succeeded or failed for another reason. */
type Try = () => Promise<string | null>
const REFUSALS = ['unauthenticated', 'forbidden', 'not_found']
const refusal = (code: string | undefined) => (code !== undefined && REFUSALS.includes(code) ? code : null)
type Outcome = { ok: boolean; error?: { code: string } }
const action =
  (run: () => Promise<Outcome>): Try =>
  async () =>
    refusal((await run()).error?.code)
const read =
  (run: () => Promise<unknown>): Try =>
  () =>
    run().then(
      () => null,
      (error: unknown) => (error instanceof AppError ? refusal(error.code) : Promise.reject(error)),
    )
const get = (url: string) => new Request(`http://localhost:3000${url}`)
const served =
  (run: () => Promise<Response>): Try =>
  async () => {
    const response = await run()
    const text = await response.text()
    return response.ok ? null : refusal((JSON.parse(text) as { code: string }).code)
  }
const relayed = (path: string): Try =>
  served(() => relay(controlPlane).GET(get(`/api/relay/${workspace}/control-plane${path}`)))
/** The first message of the stream about one subscription. */
const live =
  (wanted: Record<string, unknown>): Try =>
  async () => {
    const stop = new AbortController()
    const body = JSON.stringify({ subscriptions: [{ id: 'one', workspace, ...wanted } as Subscription] })
    const headers = { 'content-type': 'application/json', origin: 'http://localhost:3000' }
    const request = new Request('http://localhost:3000/api/live', {
      method: 'POST',
      body,
      headers,
      signal: stop.signal,
    })
    const response = await serveLive(request, { who: async () => actor })
    if (!response.ok) return refusal(((await response.json()) as { code: string }).code)
    let text = ''
    const decoder = new TextDecoder()
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(part, { stream: true })
      if (/^data: .*\n/m.test(text)) break
    }
    stop.abort()
    return refusal(/"code":"(\w+)"/.exec(text)?.[1]) ?? (/"ended":true/.test(text) ? 'forbidden' : null)
  }

const template = JSON.stringify({
  ...{ assistant: 'a', threadKind: 'new', inputKind: 'message', message: 'Hello', json: null, context: '' },
  ...{ modes: [], subgraphs: true, multitask: 'enqueue' },
})
const LOG = { workspaceId: workspace, workspace, deploymentId: id, revisionId: id, type: 'build' }
const MATRIX: Record<Role, Record<string, Try>> = {
  viewer: {
    'read the list': read(() => readDeploymentRows(workspace, {}, { actor })),
    'read the names of secrets': read(() => readSecrets(place, actor)),
    'relay the list': relayed('/v2/deployments'),
    'relay a deployment': relayed(`/v2/deployments/${id}`),
    'relay revisions': relayed(`/v2/deployments/${id}/revisions`),
    'relay a log': relayed(`/v2/deployments/${id}/revisions/${id}/logs?type=build`),
    'export the list': served(() => exportDeployments(get('/api/export?format=csv'), workspace)),
    'download a log': served(() => downloadLog(get('/api/logs'), LOG)),
    'follow the list': live({ kind: 'deployments', query: {} }),
    'follow a deployment': live({ kind: 'deployment', deployment: id }),
    'follow revisions': live({ kind: 'revisions', deployment: id }),
    'follow a revision': live({ kind: 'revision', deployment: id, revision: id }),
    'follow the inbox': live({ kind: 'inbox' }),
    'read what a thread waits for': read(() => readWaiting({ ...place, thread: id }, { actor })),
    'follow a log': live({ kind: 'logs', deployment: id, revision: id, type: 'build', cursor: 0 }),
    'read the runs': read(() => readRunRows(workspace, {}, actor)),
    'follow the runs': live({ kind: 'runs', query: {} }),
    'read the prices': served(() => getPrices(get('/api/prices/default'), { params: Promise.resolve({ workspace }) })),
    'save a template': action(() =>
      saveTemplate({ workspace, deploymentId: id, name: `template ${++keys}`, body: template }),
    ),
    'save a view': action(() => saveView({ workspace, page: 'deployments', name: `view ${++keys}`, query: '' })),
  },
  developer: {
    'answer a thread': action(() => answerThread({ place: { ...place, thread: id }, answers: '[]', key: key() })),
    'answer several threads': action(() =>
      answerThreads({ workspace, key: key(), threads: [{ deploymentId: id, thread: id, answers: '[]' }] }),
    ),
    'create a cron': action(() =>
      createCron({ ...place, key: key(), body: '{"assistant_id":"a","schedule":"0 0 * * *"}' }),
    ),
    'create a cron on a thread': action(() =>
      createCron({ ...place, thread: id, key: key(), body: '{"assistant_id":"a","schedule":"0 0 * * *"}' }),
    ),
    'change a cron': action(() =>
      updateCron({ place: cron, key: key(), expectedUpdatedAt: null, patch: '{"enabled":false}' }),
    ),
    'run a cron': action(() => runCron({ place: cron, key: key() })),
    'delete a cron': action(() => deleteCron({ place: cron })),
    'put an item': action(() => putItem({ place: item, value: '{}', expectedUpdatedAt: null, requestKey: key() })),
    'delete an item': action(() => deleteItem(item)),
    'cancel runs': action(() => cancelRuns({ workspace, ids: [`${id}/${id}/${id}`], action: 'interrupt', key: key() })),
  },
  admin: {
    'create a deployment': action(() => createDeployment({ workspace, key: key(), body: create })),
    'read the settings to edit them': action(() => readSettings(place)),
    'save settings': action(() =>
      saveSettings({ place, key: key(), snapshot, change: { 'source_revision_config.repo_ref': 'next' } as never }),
    ),
    'save secrets': action(() =>
      saveSecrets({ place, key: key(), snapshot, changes: [{ kind: 'set', name: 'A', value: 'b' }] }),
    ),
    'save a resource spec': action(() => saveResourceSpec({ place, key: key(), snapshot, spec: '{"cpu":1}' })),
    'redeploy a revision': action(() => redeployRevision({ ...at, key: key() })),
    'interrupt a revision': action(() => interruptRevision({ ...at, key: key() })),
    'restore a revision': action(() => restoreRevision({ ...at, key: key(), latest: null, reviewed: '{}' })),
    'delete a deployment': action(() =>
      deleteDeployment({ ...place, key: key(), name: 'other', deletesTracingProject: false }),
    ),
    'save a price': action(() => savePrice({ workspace, price: { ...price, model: `model ${++keys}` } })),
    'delete deployments': action(() => deleteDeployments({ workspace, ids: [id], key: key() })),
  },
}
let stub: StubUpstream
let home: TestConsole
let people: TestPeople
beforeAll(async () => {
  const revision = { ...record, status: 'BUILDING', source_revision_config: {} }
  stub = await startStubUpstream(({ path }) => {
    if (path.includes('/logs')) return { body: { logs: [], next_offset: null } }
    if (/\/revisions\/[^/]+/.test(path)) return { body: revision }
    if (path.includes('/revisions')) return { body: { resources: [revision], offset: 0 } }
    return { body: /deployments(\?|$)/.test(path) ? { resources: [record], offset: 0 } : record }
  })
  home = await testConsole({ CONTROL_PLANE_URL: stub.url, CONTROL_PLANE_API_KEY: 'key' })
  people = await testPeople()
})
afterAll(async () => {
  await home.close()
  await stub.stop()
})
beforeEach(() => void stub.seen.splice(0))

const RANKS: Role[] = ['viewer', 'developer', 'admin']
const cases = RANKS.flatMap((needed) =>
  Object.entries(MATRIX[needed]).map(([what, run]) => [what, needed, run] as const),
)
/** Subscriptions come last: they share a poller, which runs on for a while after the last subscriber. */
const isFollowed = (what: string) => what.startsWith('follow ')
cases.sort(([left], [right]) => Number(isFollowed(left)) - Number(isFollowed(right)))

describe('required roles', () => {
  test.each(cases)('%s: %s and above', async (what, needed, run) => {
    for (const role of ['stranger', ...RANKS] as const) {
      stub.seen.splice(0)
      actor = await signIn(people[role])
      const result = await run()
      if (role !== 'stranger' && RANKS.indexOf(role) >= RANKS.indexOf(needed)) {
        expect(result, role).toBeNull()
        continue
      }
      expect(result, role).toMatch(role === 'stranger' ? /^(not_found|forbidden)$/ : /^forbidden$/)
      if (!isFollowed(what)) expect(stub.seen, `${role} reached the server`).toEqual([])
    }
  })

  /** What needs a role for the whole workspace. */
  const OF_WORKSPACE = ['create a deployment', 'save a price']
  /** What someone with roles for other deployments gets without this one, or is told of each deployment by itself. */
  const ALSO_WITHOUT = [
    ...['read the list', 'relay the list', 'export the list', 'follow the list', 'follow the inbox', 'read the runs'],
    ...[
      'follow the runs',
      'read the prices',
      'save a view',
      'delete deployments',
      'cancel runs',
      'answer several threads',
    ],
  ]
  test.each(cases)('%s: with roles for some deployments, %s of this one and above', async (what, needed, run) => {
    for (const role of RANKS) {
      actor = await signIn(await testActor({ default: { [id]: role } }))
      const isAllowed = RANKS.indexOf(role) >= RANKS.indexOf(needed) && !OF_WORKSPACE.includes(what)
      const result = await run()
      if (isAllowed) expect(result, role).toBeNull()
      else expect(result, role).toMatch(/^(not_found|forbidden)$/)
    }
    actor = await signIn(await testActor({ default: { another: 'admin' } }))
    stub.seen.splice(0)
    const result = await run()
    if (ALSO_WITHOUT.includes(what)) expect(result).toBeNull()
    else expect(result).toMatch(/^(not_found|forbidden)$/)
    // Reads may be those of an earlier subscription.
    expect(stub.seen.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test("no user can change another user's saved view", async () => {
    actor = await signIn(people.admin)
    const own = { workspace, page: 'deployments' as const }
    const saved = await saveView({ ...own, name: 'mine', query: 'status=READY' })
    if (!saved.ok) throw new Error(saved.error.message)
    const { id: view } = saved.data
    for (const role of ['stranger', 'viewer', 'developer'] as const) {
      actor = await signIn(people[role])
      expect(await updateView({ ...own, id: view, name: 'theirs' }), role).toMatchObject({ ok: false })
      await deleteView({ ...own, id: view })
    }
    actor = await signIn(people.admin)
    expect(await updateView({ ...own, id: view, isDefault: true })).toMatchObject({
      ok: true,
      data: expect.arrayContaining([expect.objectContaining({ id: view, name: 'mine' })]),
    })
  })

  test('favourites are those of each user and workspace, and have a limit', async () => {
    const mark = (deployment: string, isFavourite = true) => setFavourite({ workspace, deployment, isFavourite })
    actor = await signIn(people.viewer)
    await mark('second')
    await mark('first')
    expect(await mark('second')).toEqual({ ok: true, data: ['second', 'first'] })
    expect(await mark('second', false)).toEqual({ ok: true, data: ['first'] })
    expect(await listFavourites(people.viewer, workspace)).toEqual(['first'])
    expect(await listFavourites(people.admin, workspace)).toEqual([])
    actor = await signIn(people.admin)
    expect(await mark('first', false)).toEqual({ ok: true, data: [] })
    for (let index = 0; index < MAX_FAVOURITES; index += 1) await mark(`one ${index}`)
    expect(await mark('one 3')).toMatchObject({ ok: true })
    expect(await mark('one more')).toMatchObject({ error: { code: 'conflict' } })
    expect(await listFavourites(people.viewer, workspace)).toEqual(['first'])
  })

  test('a shared view is listed for other members, as its owner left it, until sharing ends', async () => {
    const place = { workspace, page: 'assistants' as const }
    const seenBy = async (role: 'viewer' | 'stranger') => {
      actor = await signIn(people[role])
      const saved = await saveView({ ...place, name: `of ${role} ${++keys}`, query: '' })
      return saved.ok ? saved.data.views.filter(({ owner }) => owner !== null) : saved.error.code
    }
    actor = await signIn(people.developer)
    const saved = await saveView({ ...place, name: 'ours', query: 'a=b' })
    const view = saved.ok ? saved.data.id : ''
    await updateView({ ...place, id: view, isDefault: true })
    expect(await seenBy('viewer')).toEqual([])
    actor = await signIn(people.developer)
    await updateView({ ...place, id: view, isShared: true })
    const shared = { id: view, name: 'ours', query: 'a=b', isShared: true, isDefault: false }
    expect(await seenBy('viewer')).toEqual([{ ...shared, owner: people.developer.email }])
    expect(await seenBy('stranger')).toBe('forbidden')

    actor = await signIn(people.viewer)
    for (const change of [{ name: 'theirs' }, { isDefault: true }])
      expect(await updateView({ ...place, id: view, ...change })).toMatchObject({ error: { code: 'not_found' } })
    const own = await saveView({ ...place, name: 'viewers may not share', query: '' })
    expect(await updateView({ ...place, id: own.ok ? own.data.id : '', isShared: true })).toMatchObject({
      error: { code: 'forbidden' },
    })
    actor = await signIn(people.developer)
    await updateView({ ...place, id: view, isShared: false })
    expect(await seenBy('viewer')).toEqual([])
  })
})
