import http from 'node:http'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { query } from '@/scripts/testing'
import { agentSchemaName } from '../../kernel/agent-database'
import { freePort } from '../../testing/kubernetes/api-server'
import { createFixture, type Fixture, waitFor } from '../../testing/platform-fixture'
import { Listener } from './listener'
import { memoryCluster } from './testing'

vi.setConfig({ testTimeout: 60_000 })

const memory = memoryCluster()
let fixture: Fixture
let listenerId: string
let token: string
let port: number
let leave = async () => {}
beforeAll(async () => {
  port = await freePort()
  fixture = await createFixture({ readyTimeoutMs: 3000 })
  const { body } = await fixture.client.request('POST', '/v2/listeners', { compute_type: 'k8s', compute_id: 'east' })
  listenerId = body.id
  token = body.token
  join()
})
afterAll(async () => {
  await leave()
  await fixture.close()
})

function join() {
  const agentUrl = `http://127.0.0.1:${port}/{service}`
  const about = { version: '1', agentUrl, database: null }
  const listener = new Listener({ url: fixture.platform.url, token, cluster: memory.cluster, about, log: () => {} })
  const ended = listener.run()
  leave = async () => {
    listener.stop()
    await ended
  }
}
async function create(name: string, resource_spec: object = {}) {
  const { body } = await fixture.client.request('POST', '/v2/deployments', {
    name,
    source: 'external_docker',
    source_config: { listener_id: listenerId, resource_spec },
    source_revision_config: { image_uri: 'registry.example.com/agent:1' },
    secrets: [],
  })
  const { id, latest_revision_id: revision } = body as { id: string; latest_revision_id: string }
  const log = () => fixture.client.log(id, revision, 'deploy')
  const remove = async () => {
    await fixture.client.request('DELETE', `/v2/deployments/${id}`)
    await waitFor('it is gone', async () => (await fixture.client.get(`/v2/deployments/${id}`)).status === 404)
  }
  return { id, revision, log, remove, until: (status: string) => fixture.client.waitForStatus(id, revision, status) }
}
async function deploy(name: string) {
  const made = await create(name)
  await made.until('DEPLOYED')
  return made
}

test('a roll-out goes on once a cluster that did not answer is back', async () => {
  memory.errors.push(new Error('connect ECONNREFUSED 10.0.0.1:443'))
  const { log, remove } = await deploy('outage')
  expect(await log()).toMatch(
    /Cluster east takes no changes now: connect ECONNREFUSED \S+\. The roll-out waits for it\./,
  )
  await remove()
})

test('a roll-out whose last step fails shortly is not given up', async () => {
  memory.serviceErrors.push(new Error('connect ECONNRESET 10.0.0.1:443'), new Error('Cluster east answered 503: busy'))
  const { log, revision, remove } = await deploy('flicker')
  expect(memory.services.at(-1)).toMatch(new RegExp(`^agent-flicker-\\w+ ${revision}$`))
  expect(await log()).toMatch(/answered 503: busy\. The service of the deployment waits for it\./)
  await remove()
})

test('after a restart, a cluster that does not take the service at once gets it later', async () => {
  const { id, revision, remove } = await deploy('restarted')
  const before = memory.services.length
  memory.serviceErrors.push(new Error('connect ECONNRESET 10.0.0.1:443'))
  await leave()
  await fixture.platform.stop()
  await fixture.start()
  join()
  const point = () => memory.services.slice(before).filter((one) => one.endsWith(revision))
  await waitFor('its service leads to it', () => point().length > 0)
  expect((await fixture.client.get(`/v2/deployments/${id}`)).body.active_revision_id).toBe(revision)
  await remove()
})

test('what a cluster refuses while a revision serves is in its log', async () => {
  const { log, remove } = await deploy('refused')
  memory.refusePods('pods "x" is forbidden: exceeded quota: team, requested: pods=1')
  await waitFor('the line', async () => /The quota of the namespace does not allow/.test(await log()))
  await remove()
})

test('callers of a deployment with its own authentication need no key once its pods are reached', async () => {
  const { id, log, remove } = await deploy('authenticates')
  const { client } = fixture
  const status = async () => (await client.request('GET', `/agents/${id}/ok`, undefined, { 'x-api-key': '' })).status
  expect([await status(), await log()]).toEqual([401, expect.stringContaining('the gateway cannot reach them')])
  const server = http.createServer((_request, response) =>
    response.writeHead(200, { 'x-pilothouse-authenticates': 'true' }).end(),
  )
  const open = () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  await open()
  await waitFor('it serves without a key', async () => (await status()) === 200)

  await leave()
  await fixture.platform.stop()
  await close()
  await fixture.start()
  join()
  await waitFor('it is found again', async () => (await status()) === 401)
  await open()
  await waitFor('it serves without a key', async () => (await status()) === 200)
  await close()
  await remove()
})

test('a scaled revision gets no traffic with the one pod of before its autoscaler’s turn', async () => {
  const { until, log, remove } = await create('scaled', { min_scale: 2, max_scale: 3 })
  await until('DEPLOY_FAILED')
  expect(await log()).toContain('1 of 2 replicas were ready within 3 s.')
  await remove()
})

test('a deployment may open as many database connections as its most pods need', async () => {
  const { id, until, remove } = await create('many', { min_scale: 1, max_scale: 20 })
  await until('DEPLOYED')
  const role = agentSchemaName(id)
  const [row] = await query(fixture.database.url, `select rolconnlimit from pg_roles where rolname = '${role}'`)
  expect(row?.rolconnlimit).toBeGreaterThanOrEqual(2 * 20 * 11)
  await remove()
})

test('the address of a deployment leads to the former revision again when the next one is not activated', async () => {
  const { client, database } = fixture
  const { id, revision, remove } = await deploy('switch')
  await query(
    database.url,
    `create function platform.fail() returns trigger language plpgsql as $$ begin raise 'The disk is full.'; end $$;
     create trigger fail before update of active_revision_id on platform.deployments execute function platform.fail()`,
  )
  const next = (await client.request('POST', `/v2/deployments/${id}/revisions`, {})).body.id
  await client.waitForStatus(id, next, 'DEPLOY_FAILED')
  await query(database.url, 'drop function platform.fail() cascade')
  const led = memory.services.filter((line) => line.includes('-switch-')).map((line) => line.split(' ').at(-1))
  expect(led).toEqual([revision, next, revision])
  await remove()
})
