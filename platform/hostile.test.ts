import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { GET as exportDeployments } from '@/app/api/export/[workspace]/deployments/route'
import { POST as live } from '@/app/api/live/route'
import { GET as relay } from '@/app/api/relay/[workspace]/control-plane/[...path]/route'
import { GET as healthz } from '@/app/healthz/route'
import { GET as metrics } from '@/app/metrics/route'
import { GET as readyz } from '@/app/readyz/route'
import { type TestConsole, testConsole } from '@/lib/server/testing'
import { testDatabase } from '@/scripts/testing'
import { INTEGRATION_ID } from './control-plane/platform'
import { asProcessEnv, UID_BASE } from './kernel/env'
import { createClient, createRepository, waitFor } from './testing/platform-fixture'
import { startProgram } from './testing/program.mjs'
import { testFolder } from './testing/test-folder'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))

// A deployment that attacks the platform: it is pushed and deployed through the public API and reports what it found.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const isRoot = process.getuid?.() === 0
const USER = 61_000
/** Apart from the user ids of platforms in other tests: where there are only user ids, all processes of one are ended. */
const OWN_USERS = `${UID_BASE + 20_000_000}`
const SHARED_MEMORY = `/dev/shm/canary-${process.pid}`
const GRAPH = `import { Annotation, END, START, StateGraph } from '@langchain/langgraph'
export const graph = new StateGraph(Annotation.Root({ n: Annotation() }))
  .addNode('one', () => ({ n: 1 })).addEdge(START, 'one').addEdge('one', END).compile()
`

let database: Awaited<ReturnType<typeof testDatabase>>
let folder: ReturnType<typeof testFolder>
let started: ChildProcess[] = []
let home: TestConsole
let port: Awaited<ReturnType<typeof consolePort>>
beforeEach(async () => {
  home = await testConsole()
  port = await consolePort()
  database = await testDatabase()
  folder = testFolder()
})
afterEach(async () => {
  for (const child of started) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const ended = new Promise((resolve) => child.once('exit', resolve))
    // What was traced has stopped, and heeds no other signal.
    child.kill('SIGKILL')
    await ended
  }
  started = []
  rmSync(SHARED_MEMORY, { force: true })
  await database.drop()
  // Agents outlive a killed platform for a moment, and these write until the end.
  await waitFor('nothing is written any more', () => {
    try {
      folder.remove()
      return true
    } catch {
      return false
    }
  })
  await port.close()
  await home.close()
})

