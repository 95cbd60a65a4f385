import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import type { Subscription } from '@/lib/contracts/wire/live'
import type { DeploymentRoles } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { insertDirectServer, visibleServers } from '../access/direct-servers'
import { insertWorkspace } from '../access/workspace-settings'
import { listWorkspaces } from '../access/workspaces'
import { withAudit } from '../audit/trail'
import { serveHttpApi } from '../http-api/serve'
import { serveLive } from '../live/serve'
import { db } from '../process/db'
import { experiments } from '../process/schema'
import { publicLinks, recordings, sharing } from '../recorder/schema'
import { recorderHub } from '../recorder/shared-hub'
import { createToken } from '../records/api-tokens'
import { listExperiments } from '../records/experiments'
import { listPublicLinks } from '../records/public-links'
import { listRecordings } from '../records/recordings'
import { relay } from '../relay/relay'
import { signIn, type TestConsole, testActor, testConsole } from '../testing'
import { readAuditPage, readRecentChanges } from './changes/audit'
import { readFailureCauses } from './changes/failure-causes'
import { readDeploymentRows } from './deployment-rows'
import { exportDeployments } from './deployments-export'
import { readFleet } from './fleet'
import { readActivity } from './runs/activity'
import { readRunHistogram } from './runs/histogram'
import { readRunRows } from './runs/list'
import { readWorkspaceThreads } from './threads/across'
import { readTree } from './trace-tree'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))

// A member with roles for some deployments of a fleet, against servers that ignore every filter: no answer may hold the id, the
// name or the tracing project of another deployment, and servers of others are not asked.

const workspace = 'default'
const OLD = '2026-11-20T00:00:00Z'
type Own = { id: string; name: string; project: string; trace: string }
const fleet: Own[] = Array.from({ length: 14 }, () => ({
  ...{ id: randomUUID(), name: `agent-${randomUUID()}`, project: randomUUID(), trace: randomUUID() },
}))
/** Every third, with each of the roles. */
const allowed = fleet.filter((_, index) => index % 3 === 1)
const hidden = fleet.filter((one) => !allowed.includes(one))
const [first, shown] = [hidden[0] as Own, allowed[0] as Own]
const roles: DeploymentRoles = Object.fromEntries(
  allowed.map(({ id }, index) => [id, (['viewer', 'developer', 'admin'] as const)[index % 3] ?? 'viewer']),
)

const record = ({ id, name, project }: Own, index: number) => ({
  ...{ id, name, source: 'github', source_revision_config: { repo_ref: name }, secrets: [], status: 'READY' },
  source_config: { custom_url: `${stub.url}/agents/${id}`, repo_url: `https://example.com/${name}` },
  ...{ created_at: OLD, updated_at: OLD, latest_revision_id: id, active_revision_id: id },
  // Every second project is found by its name.
  tracing_project_id: index % 2 === 0 ? project : null,
})
const traceOf = ({ id, name, project, trace }: Own) => ({
  ...{ id: trace, trace_id: trace, session_id: project, name, run_type: 'chain', start_time: OLD, end_time: OLD },
  extra: { metadata: { thread_id: trace, graph_id: name, run_id: `run-${id}` } },
})
const threadOf = ({ id, name }: Own) => ({
  ...{ thread_id: id, status: 'interrupted', created_at: OLD, updated_at: OLD, values: null },
  metadata: { title: name, graph_id: 'agent' },
  interrupts: { task: [{ id: 'one', value: name }] },
})

let stub: StubUpstream
let home: TestConsole
let actor: Actor
let token = ''
let isObedient = false

