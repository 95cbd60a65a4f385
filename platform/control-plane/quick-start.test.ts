import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createFixture, type Fixture, graphFiles } from '../testing/platform-fixture'

// Generous, because real processes are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture()
})
afterAll(() => fixture.close())

test('the quick-start of the interface: create, read, poll until DEPLOYED, change a secret, and the agent sees it', async () => {
  const { client, platform } = fixture
  const repository = fixture.repository()
  const commit = repository.commit(graphFiles())

  const created = await client.create('quick', repository.url)
  expect(created.status).toBe(201)
  const { id, latest_revision_id: first } = created.body
  const read = await client.get(`/v2/deployments/${id}`)
  expect(read.status).toBe(200)
  expect(read.body).toMatchObject({
    name: 'quick',
    source: 'github',
    active_revision_id: null,
    latest_revision_id: first,
    secrets: [],
    source_config: { custom_url: `${platform.url}/agents/${id}`, repo_url: repository.url },
  })

  const deployed = await client.waitForStatus(id, first, 'DEPLOYED')
  expect(deployed.source_revision_config).toMatchObject({ repo_ref: 'main', repo_commit_sha: commit })
  expect((await client.get(`/v2/deployments/${id}`)).body).toMatchObject({
    status: 'READY',
    active_revision_id: first,
    image_version: expect.any(String),
  })
  expect(await client.about(id)).toMatchObject({ revision: first, greeting: null, text: 'one' })

  const changed = await client.patch(`/v2/deployments/${id}`, { secrets: [{ name: 'GREETING', value: 'ahoy there' }] })
  expect(changed.status).toBe(200)
  const second = changed.body.latest_revision_id
  expect(second).not.toBe(first)
  expect(changed.body.secrets).toEqual([{ name: 'GREETING', value: 'ahoy there' }])
  await client.waitForStatus(id, second, 'DEPLOYED')
  expect(await client.about(id)).toMatchObject({ revision: second, greeting: 'ahoy there' })

  const revisions = await client.get(`/v2/deployments/${id}/revisions`)
  expect(revisions.body.resources.map((revision: { id: string }) => revision.id)).toEqual([second, first])
  expect(revisions.body.offset).toBe(2)
})