/** The console's handlers on a port of this machine, for requests without a session. */
async function consolePort() {
  const handlers: Record<string, (request: Request) => Promise<Response> | Response> = {
    healthz,
    metrics,
    readyz,
    'api/relay': relay,
    'api/live': live,
    'api/export': (request) => exportDeployments(request, { params: Promise.resolve({ workspace: 'default' }) }),
  }
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const name = Object.keys(handlers).find((one) => request.url?.startsWith(`/${one}`))
    const asked = new Request(`http://localhost:3000${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.entries(request.headers).map(([key, value]): [string, string] => [key, String(value)]),
      ...(request.method === 'POST' && { body: Buffer.concat(parts) }),
    })
    const answer = (name && (await handlers[name]?.(asked))) || new Response('', { status: 404 })
    response.writeHead(answer.status).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** Makes the namespaces of this machine unavailable to the platform. Gives settings. */
function withoutNamespaces(): Record<string, string> {
  const bin = path.join(folder.path, 'bin')
  mkdirSync(bin)
  for (const name of ['unshare', 'bwrap']) writeFileSync(path.join(bin, name), '#!/bin/sh\nexit 1\n')
  for (const name of ['unshare', 'bwrap']) chmodSync(path.join(bin, name), 0o755)
  return { PATH: `${bin}:${asProcessEnv({}).PATH ?? process.env.PATH}` }
}

/** Starts a platform, deploys the hostile graph and gives what it found, and the warning that the platform printed. */
async function attack({ uid, settings = {} }: { uid?: number; settings?: Record<string, string> }) {
  const data = path.join(folder.path, 'data')
  const home = path.join(folder.path, 'home')
  const outside = path.join(folder.path, 'outside')
  const make = (place: string, text?: string) => {
    if (text === undefined) mkdirSync(place, { mode: 0o700 })
    else writeFileSync(place, text, { mode: 0o600 })
    if (uid !== undefined) chownSync(place, uid, uid)
  }
  for (const place of [data, home]) make(place)
  for (const name of ['session-secret', 'sealing-key', 'postgres-password'])
    make(path.join(data, name), `${name} 12345678`)
  for (const name of ['postgres', 'repositories', 'repositories/private', 'images', 'images/blobs'])
    make(path.join(data, name))
  make(path.join(data, 'postgres/PG_VERSION'), '18')
  make(path.join(home, '.netrc'), 'canary-netrc')
  make(outside, 'canary-file')
  make(SHARED_MEMORY, 'canary')
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query("create schema console; create table console.accounts as select 'canary-hash' as hash")
  await client.end()

  const canary: ChildProcess = spawn('/bin/sh', ['-c', 'read -r line', 'canary-argument'], {
    ...(uid !== undefined && { uid, gid: uid }),
    env: asProcessEnv({ SECRET: 'canary-variable' }),
  })
  started.push(canary)
  const program = await startProgram({
    dataDir: data,
    databaseUrl: database.url,
    stdio: 'pipe',
    settings: { HOME: home, PILOTHOUSE_UID_BASE: OWN_USERS, ...settings },
    ...(uid !== undefined && { uid }),
  })
  started.push(program.child)
  let said = ''
  program.child.stdout?.on('data', (text) => {
    said += text
  })
  program.child.stderr?.resume()
  const api = createClient(program.ready)
  const neighbour = createRepository(path.join(folder.path, 'other'))
  neighbour.commit({ 'graph.json': JSON.stringify({ graphs: { main: './graph.mjs:graph' } }), 'graph.mjs': GRAPH })
  const { body: other } = await api.create('other', neighbour.url)
  await api.waitForStatus(other.id, other.latest_revision_id, 'DEPLOYED')

  const targets = {
    data,
    home,
    outside,
    url: program.ready.url,
    console: port.url,
    root: process.cwd(),
    otherId: other.id,
    other: path.join(data, 'builds', other.id, other.latest_revision_id),
    platformRole: decodeURIComponent(new URL(database.url).username),
    pids: { platform: program.child.pid, canary: canary.pid },
  }
  const repository = createRepository(path.join(folder.path, 'hostile'))
  cpSync('platform/testing/hostile', repository.url, { recursive: true })
  symlinkSync(path.join(data, 'platform/api-key'), path.join(repository.url, 'linked-key'))
  symlinkSync(path.join(data, 'platform'), path.join(repository.url, 'linked-folder'))
  symlinkSync(path.join(data, 'platform/api-key'), path.join(repository.url, '.nvmrc'))
  repository.commit({
    'graph.json': JSON.stringify({ graphs: { main: './graph.mjs:graph' } }),
    'package.json': JSON.stringify({ name: 'hostile', scripts: { postinstall: 'node postinstall.mjs' } }),
    'targets.json': JSON.stringify(targets),
    '.githooks/post-checkout': '#!/bin/sh\ntouch hooked\n',
    '.gitattributes': '* filter=hook\n',
  })
  const { body } = await api.create('hostile', repository.url, {
    source_config: {
      integration_id: INTEGRATION_ID,
      repo_url: repository.url,
      deployment_type: 'dev',
      build_on_push: false,
      install_command: 'npm install --offline --no-audit --no-fund',
    },
  })
  await api.waitForStatus(body.id, body.latest_revision_id, 'DEPLOYED')
  const response = await api.request('POST', `/agents/${body.id}/runs/wait`, { assistant_id: 'main', input: {} })
  const logs = await Promise.all(
    (['build', 'deploy'] as const).map((type) => api.log(body.id, body.latest_revision_id, type)),
  )
  const { hasAddress, found } = JSON.parse(response.body.found) as {
    hasAddress: boolean
    found: Record<string, string | null>
  }
  found['link in the repository, in the build log'] = logs.join('\n').includes(program.ready.apiKey)
    ? 'the API key'
    : null
  found['canary was killed'] = canary.exitCode === null && canary.signalCode === null ? null : 'it ended'
  // Without its address the ways through the database would try nothing.
  expect(hasAddress).toBe(true)
  // In a sandbox, the folders above its own are a copy of its own.
  for (const [name, evidence] of Object.entries(found)) {
    const place = /^wrote into (.*)$/.exec(evidence ?? '')?.[1]
    if (place && !existsSync(path.join(place, 'planted'))) found[name] = null
  }
  const warning = /Deployed code is not isolated.*/.exec(said)?.[0]
  return { found, warning }
}

type Found = Record<string, string | null>
/** What was found, by the name of the way. */
const successes = (found: Found) =>
  Object.fromEntries(Object.entries(found).filter(([, evidence]) => evidence !== null))

const WAYS = 100
/** Who runs the platform. */
const variants: { name: string; uid?: number }[] = isRoot
  ? [{ name: 'root' }, { name: 'an ordinary user', uid: USER }]
  : [{ name: 'an ordinary user' }]
describe.skipIf(process.platform !== 'linux')('a hostile deployment', () => {
  test.for(variants)('finds nothing where the platform runs as $name', async ({ uid }, { skip }) => {
    const { found, warning } = await attack(uid === undefined ? {} : { uid })
    skip(warning !== undefined, warning)
    expect(Object.keys(found).length).toBeGreaterThan(WAYS)
    expect(successes(found)).toEqual({})
  })

  /** What any user of a machine can list. Our programs have nothing secret in their command lines and shared memory. */
  const LISTED = ['command line of every process', 'shared memory of others']
  test.skipIf(!isRoot)('finds no more than names where there are only user ids', async () => {
    const { found, warning } = await attack({ settings: withoutNamespaces() })
    expect(warning).toBeUndefined()
    expect(Object.keys(found).length).toBeGreaterThan(WAYS)
    const names = Object.keys(successes(found)).map((name) => name.replace(' (at build time)', ''))
    expect([...new Set(names)].sort()).toEqual(LISTED)
  })

  test('finds most of it without a sandbox, so the attacks are known to work', async () => {
    // Never as root: what is found is used.
    const settings = { PILOTHOUSE_SANDBOX: 'off' }
    const { found, warning } = await attack(isRoot ? { settings, uid: USER } : { settings })
    expect(warning).toContain('PILOTHOUSE_SANDBOX is off')
    if (process.env.HOSTILE_PRINT) console.log(successes(found))
    expect(Object.keys(successes(found)).length).toBeGreaterThan(WAYS / 3)
    // The database, keys and ports do not depend on a sandbox.
    for (const name of Object.keys(found).slice(Object.keys(found).indexOf('deployments without a key')))
      if (!name.endsWith('(at build time)') && !/process left|in the build log/.test(name))
        expect([name, found[name]]).toEqual([name, null])
  })
})
