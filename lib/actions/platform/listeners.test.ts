import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { auditSentence, namedSentence } from '@/lib/contracts/audit/sentence'
import type { ListenerRowsPage } from '@/lib/contracts/deployments/listener-row'
import type { Actor } from '@/lib/server/access/actor'
import { readAuditPage } from '@/lib/server/resources/changes/audit'
import { readListenerRows } from '@/lib/server/resources/listeners'
import { signIn, type TestConsole, testActor, testConsole } from '@/lib/server/testing'
import { Listener, RevokedError } from '@/platform/compute/listener/listener'
import { memoryCluster } from '@/platform/compute/listener/testing'
import { createFixture, type Fixture, waitFor } from '@/platform/testing/platform-fixture'
import { createListener, deleteListener, renewListenerToken, revokeListenerToken, saveNamespaces } from './listeners'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

// Against a real embedded platform, and a listener with a cluster in memory.
const workspace = 'local'
let fixture: Fixture
let home: TestConsole
let admin: Actor
let viewer: Actor
let id = ''
let token = ''
beforeAll(async () => {
  fixture = await createFixture({ sandbox: { mode: 'off' }, publicUrl: 'https://platform.example.com' })
  home = await testConsole(fixture.consoleSettings)
  admin = await signIn(await testActor({ local: 'admin' }))
  viewer = await testActor({ local: 'viewer' })
})
afterAll(async () => {
  await home.close()
  await fixture.close()
})

const rows = (query: object = {}, actor = admin) => readListenerRows(workspace, query, { actor })
const rowOf = ({ rows: all }: ListenerRowsPage, name: string) => all.find((one) => one.name === name)
const deploy = async (name: string) =>
  (
    await fixture.client.request('POST', '/v2/deployments', {
      name,
      source: 'external_docker',
      source_config: { listener_id: id },
      source_revision_config: { image_uri: 'registry.example.com/agent:1' },
      secrets: [],
    })
  ).body
function join(given: string) {
  const lines: string[] = []
  const listener = new Listener({
    url: fixture.platform.url,
    token: given,
    cluster: memoryCluster().cluster,
    about: { version: '1.2.3', agentUrl: 'http://127.0.0.1:9/{namespace}/{service}', database: null },
    log: (line) => lines.push(line),
  })
  const ended = listener.run()
  ended.catch(() => {})
  return { listener, ended }
}
const trail = async () => {
  const page = await readAuditPage(workspace, {}, admin)
  return page.rows.map((row) => namedSentence(auditSentence(row, row.outcome), page.names))
}

test('a created listener has a token and the address of the platform, and is listed as never connected', async () => {
  const created = await createListener({ workspace, compute_id: ' east ', namespaces: ['agents'] })
  if (!created.ok) throw new Error(created.error.message)
  expect(created.data.given).toEqual({ token: expect.stringMatching(/^phl_/), url: 'https://platform.example.com' })
  expect(created.data.namespaces).toEqual(['agents'])
  id = created.data.id
  token = created.data.given?.token ?? ''
  const page = await rows()
  expect(page.rows.map(({ name }) => name)).toEqual(['east', 'this-machine'])
  expect(rowOf(page, 'east')).toMatchObject({
    ...{ id, type: 'k8s', namespaces: ['agents'], version: null, deployments: [], deploymentCount: 0 },
    connection: { away: { who: 'listener', since: null }, token: 'valid' },
  })
  expect(rowOf(page, 'this-machine')).toMatchObject({ type: 'process', connection: { away: null, token: null } })
  expect(page.counts).toEqual({ away: 0, revoked: 0, never: 1, unknown: 0, connected: 1 })
  expect(JSON.stringify(page)).not.toContain(token)
})

test('without namespaces a listener has the one that the platform chose, which its commands name', async () => {
  const created = await createListener({ workspace, compute_id: 'plain', namespaces: [] })
  if (!created.ok) throw new Error(created.error.message)
  expect(created.data.namespaces).toEqual(['default'])
  expect(rowOf(await rows(), 'plain')?.namespaces).toEqual(['default'])
  expect(await deleteListener({ workspace, id: created.data.id })).toMatchObject({ ok: true })
})

test('a name that is taken is refused at its field, a namespace that cannot be at its own', async () => {
  const create = (compute_id: string, ...namespaces: string[]) => createListener({ workspace, compute_id, namespaces })
  expect(await create('east')).toMatchObject({ error: { code: 'conflict', fields: [{ path: ['compute_id'] }] } })
  expect(await create('this-machine')).toMatchObject({ error: { fields: [{ path: ['compute_id'] }] } })
  expect(await create(' ')).toMatchObject({ error: { code: 'invalid', fields: [{ path: ['compute_id'] }] } })
  expect(await create('west', 'fine', 'Not_fine')).toMatchObject({
    error: { code: 'invalid', fields: [{ path: ['namespaces', 1] }] },
  })
  expect((await rows()).total).toBe(2)
})