function answer(path: string, body: string): unknown {
  const { pathname, searchParams } = new URL(path, 'http://stub')
  const agent = /^\/agents\/([^/]+)(.*)/.exec(pathname)
  if (agent) {
    const own = fleet.find(({ id }) => id === agent[1]) as Own
    if (agent[2] === '/threads/search') return [threadOf(own)]
    if (agent[2]?.endsWith('/runs')) {
      const times = { created_at: OLD, updated_at: OLD }
      return [
        { run_id: own.trace, thread_id: own.id, assistant_id: own.name, status: 'success', metadata: {}, ...times },
      ]
    }
    return []
  }
  if (pathname.startsWith('/traces')) {
    const asked = JSON.parse(body || '{}') as { session?: string[]; id?: string[]; trace?: string }
    const isHere = ({ project, trace }: Own) =>
      (!asked.id || asked.id.includes(trace)) &&
      (!asked.trace || asked.trace === trace) &&
      (!isObedient || !asked.session || asked.session.includes(project))
    if (pathname.endsWith('/sessions')) return fleet.map(({ project: id, name }) => ({ id, name }))
    if (pathname.endsWith('/query')) return { runs: fleet.filter(isHere).map(traceOf), cursors: { next: null } }
    if (pathname.endsWith('/stats'))
      return { run_count: fleet.filter(({ project }) => asked.session?.includes(project)).length, error_count: 0 }
    if (/\/traces\/[^/]+\/runs$/.test(pathname)) return { runs: fleet.map(traceOf), cursors: { next: null } }
    const one = fleet.find(({ trace }) => pathname.endsWith(trace))
    return one ? traceOf(one) : {}
  }
  const named = /\/v2\/deployments\/([^/]+)(.*)/.exec(pathname)
  const revision = (id: string) => ({
    id,
    status: 'DEPLOYED',
    created_at: OLD,
    updated_at: OLD,
    source_revision_config: {},
  })
  if (named?.[2]?.includes('/logs')) return { logs: [], next_offset: null }
  if (named?.[2]?.startsWith('/revisions/')) return revision(named[1] ?? '')
  if (named?.[2]?.startsWith('/revisions')) return { resources: [revision(named[1] ?? '')], offset: 0 }
  if (named)
    return record(
      fleet.find(({ id }) => id === named[1]) as Own,
      fleet.findIndex(({ id }) => id === named[1]),
    )
  const ids = searchParams.get('deployment_ids')?.split(',')
  const resources = fleet.map(record).filter(({ id }) => !isObedient || !ids || ids.includes(id))
  return { resources: resources.slice(Number(searchParams.get('offset') ?? 0)), offset: resources.length }
}

beforeAll(async () => {
  stub = await startStubUpstream(({ path, body }) => ({ body: answer(path, body) }))
  home = await testConsole({
    CONTROL_PLANE_URL: stub.url,
    CONTROL_PLANE_API_KEY: 'key',
    TRACES_URL: `${stub.url}/traces`,
  })
  actor = await signIn(await testActor({ default: roles }))
  const own = { workspace, name: 'own', kind: 'personal', role: 'viewer', days: 7 } as const
  token = (await createToken(actor, { ...own, deployments: allowed.map(({ id }) => id) }, 'r')).token
  const store = await db()
  await store.insert(sharing).values({ workspace, hasPublicLinks: true })
  const owner = await testActor({ '*': 'admin' })
  for (const { id, name } of fleet) {
    const recording = randomUUID()
    await store.insert(recordings).values({
      ...{ id: recording, workspace, deployment: id, thread: name, run: `run-${id}`, assistant: name, phase: 'ended' },
      ...{ outcome: 'success', startedBy: name, endedAt: new Date(), entries: 0, request: JSON.stringify(name) },
      ...{ isStateless: false, isResumable: false },
    })
    await store.insert(publicLinks).values({
      ...{ id: randomUUID(), workspace, recording, hash: name, createdBy: name },
      expiresAt: new Date(Date.now() + 60_000),
    })
    const subject = { deployment: id, deploymentName: name, assistant: name, name, version: null, revision: null }
    const mixed = { ...subject, deployment: shown.id }
    for (const subjects of [[subject], [mixed, subject]])
      await store
        .insert(experiments)
        .values({ id: randomUUID(), workspace, name, createdBy: name, subjects, inputs: ['1'], checks: [] })
    const entry = { actor: owner, role: 'admin' as const, workspace, requestId: name, fields: [] }
    const done = async () => ({ value: null })
    await withAudit({ ...entry, operation: 'control-plane.updateDeployment', params: { deployment_id: id } }, done)
  }
})
afterAll(async () => {
  await recorderHub().stop()
  await home.close()
  await stub.stop()
})

const get = (path: string, body?: object) =>
  new Request(`http://localhost:3000${path}`, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', origin: 'http://localhost:3000' },
    ...(body && { body: JSON.stringify(body) }),
  })
const text = async (response: Response | Promise<Response>) => (await response).text()
const options = () => ({ actor })
const idsOf = (all: Own[]) => all.map(({ id }) => id).join(',')
const relayed = (path: string, body?: object) =>
  text(
    path.includes('/traces/')
      ? relay(traces)[body ? 'POST' : 'GET'](get(path, body))
      : relay(controlPlane).GET(get(path)),
  )
