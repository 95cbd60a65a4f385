import { randomUUID } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { createFixture, type Fixture, waitFor } from '../../testing/platform-fixture'
import type { Cluster } from '../kubernetes/cluster'
import { Listener, RevokedError } from './listener'
import { RemoteCluster } from './remote-cluster'
import { memoryCluster } from './testing'
import { REPORT_PATH, Report, WORK_PATH, WorkRequest } from './wire'

vi.setConfig({ testTimeout: 60_000 })

let fixture: Fixture
let listenerId: string
let token: string
const memory = memoryCluster()
const lines: string[] = []
beforeAll(async () => {
  fixture = await createFixture({ sandbox: { mode: 'off' } })
  const { status, body } = await fixture.client.request('POST', '/v2/listeners', {
    compute_type: 'k8s',
    compute_id: 'east',
    compute_config: { k8s_namespaces: ['agents', 'more'] },
  })
  expect(status).toBe(201)
  listenerId = body.id
  token = body.token
})
afterAll(() => fixture.close())

function join(given = token) {
  const listener = new Listener({
    url: fixture.platform.url,
    token: given,
    cluster: memory.cluster,
    about: { version: '1.2.3', agentUrl: 'http://127.0.0.1:9/{namespace}/{service}', database: 'database:5432' },
    log: (line) => lines.push(line),
  })
  const ended = listener.run()
  ended.catch(() => {})
  return { listener, ended }
}
const create = (name: string, image = 'registry.example.com/agent:1', config: object = {}) =>
  fixture.client.request('POST', '/v2/deployments', {
    name,
    source: 'external_docker',
    source_config: { listener_id: listenerId, ...config },
    source_revision_config: { image_uri: image },
    secrets: [{ name: 'KEY', value: 'a secret value' }],
  })

test('the token is told once, and the listener is listed with its namespaces', async () => {
  expect(token).toMatch(/^phl_.{40,}$/)
  const { body } = await fixture.client.get('/v2/listeners')
  expect(body.resources[1]).toEqual({
    id: listenerId,
    created_at: expect.any(String),
    updated_at: expect.any(String),
    compute_type: 'k8s',
    compute_id: 'east',
    compute_config: { k8s_namespaces: ['agents', 'more'] },
    version: null,
    connection: { away: { who: 'listener', since: null }, token: 'valid' },
  })
})

test('namespaces change while no deployment loses its own', async () => {
  const { client } = fixture
  const change = (...k8s_namespaces: string[]) =>
    client.request('PATCH', `/v2/listeners/${listenerId}`, { compute_config: { k8s_namespaces } })
  expect((await change('agents', 'more', 'third')).body.compute_config).toEqual({
    k8s_namespaces: ['agents', 'more', 'third'],
  })
  const explicit = await create('explicit', undefined, { listener_config: { k8s_namespace: 'more' } })
  // Nothing there depends on which namespace is the first.
  expect((await change('third', 'agents')).body.detail[0].msg).toBe('explicit runs in more. Keep this namespace')
  const implicit = await create('implicit')
  const refused = await change('third', 'agents')
  expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'compute_config', 'k8s_namespaces']])
  expect(refused.body.detail[0].msg).toBe(
    'explicit and implicit run in more and agents. Keep these namespaces, with agents as the first one',
  )
  expect((await change('agents', 'more')).status).toBe(200)
  expect((await client.request('DELETE', `/v2/listeners/${listenerId}`)).body.detail).toBe(
    'Listener east cannot be deleted: explicit and implicit use it. Delete these deployments first.',
  )
  for (const { body } of [explicit, implicit]) {
    await client.request('DELETE', `/v2/deployments/${body.id}`)
    await client.request('DELETE', `/v2/deployments/${body.id}?force=true`)
    await waitFor('it is gone', async () => (await client.get(`/v2/deployments/${body.id}`)).status === 404)
  }
})

test('a namespace that the listener may not use is refused with its place', async () => {
  const { status, body } = await create('elsewhere', undefined, { listener_config: { k8s_namespace: 'kube-system' } })
  expect([status, body.detail[0].loc]).toEqual([422, ['body', 'source_config', 'listener_config', 'k8s_namespace']])
})

test('what is deployed while the listener is away waits for it; then it is applied, reported and logged', async () => {
  const { body } = await create('waiting', undefined, { listener_config: { k8s_namespace: 'more' } })
  const { id, latest_revision_id: revision } = body
  const { client } = fixture
  await waitFor('it waits', async () => (await client.revision(id, revision)).status === 'DEPLOYING')
  expect((await client.get(`/v2/deployments/${id}`)).body.listener).toEqual({
    name: 'east',
    away: { who: 'listener', since: null },
  })
  const { listener, ended } = join()
  await client.waitForStatus(id, revision, 'DEPLOYED')
  // Code in its pods has no rights of this platform's operator, whatever can be isolated on this machine.
  expect((await client.get(`/v2/deployments/${id}`)).body).toMatchObject({
    listener: { name: 'east', away: null },
    isolation: 'pod',
  })
  const [made] = [...memory.made.values()]
  expect(made?.metadata).toMatchObject({ namespace: 'more', labels: { 'pilothouse.dev/deployment': id } })
  expect(memory.services).toEqual([expect.stringMatching(new RegExp(`^agent-waiting-\\w+ ${revision}$`))])
  memory.say('printed: a secret value')
  await waitFor('the line', async () => (await client.log(id, revision, 'deploy')).includes('printed: '))
  expect(await client.log(id, revision, 'deploy')).not.toContain('a secret value')
  expect((await client.get(`/v2/listeners/${listenerId}`)).body).toMatchObject({
    version: '1.2.3',
    connection: { away: null, token: 'valid' },
  })
  listener.stop()
  await ended
})

