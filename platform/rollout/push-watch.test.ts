import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import {
  blockingGraph,
  type Client,
  createBody,
  createCanary,
  createFixture,
  type Fixture,
  graphFiles,
  waitFor,
} from '../testing/platform-fixture'

// The polling interval is longer than the test, so every push seen here was detected by watching ref files.
vi.setConfig({ testTimeout: 60_000 })

let fixture: Fixture
let client: Client
let canary: Awaited<ReturnType<typeof createCanary>>
beforeAll(async () => {
  fixture = await createFixture({ pushLookMs: 60_000 })
  client = fixture.client
  canary = await createCanary(fixture)
})
afterAll(() => fixture.close())
const deployments: string[] = []
afterEach(async () => {
  for (const id of deployments.splice(0)) await client.request('DELETE', `/v2/deployments/${id}`)
})

const revisions = async (id: string) =>
  (await client.get(`/v2/deployments/${id}/revisions`)).body.resources as {
    id: string
    status: string
    source_revision_config: { repo_commit_sha: string | null }
  }[]
const latestCommit = async (id: string) => (await revisions(id))[0]?.source_revision_config.repo_commit_sha

async function watched(name: string, ref = 'main') {
  const repository = fixture.repository(name)
  const first = repository.commit(graphFiles())
  if (ref !== 'main') repository.git('checkout', '--quiet', '-b', ref)
  const body = createBody(name, repository.url)
  Object.assign(body.source_config, { build_on_push: true })
  Object.assign(body.source_revision_config, { repo_ref: ref })
  const created = (await client.request('POST', '/v2/deployments', body)).body
  deployments.push(created.id)
  await client.waitForStatus(created.id, created.latest_revision_id, 'DEPLOYED')
  // An update wakes only the deployment's queue, so the watch is started again, as at a start.
  await restart()
  return { id: created.id as string, first, repository }
}
async function restart() {
  await fixture.platform.stop()
  await fixture.start()
  client = fixture.client
}
const pushed = (id: string, commit: string) =>
  waitFor(`a revision of ${commit}`, async () => (await latestCommit(id)) === commit)

test('a push is seen at once: loose refs, packed refs, a branch with slashes, a force push, a branch that comes back', async () => {
  const { id, first, repository } = await watched('seen', 'feature/deep/one')
  await pushed(id, repository.commit(graphFiles('two')))
  repository.git('pack-refs', '--all')
  await pushed(id, repository.commit(graphFiles('three')))
  repository.git('reset', '--quiet', '--hard', first)
  const forced = repository.commit(graphFiles('forced'))
  await pushed(id, forced)
  const count = (await revisions(id)).length

  repository.git('checkout', '--quiet', '--detach')
  repository.git('branch', '-D', 'feature/deep/one')
  const latest = (await revisions(id))[0]?.id ?? ''
  await waitFor('it is said', async () =>
    (await client.log(id, latest, 'build')).includes('is no longer in the repository'),
  )
  repository.git('branch', 'feature/deep/one', forced)
  await canary.passed()
  expect(await revisions(id)).toHaveLength(count)
  repository.git('checkout', '--quiet', 'feature/deep/one')
  await pushed(id, repository.commit(graphFiles('back')))
})

test('of rapid pushes the last is deployed and queued ones are SKIPPED; no commit is deployed twice', async () => {
  const { id, repository } = await watched('rapid')
  const held = path.join(fixture.folder, 'held')
  writeFileSync(held, '')
  await pushed(id, repository.commit({ 'main.mjs': blockingGraph(held, 'slow') }))
  let last = ''
  for (const text of ['a', 'b', 'c']) {
    last = repository.commit(graphFiles(text))
    await pushed(id, last)
  }
  rmSync(held)
  const [newest] = await revisions(id)
  await client.waitForStatus(id, newest?.id ?? '', 'DEPLOYED')
  const all = await revisions(id)
  expect(all.map(({ status }) => status)).toEqual(['DEPLOYED', 'SKIPPED', 'SKIPPED', 'DEPLOYED', 'DEPLOYED'])
  expect(new Set(all.map((one) => one.source_revision_config.repo_commit_sha)).size).toBe(5)
  expect(await client.about(id)).toMatchObject({ text: 'c', info: { commit: last } })
})

test('a push while the platform is down is built at its start, and restarting builds nothing twice', async () => {
  const { id, repository } = await watched('down')
  await fixture.platform.stop()
  const missed = repository.commit(graphFiles('missed'))
  await fixture.start()
  client = fixture.client
  await pushed(id, missed)
  await client.waitForStatus(id, (await revisions(id))[0]?.id ?? '', 'DEPLOYED')
  await restart()
  await canary.passed()
  expect(await revisions(id)).toHaveLength(2)
})

test('an unreachable repository is logged once, and the active revision keeps serving', async () => {
  const { id, repository } = await watched('away')
  rmSync(repository.url, { recursive: true })
  await restart()
  const [latest] = await revisions(id)
  const log = () => client.log(id, latest?.id ?? '', 'build')
  await waitFor('it is said', async () => (await log()).includes('Pushes cannot be detected now'))
  expect((await revisions(id)).map(({ status }) => status)).toEqual(['DEPLOYED'])
})

test('pushes count only while build_on_push is on, and only on the branch currently tracked', async () => {
  const quick = await createFixture({ pushLookMs: 100 })
  const before = client
  client = quick.client
  try {
    const repository = quick.repository()
    repository.commit(graphFiles())
    const { body } = await client.create('toggled', repository.url)
    await client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
    const patch = (source: object) => client.patch(`/v2/deployments/${body.id}`, source)
    const quickCanary = await createCanary(quick)
    const nothing = async () => {
      const { length } = await revisions(body.id)
      await quickCanary.passed()
      expect(await revisions(body.id)).toHaveLength(length)
    }
    const missed = repository.commit(graphFiles('off'))
    await nothing()
    await patch({ source_config: { build_on_push: true } })
    await pushed(body.id, missed)

    repository.git('checkout', '--quiet', '-b', 'other')
    const other = repository.commit(graphFiles('other'))
    await nothing()
    const changed = await patch({ source_revision_config: { repo_ref: 'other' } })
    await client.waitForStatus(body.id, changed.body.latest_revision_id, 'DEPLOYED')
    expect(await latestCommit(body.id)).toBe(other)
    repository.git('checkout', '--quiet', 'main')
    repository.commit(graphFiles('left behind'))
    await nothing()
    repository.git('checkout', '--quiet', 'other')
    await pushed(body.id, repository.commit(graphFiles('other again')))

    await patch({ source_config: { build_on_push: false } })
    await quickCanary.passed()
    repository.commit(graphFiles('off again'))
    await nothing()
  } finally {
    client = before
    await quick.close()
  }
})
