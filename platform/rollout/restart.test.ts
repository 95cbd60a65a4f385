import type { ChildProcess } from 'node:child_process'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import {
  blockingGraph,
  createBody,
  createClient,
  createFixture,
  type Fixture,
  graphFiles,
  isAlive,
  numberHere,
  STAND_IN_AGENT,
  waitFor,
} from '../testing/platform-fixture'
import { startProgram as startPlatformProgram } from '../testing/program.mjs'

// Generous, because real processes are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

let fixture: Fixture
const started: ChildProcess[] = []
beforeAll(async () => {
  fixture = await createFixture()
})
afterAll(async () => {
  for (const child of started) child.kill('SIGKILL')
  await fixture.close()
})

/** The platform as a separate process, as `npm start` runs it. */
async function startProgram() {
  const program = await startPlatformProgram({
    dataDir: path.join(fixture.folder, 'data'),
    databaseUrl: fixture.database.url,
    agentServer: STAND_IN_AGENT,
    settings: { PILOTHOUSE_READABLE: fixture.folder },
  })
  started.push(program.child)
  return { ...program, client: createClient(program.ready) }
}

test('stop leaves no process; the next start keeps the address and key, serves again and finishes pending work', async () => {
  const repository = fixture.repository()
  repository.commit(graphFiles())
  const before = fixture.client
  const { url, apiKey } = fixture.platform
  const { body } = await before.create('kept', repository.url, { secrets: [{ name: 'GREETING', value: 'still here' }] })
  await before.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
  const { pid } = await before.about(body.id)
  const held = path.join(fixture.folder, 'held')
  writeFileSync(held, '')
  repository.commit({ 'main.mjs': blockingGraph(held, 'slow') })
  const second = (await before.request('POST', `/v2/deployments/${body.id}/revisions`, {})).body.id
  await waitFor('it is deploying', async () => (await before.revision(body.id, second)).status === 'DEPLOYING')
  await fixture.platform.stop()
  expect(isAlive(pid)).toBe(false)
  await expect(fetch(url)).rejects.toThrow()
  rmSync(held)

  const again = await fixture.start()
  expect([again.url, again.apiKey]).toEqual([url, apiKey])
  const { client } = fixture
  await waitFor('the first revision serves', async () => (await client.about(body.id)).greeting === 'still here')
  await client.waitForStatus(body.id, second, 'DEPLOYED')
  expect(await client.about(body.id)).toMatchObject({ revision: second, text: 'slow', greeting: 'still here' })
})

test('a second platform on the same database is refused with a clear message', async () => {
  const first = fixture.platform
  await expect(fixture.start({ timeoutMs: 0 })).rejects.toThrow('Another platform is running on this database')
  expect((await fetch(`${first.url}/ok`)).status).toBe(200)
})

test('idle deployments are still known after a restart and accept updates', async () => {
  const { client } = fixture
  const repository = fixture.repository('idle')
  const { body } = await client.create('idle', repository.url)
  const { id, latest_revision_id } = body
  await client.waitForStatus(id, latest_revision_id, 'BUILD_FAILED')
  await fixture.platform.stop()
  await fixture.start()
  expect((await client.get(`/agents/${id}/ok`)).status).toBe(503)
  expect((await client.get('/agents/00000000-0000-4000-8000-000000000000/ok')).status).toBe(404)
  repository.commit(graphFiles())
  await client.request('POST', `/v2/deployments/${id}/revisions/${latest_revision_id}/redeploy`)
  await client.waitForStatus(id, latest_revision_id, 'DEPLOYED')
  expect((await client.get(`/agents/${id}/ok`)).status).toBe(200)
  expect((await client.request('DELETE', `/v2/deployments/${id}`)).status).toBe(204)
  await waitFor('it is gone', async () => (await client.get(`/agents/${id}/ok`)).status === 404)
  await fixture.platform.stop()
})