/** The frames of a subscription up to its first value or refusal. */
async function followed(wanted: object): Promise<string> {
  const stop = new AbortController()
  const body = JSON.stringify({ subscriptions: [{ id: 'one', workspace, ...wanted } as Subscription] })
  const headers = { 'content-type': 'application/json', origin: 'http://localhost:3000' }
  const request = new Request('http://localhost:3000/api/live', { method: 'POST', body, headers, signal: stop.signal })
  const response = await serveLive(request, { who: async () => actor })
  let found = ''
  const decoder = new TextDecoder()
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    found += decoder.decode(part, { stream: true })
    if (/^data: .*\n/m.test(found)) break
  }
  stop.abort()
  return found
}
const v1 = (path: string) => text(serveHttpApi(get(`/api/v1${path}`)))

/** Whether each answer must tell of the allowed deployments. */
const LISTS: Record<string, [() => Promise<unknown>, 'tells' | 'counts']> = {
  'the list': [() => readDeploymentRows(workspace, {}, options()), 'tells'],
  'the list in order of creation': [() => readDeploymentRows(workspace, { sort: 'created' }, options()), 'tells'],
  'the list by name': [() => readDeploymentRows(workspace, { sort: 'name', limit: '3' }, options()), 'tells'],
  'the list of a health': [() => readDeploymentRows(workspace, { health: 'ok' }, options()), 'tells'],
  'the list by ids': [() => readDeploymentRows(workspace, { deployment_ids: idsOf(fleet) }, options()), 'tells'],
  'the list by ids of others': [() => readDeploymentRows(workspace, { deployment_ids: first.id }, options()), 'counts'],
  'the fleet': [async () => [...(await readFleet(workspace, {}, options())).deployments], 'tells'],
  'the export': [() => text(exportDeployments(get('/x?format=json'), workspace)), 'tells'],
  'the export as CSV': [() => text(exportDeployments(get('/x?format=csv&health=ok'), workspace)), 'tells'],
  'the relayed list': [() => relayed(`/api/relay/${workspace}/control-plane/v2/deployments?limit=100`), 'tells'],
  'the runs': [() => readRunRows(workspace, {}, actor), 'tells'],
  'the runs of servers and traces': [() => readRunRows(workspace, { source: 'elsewhere' }, actor), 'counts'], // as far as they answer in time,
  'the histogram of runs': [() => readRunHistogram(workspace, {}, actor), 'counts'],
  'the threads': [() => readWorkspaceThreads(workspace, {}, actor), 'tells'],
  'threads found by text': [() => readWorkspaceThreads(workspace, { q: 'agent' }, actor), 'tells'],
  'the activity': [() => readActivity(workspace, { ids: idsOf(fleet) }, options()), 'tells'],
  'the recent changes': [() => readRecentChanges(workspace, actor), 'tells'],
  'the audit trail': [() => readAuditPage(workspace, { limit: '100' }, actor), 'counts'],
  'the recordings': [() => listRecordings(actor, { workspace, limit: 100 }), 'tells'],
  'the experiments': [() => listExperiments(actor, workspace), 'tells'],
  'the public links': [() => listPublicLinks(actor, workspace), 'tells'],
  'the traces': [() => relayed(`/api/relay/${workspace}/traces/runs/query`, { limit: 100 }), 'tells'],
  'the traces of other projects': [
    () => relayed(`/api/relay/${workspace}/traces/runs/query`, { session: hidden.map(({ project }) => project) }),
    'counts',
  ],
  'the tracing projects': [() => relayed(`/api/relay/${workspace}/traces/sessions`), 'tells'],
  'a trace that also ran elsewhere': [() => readTree({ workspace, trace: shown.trace }, {}, options()), 'tells'],
  'the live list': [() => followed({ kind: 'deployments', query: {} }), 'tells'],
  'the live runs': [() => followed({ kind: 'runs', query: {} }), 'tells'],
  'the live recordings': [() => followed({ kind: 'recordings' }), 'tells'],
  'the live inbox': [() => followed({ kind: 'inbox' }), 'tells'],
  'the deployments of a token': [() => v1('/deployments'), 'tells'],
  'the runs of a token': [() => v1('/runs'), 'tells'],
  'the health of a token': [() => v1('/health'), 'counts'],
}

const secrets = hidden.flatMap(({ id, name, project, trace }) => [id, name, project, trace])

