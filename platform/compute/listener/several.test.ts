import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createFixture, type Fixture, waitFor } from '../../testing/platform-fixture'
import { Listener, RevokedError } from './listener'
import { memoryCluster } from './testing'

vi.setConfig({ testTimeout: 60_000 })

let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture({ sandbox: { mode: 'off' } })
})
afterAll(() => fixture.close())

async function joined(name: string) {
  const { client, platform } = fixture
  const { body } = await client.request('POST', '/v2/listeners', { compute_type: 'k8s', compute_id: name })
  const memory = memoryCluster()
  const about = { version: '1', agentUrl: 'http://127.0.0.1:9/{namespace}/{service}', database: 'database:5432' }
  const listener = new Listener({ url: platform.url, token: body.token, cluster: memory.cluster, about, log: () => {} })
  const ended = listener.run()
  ended.catch(() => {})
  const create = async (deployment: string) => {
    const { body: made } = await client.request('POST', '/v2/deployments', {
      name: deployment,
      source: 'external_docker',
      source_config: { listener_id: body.id },
      source_revision_config: { image_uri: 'registry.example.com/agent:1' },
      secrets: [],
    })
    return made as { id: string; latest_revision_id: string }
  }
  const holds = () => [...memory.made.values()].map(({ metadata }) => metadata?.labels?.['pilothouse.dev/deployment'])
  return { id: body.id as string, memory, listener, ended, create, holds }
}

test('each of two listeners gets the work of its own deployments; a revoked one ends alone', async () => {
  const { client } = fixture
  const [east, west] = [await joined('east'), await joined('west')]
  const [first, second] = [await east.create('first'), await west.create('second')]
  for (const { id, latest_revision_id } of [first, second])
    await client.waitForStatus(id, latest_revision_id, 'DEPLOYED')
  expect([east.holds(), west.holds()]).toEqual([[first.id], [second.id]])
  for (const [{ memory }, line] of [
    [east, 'from the east'],
    [west, 'from the west'],
  ] as const)
    memory.say(line)
  const logOf = ({ id, latest_revision_id }: typeof first) => client.log(id, latest_revision_id, 'deploy')
  await waitFor('the lines', async () => /from the/.test(await logOf(first)) && /from the/.test(await logOf(second)))
  expect([await logOf(first), await logOf(second)]).toEqual([
    expect.not.stringContaining('from the west'),
    expect.not.stringContaining('from the east'),
  ])

  expect((await client.request('DELETE', `/v2/listeners/${east.id}/token`)).status).toBe(204)
  await expect(east.ended).rejects.toThrow(RevokedError)
  const next = (await client.request('POST', `/v2/deployments/${second.id}/revisions`, {})).body.id
  await client.waitForStatus(second.id, next, 'DEPLOYED')
  expect([east.holds(), west.holds()]).toEqual([[first.id], [second.id]])
  west.listener.stop()
  await west.ended
})