test('a deployment that waits for it is listed first and told of; then it is connected', async () => {
  const { id: deployment, latest_revision_id: revision } = await deploy('waits')
  await waitFor('it waits', async () => (await fixture.client.revision(deployment, revision)).status === 'DEPLOYING')
  await waitFor('the list has it', async () => (await rows()).waiting?.count === 1)
  const page = await rows({ state: 'never', q: 'EAS' })
  expect(page.waiting?.deployments).toEqual([{ id: deployment, name: 'waits', isWaiting: true }])
  expect(page.rows).toMatchObject([{ name: 'east', deploymentCount: 1, waitingCount: 1 }])
  const { listener, ended } = join(token)
  await waitFor('it is connected', async () => rowOf(await rows(), 'east')?.connection?.away === null)
  await fixture.client.waitForStatus(deployment, revision, 'DEPLOYED')
  await waitFor('nothing waits', async () => (await rows()).waiting?.count === 0)
  const [row] = (await rows({ id })).rows
  expect(row).toMatchObject({ version: '1.2.3', deployments: [{ name: 'waits', isWaiting: false }] })
  listener.stop()
  await ended
})

test('namespaces are saved over what was seen, and not over a change of somebody else', async () => {
  const save = (namespaces: string[], seen: string[]) => saveNamespaces({ workspace, id, namespaces, seen })
  expect(await save(['agents', 'more'], ['agents'])).toEqual({ ok: true, data: undefined })
  const late = await save(['agents', 'late'], ['agents'])
  expect(late).toMatchObject({ error: { code: 'conflict', message: expect.stringContaining('to agents, more.') } })
  const lost = await save(['more'], ['agents', 'more'])
  expect(lost).toMatchObject({ error: { fields: [{ message: expect.stringContaining('waits runs in agents') }] } })
  const both = await Promise.all(['third', 'fourth'].map((name) => save(['agents', name], ['agents', 'more'])))
  expect(both.filter(({ ok }) => ok)).toHaveLength(1)
  expect(await save(['agents', 'more'], rowOf(await rows(), 'east')?.namespaces ?? [])).toMatchObject({ ok: true })
})

test('a new token ends the listener with the former one, and a revoked one ends it for good', async () => {
  const first = join(token)
  await waitFor('it is connected', async () => rowOf(await rows(), 'east')?.connection?.away === null)
  const renewed = await renewListenerToken({ workspace, id })
  if (!renewed.ok) throw new Error(renewed.error.message)
  expect(renewed.data.token).not.toBe(token)
  await expect(first.ended).rejects.toThrow(RevokedError)
  const second = join(renewed.data.token)
  expect(await revokeListenerToken({ workspace, id })).toMatchObject({ ok: true })
  await expect(second.ended).rejects.toThrow(RevokedError)
  expect((await rows({ state: 'revoked' })).rows).toMatchObject([{ name: 'east' }])
  token = renewed.data.token
})

test('a listener with deployments is not deleted, and the refusal names them', async () => {
  const refused = await deleteListener({ workspace, id })
  expect(refused).toMatchObject({
    error: { message: 'Listener east cannot be deleted: waits uses it. Delete these deployments first.' },
  })
  const { body } = await fixture.client.get('/v2/deployments?name=waits')
  const [{ id: deployment }] = body.resources
  const renewed = await renewListenerToken({ workspace, id })
  const { ended } = join(renewed.ok ? renewed.data.token : '')
  await fixture.client.request('DELETE', `/v2/deployments/${deployment}`)
  await waitFor('it is gone', async () => (await fixture.client.get(`/v2/deployments/${deployment}`)).status === 404)
  expect(await deleteListener({ workspace, id })).toMatchObject({ ok: true })
  await expect(ended).rejects.toThrow(RevokedError)
  expect((await rows()).total).toBe(1)
})

test('viewers see the list and change nothing; limited members see none of it', async () => {
  expect((await rows({}, viewer)).rows).toMatchObject([{ name: 'this-machine' }])
  const { id: own } = (await rows()).rows[0] ?? { id: '' }
  await signIn(viewer)
  const place = { workspace, id: own }
  for (const change of [
    () => createListener({ workspace, compute_id: 'theirs', namespaces: [] }),
    () => saveNamespaces({ ...place, namespaces: [], seen: [] }),
    () => renewListenerToken(place),
    () => revokeListenerToken(place),
    () => deleteListener(place),
  ])
    expect(await change()).toMatchObject({ error: { code: 'forbidden' } })
  await signIn(admin)
  const limited = await testActor({ local: { [own]: 'admin' } })
  await expect(rows({}, limited)).rejects.toMatchObject({ code: 'not_found' })
})

test('the audit trail says in sentences what was done to which listener, and never has a token', async () => {
  const said = await trail()
  expect(said).toEqual(
    expect.arrayContaining([
      ...['created listener east', 'changed listener east', 'renewed the token of listener east'],
      ...['revoked the token of listener east', 'deleted listener east', 'tried to delete listener east'],
    ]),
  )
  expect(JSON.stringify(said)).not.toContain('phl_')
})