describe.each([false, true])('where servers filter: %s', (obeys) => {
  beforeAll(() => {
    isObedient = obeys
  })
  test.each(Object.entries(LISTS))('%s', async (_, [read, kind]) => {
    stub.seen.splice(0)
    // Those who see everything may have filled caches before.
    await readFleet(workspace, {}, { actor: await testActor({ default: 'viewer' }) })
    stub.seen.splice(0)
    const found = await read()
    const answer = typeof found === 'string' ? found : JSON.stringify(found)
    expect(secrets.filter((one) => answer.includes(one))).toEqual([])
    if (kind === 'tells')
      expect(allowed.some(({ id, name }) => answer.includes(id) || answer.includes(name))).toBe(true)
    const asked = stub.seen.map(({ path }) => path)
    expect(hidden.filter(({ id }) => asked.some((path) => path.includes(`/agents/${id}`)))).toEqual([])
  })
})

test('totals count the own projects only', async () => {
  const all = async (body: object) =>
    JSON.parse(await relayed(`/api/relay/${workspace}/traces/runs/stats`, body)) as { run_count: number }
  expect((await all({})).run_count).toBe(allowed.length)
  expect((await all({ session: fleet.map(({ project }) => project) })).run_count).toBe(allowed.length)
  expect((await all({ session: [first.project] })).run_count).toBe(0)
})

test('counts of health are those of the own deployments', async () => {
  const { health } = await readDeploymentRows(workspace, {}, options())
  expect(Object.values(health?.counts ?? {}).reduce((sum, one) => sum + one, 0)).toBe(allowed.length)
})

const refused = (run: () => Promise<unknown>) => () =>
  run().then(
    (found) => (typeof found === 'string' && /"code":"(\w+)"/.exec(found)?.[1]) || found,
    (error: unknown) => (error instanceof AppError ? error.code : Promise.reject(error)),
  )
const OF_OTHERS: Record<string, () => Promise<unknown>> = {
  'a deployment': refused(() => relayed(`/api/relay/${workspace}/control-plane/v2/deployments/${first.id}`)),
  'its runs': refused(() => readRunRows(workspace, { deployment: first.id }, actor)),
  'the histogram of its runs': refused(() => readRunHistogram(workspace, { deployment: first.id }, actor)),
  'its threads': refused(() => readWorkspaceThreads(workspace, { deployment: first.id }, actor)),
  'its recordings': refused(() => listRecordings(actor, { workspace, deploymentId: first.id })),
  'its trace': refused(() => relayed(`/api/relay/${workspace}/traces/runs/${first.trace}`)),
  'the tree of its trace': refused(() => readTree({ workspace, trace: first.trace }, {}, options())),
  'its project': refused(() => relayed(`/api/relay/${workspace}/traces/sessions/${first.project}`)),
  'it, live': refused(() => followed({ kind: 'deployment', deployment: first.id })),
  'its recordings, live': refused(() => followed({ kind: 'recordings', deployment: first.id })),
  'its threads, live': refused(() => followed({ kind: 'thread', deployment: first.id, thread: first.id })),
  'its log, live': refused(() => followed({ kind: 'logs', deployment: first.id, type: 'build', cursor: 0 })),
  'it, with a token': refused(() => v1(`/deployments/${first.id}`)),
}
test.each(Object.entries(OF_OTHERS))('of another deployment, %s looks as if it did not exist', async (_, run) => {
  isObedient = true
  stub.seen.splice(0)
  expect(await run()).toBe('not_found')
  const asked = stub.seen.filter(({ path }) => path.includes(first.id))
  expect(asked).toEqual([])
})

test('why a deployment fails is told for the own ones only', async () => {
  const of = [first, shown].map(({ id }) => `${id}.${id}`).join(',')
  const found = await readFailureCauses(workspace, { of }, options())
  expect(found[first.id]).toEqual({ error: null, change: null, commit: null })
})

test('of agent servers that are added one by one, only the own ones are listed', async () => {
  await insertWorkspace({ kind: 'direct', slug: 'servers', name: 'Servers', dialect: 'auto', allowedOrigins: [] })
  const [mine, theirs] = await Promise.all(
    ['mine', 'theirs'].map((name) => insertDirectServer('servers', { name, url: `${stub.url}/${name}` })),
  )
  const person = await testActor({ servers: { [mine?.id ?? '']: 'viewer' } })
  expect((await visibleServers(person, 'servers')).map(({ name }) => name)).toEqual(['mine'])
  const { rows } = await readDeploymentRows('servers', {}, { actor: person })
  expect(rows.map(({ name }) => name)).toEqual(['mine'])
  expect(JSON.stringify(await listWorkspaces(person))).not.toContain(theirs?.id)
  expect(await visibleServers(await testActor({}), 'servers')).toEqual([])
})
