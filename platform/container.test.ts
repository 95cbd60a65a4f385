import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { freePort } from './testing/kubernetes/api-server'
import { createRepository, graphFiles, STAND_IN_AGENT } from './testing/platform-fixture'
import { testFolder } from './testing/test-folder'

// The program of an agent's container, as its image starts it.

const { fresh, remove } = testFolder()
afterAll(remove)

const SECRET = 'a secret of the test'
const settingsOf = (source: object | null) =>
  JSON.stringify({
    deployment: { id: 'd', name: 'd' },
    revision: { id: 'r', commit: null },
    ...{ source, secretNames: [], databaseUrl: 'postgres://none', secret: SECRET, drainSeconds: 0 },
  })

test('a build needs no home folder: package managers keep their files in the folder for temporary ones', () => {
  const repository = createRepository(fresh('repository'))
  repository.commit(graphFiles())
  const at = fresh('container')
  const folder = path.join(at, 'source')
  const settings = path.join(at, 'revision.json')
  mkdirSync(path.join(at, 'tmp'), { recursive: true })
  const commands = { install_command: 'mkdir -p "$(npm config get cache)/x" && touch installed', build_command: 'true' }
  writeFileSync(
    settings,
    settingsOf({
      folder,
      config: { repo_url: repository.url, ...commands },
      revision: { repo_ref: 'main', graph_config_path: 'graph.json' },
    }),
  )
  const { status, stdout } = spawnSync(process.execPath, ['.build/container.mjs', 'build'], {
    env: { ...process.env, HOME: '/dev/null', TMPDIR: path.join(at, 'tmp'), PILOTHOUSE_AGENT_SETTINGS: settings },
    encoding: 'utf8',
  })
  expect(stdout).toContain('Build complete')
  expect({ status, isInstalled: existsSync(path.join(folder, 'installed')) }).toEqual({ status: 0, isInstalled: true })
})

/** A container that serves the stand-in from an image, once it is ready. */
async function serving(name: string, variables: Record<string, string> = {}) {
  const folder = fresh(name)
  mkdirSync(folder)
  for (const [file, content] of Object.entries(graphFiles())) writeFileSync(path.join(folder, file), content)
  const settings = path.join(folder, 'revision.json')
  writeFileSync(settings, settingsOf(null))
  const [port, healthPort] = [await freePort(), await freePort()]
  const container = spawn(process.execPath, [path.resolve('.build/container.mjs'), 'serve'], {
    cwd: folder,
    env: {
      ...process.env,
      PILOTHOUSE_AGENT_SETTINGS: settings,
      PILOTHOUSE_AGENT_SERVER: STAND_IN_AGENT,
      PILOTHOUSE_AGENT_HOST: '127.0.0.1',
      PILOTHOUSE_AGENT_PORT: String(port),
      PILOTHOUSE_AGENT_HEALTH_PORT: String(healthPort),
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void container.kill('SIGKILL'))
  const lines = text(container.stdout)
  const ended = once(container, 'exit')
  const ready = () => fetch(`http://127.0.0.1:${healthPort}/ready`).then(({ status }) => status)
  await expect.poll(() => ready().catch(() => 0), { timeout: 30_000 }).toBe(200)
  const get = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { 'x-pilothouse-child': SECRET } }).then(({ status }) => status)
  return { container, lines, ended, ready, get }
}

test('a container that is stopped is not ready at once, and answers what is still sent to it before it ends', async () => {
  const { container, ended, ready, get } = await serving('stopped')
  container.kill('SIGTERM')
  await expect.poll(ready).toBe(503)
  expect(await get('/about')).toBe(200)
  expect(await ended).toEqual([0, null])
}, 60_000)

test('a container whose agent server hangs says so and ends, so that its node restarts it', async () => {
  const { lines, ended, get } = await serving('hanging', { PILOTHOUSE_HANG_SECONDS: '1' })
  await get('/spin')
  expect(await ended).toEqual([1, null])
  expect(await lines).toContain('The agent server exited: killed because it did not respond for 1 s.')
}, 60_000)