test('kill -9 of the platform leaves no build command and no agent server, not even one in an endless loop; the next start serves again', async () => {
  const repository = fixture.repository('killed')
  repository.commit(graphFiles())
  const first = await startProgram()
  const file = path.join(fixture.folder, 'data/platform.json')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ url: first.ready.url, api_key: first.ready.apiKey })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const { body } = await first.client.create('killed', repository.url)
  await first.client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
  const { pid } = await first.client.about(body.id)
  await first.client.get(`/agents/${body.id}/spin`)
  const building = (await first.client.request('POST', `/v2/deployments/${body.id}/revisions`, {})).body.id
  repository.commit({ 'stuck.mjs': 'console.log("pid", process.pid); setInterval(() => {}, 1000)' })
  const other = await first.client.create('building', repository.url, {
    source_config: { ...createBody('', repository.url).source_config, install_command: 'node stuck.mjs' },
  })
  const log = () => first.client.log(other.body.id, other.body.latest_revision_id, 'build')
  await waitFor('a build is under way', async () => /pid \d+/.test(await log()))
  const command = numberHere(Number(/pid (\d+)/.exec(await log())?.[1]), 'stuck.mjs')
  first.child.kill('SIGKILL')
  await waitFor('the command is gone', () => !isAlive(command))
  await waitFor('the looping agent server is gone', () => !isAlive(pid))

  const second = await startProgram()
  expect(second.ready).toEqual(first.ready)
  await second.client.waitForStatus(body.id, building, 'DEPLOYED')
  // Deployed before or after the kill; either way its agent server may be starting now.
  await waitFor('it serves', async () => (await second.client.about(body.id)).revision === building)
  const now = (await second.client.about(body.id)).pid
  second.child.disconnect()
  // A supervisor that gave up would exit with 1.
  expect(await second.ended).toBe(0)
  expect(isAlive(now)).toBe(false)
})

/** The process that ends everything when the platform is gone. */
const reaperOf = (platform: number | undefined) =>
  readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false
    try {
      const parent = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[1]
      // A build's command is a shell too, whose number may be lower once numbers have started again.
      return parent === String(platform) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('read -r kind group')
    } catch {
      return false
    }
  })

test.skipIf(process.platform !== 'linux')(
  'if the reaper is killed together with the platform, the next start kills the leftover processes',
  async () => {
    const repository = fixture.repository('reaped')
    repository.commit(graphFiles())
    const first = await startProgram()
    const { body } = await first.client.create('reaped', repository.url)
    await first.client.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
    const { pid } = await first.client.about(body.id)
    await first.client.get(`/agents/${body.id}/spin`)
    repository.commit({ 'stuck.mjs': 'console.log("pid", process.pid); setInterval(() => {}, 1000)' })
    const other = await first.client.create('reaped-building', repository.url, {
      source_config: { ...createBody('', repository.url).source_config, install_command: 'node stuck.mjs' },
    })
    const log = () => first.client.log(other.body.id, other.body.latest_revision_id, 'build')
    await waitFor('a build is under way', async () => /pid \d+/.test(await log()))
    const command = numberHere(Number(/pid (\d+)/.exec(await log())?.[1]), 'stuck.mjs')
    const [reaper] = reaperOf(first.child.pid)
    // Stopped, or it starts another reaper if this test is delayed between the two kills.
    first.child.kill('SIGSTOP')
    process.kill(Number(reaper), 'SIGKILL')
    first.child.kill('SIGKILL')
    await first.ended
    expect([isAlive(command), isAlive(pid)]).toEqual([true, true])

    const second = await startProgram()
    await waitFor('the command is gone', () => !isAlive(command))
    await waitFor('it serves', async () => (await second.client.about(body.id)).revision === body.latest_revision_id)
    await waitFor('the looping agent server is gone', () => !isAlive(pid))
    const serving = (await second.client.about(body.id)).pid
    expect(isAlive(serving)).toBe(true)
    second.child.kill('SIGTERM')
    expect(await second.ended).toBe(0)
  },
)