test('a listener that starts again goes on where it was, and a refusal of the cluster is the reason of the failure', async () => {
  const { client } = fixture
  const { listener, ended } = join()
  const { body } = await create('refused', 'refused:1')
  await client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOY_FAILED')
  expect(await client.log(body.id, body.latest_revision_id, 'deploy')).toContain('The cluster says no.')
  const { body: list } = await client.get('/v2/deployments?name=waiting')
  const [{ id, active_revision_id: revision }] = list.resources
  await waitFor('its pods are followed again', async () => {
    memory.say('again')
    return (await client.log(id, revision, 'deploy')).includes('again')
  })
  listener.stop()
  await ended
})

test('what a platform that stopped has left of a replaced revision is removed once the deployment serves again', async () => {
  const [[name, serving] = []] = memory.made
  const left = structuredClone(serving)
  Object.assign(left?.metadata?.labels ?? {}, { 'pilothouse.dev/revision': randomUUID() })
  await fixture.platform.stop()
  if (left) memory.made.set('left', left)
  await fixture.start()
  const { listener, ended } = join()
  await waitFor('it is gone', () => !memory.made.has('left'))
  expect([...memory.made.keys()]).toEqual([name])
  listener.stop()
  await ended
})

test('a roll-out that overtakes the resume of the former revision ends its pods', async () => {
  const [former = ''] = memory.made.keys()
  await fixture.platform.stop()
  memory.silent.add(former)
  await fixture.start()
  const { client } = fixture
  const { listener, ended } = join()
  const { body: list } = await client.get('/v2/deployments?name=waiting')
  const { id } = list.resources[0]
  const next = (await client.request('POST', `/v2/deployments/${id}/revisions`, {})).body.id
  await client.waitForStatus(id, next, 'DEPLOYED')
  await waitFor('only the next one runs', () => memory.made.size === 1 && !memory.made.has(former))
  memory.silent.clear()
  listener.stop()
  await ended
})

test('what a listener that is away has to do can be interrupted, and a deployment there deleted by force', async () => {
  const { client } = fixture
  const { body } = await client.request('POST', '/v2/listeners', { compute_type: 'k8s', compute_id: 'never' })
  const other = await create('never', undefined, { listener_id: body.id })
  const { id, latest_revision_id: revision } = other.body
  await waitFor('it waits', async () => (await client.revision(id, revision)).status === 'DEPLOYING')
  await waitFor('it says so', async () => /never has not answered since/.test(await client.log(id, revision, 'deploy')))
  await client.request('POST', `/v2/deployments/${id}/revisions/${revision}/interrupt`)
  expect((await client.revision(id, revision)).status).toBe('INTERRUPTED')
  await client.request('DELETE', `/v2/deployments/${id}`)
  expect((await client.get(`/v2/deployments/${id}`)).body.status).toBe('AWAITING_DELETE')
  expect((await client.request('DELETE', `/v2/deployments/${id}?force=true`)).status).toBe(204)
  await waitFor('it is gone', async () => (await client.get(`/v2/deployments/${id}`)).status === 404)
  expect((await client.request('DELETE', `/v2/listeners/${body.id}`)).status).toBe(204)
})

test('a listener with deployments cannot be deleted; a revoked token ends it, and the agents stay', async () => {
  const { client } = fixture
  expect((await client.request('DELETE', `/v2/listeners/${listenerId}`)).status).toBe(409)
  const { ended } = join()
  await waitFor('it is connected', () => lines.some((line) => line.startsWith('Connected')))
  expect((await client.request('DELETE', `/v2/listeners/${listenerId}/token`)).status).toBe(204)
  await expect(ended).rejects.toThrow(RevokedError)
  expect((await client.get(`/v2/listeners/${listenerId}`)).body.connection.token).toBe('revoked')
  expect(memory.made.size).toBe(1)
  await expect(join('phl_wrong').ended).rejects.toThrow(/refuses the token/)
  const renewed = (await client.request('POST', `/v2/listeners/${listenerId}/token`)).body.token
  const { listener, ended: over } = join(renewed)
  const { body: list } = await client.get('/v2/deployments?limit=100')
  for (const { id } of list.resources) await client.request('DELETE', `/v2/deployments/${id}`)
  await waitFor('they are gone', async () => (await client.get('/v2/deployments')).body.resources.length === 0)
  expect(memory.made.size).toBe(0)
  expect((await client.request('DELETE', `/v2/listeners/${listenerId}`)).status).toBe(204)
  await expect(over).rejects.toThrow(RevokedError)
  listener.stop()
})

test('a silent listener is away since it was last seen; a repeated report is told once', async () => {
  let now = Date.parse('2026-11-25T10:00:00Z')
  const remote = new RemoteCluster('west', new Date(now), false, () => new Date(now))
  expect(remote.awaySince).toBeUndefined()
  now += 41_000
  expect(remote.awaySince).toEqual(new Date('2026-11-25T10:00:00Z'))
  expect(remote.listener).toEqual({ isAway: true, isNew: false })
  const seen: string[] = []
  expect(new RemoteCluster('new', new Date(now), true).awaySince).toEqual(new Date(now))
  remote.follow('agents', {}, undefined, { onChange: () => {}, onLine: ({ text }) => seen.push(text) })
  const about = { version: '1', cluster: 'c', agentUrl: 'http://x', database: null }
  const work = await remote.work(
    { ...about, session: 'session-1', working: [], follows: 0 },
    new AbortController().signal,
  )
  const id = work.follows?.list[0]?.id ?? ''
  const report = {
    session: 'session-1',
    number: 1,
    results: [],
    observations: [],
    lines: [{ id, pod: 'p', container: 'agent', time: '2026-11-25T10:01:00Z', text: 'once' }],
    clusterAwaySince: '2026-11-25T09:00:00Z',
  }
  remote.report(report)
  remote.report(report)
  expect(seen).toEqual(['once'])
  // The listener is there, and its cluster is not.
  expect(remote.awaySince).toEqual(new Date('2026-11-25T09:00:00Z'))
  expect(remote.listener.isAway).toBe(false)
  await remote.close()
})

test('what comes after the end of the platform is refused, and does not wait for a listener', async () => {
  const remote = new RemoteCluster('east', new Date())
  const waiting = remote.valuesOf([], {}, 'label')
  await Promise.all([expect(waiting).rejects.toThrow('The platform is stopping.'), remote.close()])
  await expect(remote.valuesOf([], {}, 'label')).rejects.toThrow('The platform is stopping.')
})

/** A control plane with this cluster alone, until the test ends. */
async function serve(remote: RemoteCluster): Promise<string> {
  const server = http.createServer(async (request, response) => {
    const ended = new AbortController()
    response.once('close', () => ended.abort())
    const body = await text(request)
      .then(JSON.parse)
      .catch(() => undefined)
    if (body === undefined) return response.destroy() // stopped while it was asking
    const parsed = (request.url === WORK_PATH ? WorkRequest : Report).safeParse(body)
    if (!parsed.success) return response.writeHead(422).end(parsed.error.message)
    if (request.url === REPORT_PATH) remote.report(body)
    response.end(JSON.stringify(request.url === WORK_PATH ? await remote.work(body, ended.signal) : {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a command that other results overtake is reported, and not done again', async () => {
  const remote = new RemoteCluster('east', new Date())
  const url = await serve(remote)
  let end = () => {}
  const slow = new Promise<void>((resolve) => {
    end = resolve
  })
  let count = 0
  const cluster: Cluster = {
    ...memoryCluster().cluster,
    async pointService() {
      count += 1
      await slow
    },
    valuesOf: async () => ['overtakes'],
  }
  const listener = new Listener({
    ...{ url, token, cluster, about: { version: '1', agentUrl: '', database: null }, log: () => {} },
  })
  const ended = listener.run()
  const pointed = remote.pointService({}, new AbortController().signal)
  expect(await remote.valuesOf([], {}, 'label')).toEqual(['overtakes'])
  // The report of the first result has been answered once another one arrives.
  expect(await remote.valuesOf([], {}, 'label')).toEqual(['overtakes'])
  end()
  await pointed
  expect(count).toBe(1)
  listener.stop()
  await ended
  await remote.close()
})

test('more observations and results than fit into one report arrive', async () => {
  const many = Array.from({ length: 1001 }, (_, n) => String(n))
  const remote = new RemoteCluster('large', new Date())
  const seen: string[] = []
  for (const n of many)
    remote.follow('agents', { n }, undefined, { onChange: ({ pods }) => seen.push(pods.join()), onLine: () => {} })
  const cluster: Cluster = {
    ...memoryCluster().cluster,
    valuesOf: async (_namespaces, _labels, label) => [label],
    follow(_namespace, { n }, _since, { onChange }) {
      onChange({ deployment: undefined, pods: [n] as never, events: [] })
      return () => {}
    },
  }
  const answers = Promise.all(many.map((n) => remote.valuesOf([], {}, n)))
  const listener = new Listener({
    ...{ url: await serve(remote), token, cluster },
    ...{ about: { version: '1', agentUrl: '', database: null }, log: () => {} },
  })
  const ended = listener.run()
  expect((await answers).flat()).toEqual(many)
  await waitFor('all of them', () => seen.length >= many.length)
  expect(seen).toEqual(many)
  listener.stop()
  await ended
  await remote.close()
})
