import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { testDatabase } from '@/scripts/testing'
import { INTEGRATION_ID } from '../control-plane/platform'
import { openDatabase } from '../kernel/database'
import { type PlatformOptions, type RunningPlatform, startPlatform } from '../start'
import { testFolder } from './test-folder'

export const STAND_IN_AGENT = path.resolve('platform/testing/stand-in-agent.mjs')

/** Generous; on an idle machine everything takes far less. */
const TIMEOUT_MS = 60_000

/** A git repository in its own folder. `commit` writes files and returns the commit's id. */
export function createRepository(folder: string) {
  mkdirSync(folder, { recursive: true })
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.invalid', ...args], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trim()
  git('init', '--quiet', '--initial-branch=main')
  const commit = (files: Record<string, string>) => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
      writeFileSync(path.join(folder, name), text)
    }
    git('add', '--all')
    git('commit', '--quiet', '--allow-empty', '--message=change')
    return git('rev-parse', 'HEAD')
  }
  return { url: folder, git, commit }
}

/** A graph that keeps loading while a file exists. */
export const blockingGraph = (file: string, text: string) => `import { existsSync } from 'node:fs'
while (existsSync(${JSON.stringify(file)})) await new Promise((resolve) => setTimeout(resolve, 20))
export const graph = { text: ${JSON.stringify(text)} }
`

/** The files of a graph for the stand-in agent server. */
export const graphFiles = (text = 'one', more = '') => ({
  'graph.json': JSON.stringify({ graphs: { main: './main.mjs:graph' } }),
  'main.mjs': `export const graph = { text: ${JSON.stringify(text)}${more} }\n`,
})

// biome-ignore lint/suspicious/noExplicitAny: tests read the responses of every operation, and fail if the shape differs
type PlatformResponse = { status: number; body: any; headers: Headers }

/** A client of a running platform, like a user's. */
export function createClient(platform: Pick<RunningPlatform, 'url' | 'apiKey'>) {
  const request = async (
    method: string,
    resource: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<PlatformResponse> => {
    const response = await fetch(platform.url + resource, {
      method,
      headers: {
        'x-api-key': platform.apiKey,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
  }
  const get = (resource: string) => request('GET', resource)
  const revision = async (deploymentId: string, id: string) =>
    (await get(`/v2/deployments/${deploymentId}/revisions/${id}`)).body
  return {
    request,
    get,
    revision,
    create: (name: string, repository: string, fields: Record<string, unknown> = {}) =>
      request('POST', '/v2/deployments', createBody(name, repository, fields)),
    patch: (resource: string, body: unknown) => request('PATCH', resource, body),
    /** What the stand-in reports about itself, with its process number as it is on this machine. */
    about: async (id: string) => {
      const { body } = await get(`/agents/${id}/about`)
      return body?.pid === undefined ? body : { ...body, pid: numberHere(body.pid, body.revision) }
    },
    /** Waits until a revision has a status; fails at once if it ends in another. */
    waitForStatus: async (deploymentId: string, id: string, wanted: string) => {
      for (const end = Date.now() + TIMEOUT_MS; Date.now() < end; ) {
        const found = await revision(deploymentId, id)
        if (found.status === wanted) return found
        if (/FAILED|DEPLOYED|SKIPPED|INTERRUPTED/.test(found.status)) {
          const type = found.status === 'DEPLOY_FAILED' ? 'deploy' : 'build'
          const logs = await get(`/v2/deployments/${deploymentId}/revisions/${id}/logs?type=${type}&limit=1000`)
          throw new Error(
            `${found.status} instead of ${wanted}: ${logs.body.logs.map((line: { message: string }) => line.message).join('\n')}`,
          )
        }
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      throw new Error(`still not ${wanted}: ${(await revision(deploymentId, id)).status}`)
    },
    log: async (deploymentId: string, id: string, type: 'build' | 'deploy'): Promise<string> => {
      const logs = await get(`/v2/deployments/${deploymentId}/revisions/${id}/logs?type=${type}&limit=1000`)
      return logs.body.logs.map((line: { message: string }) => line.message).join('\n')
    },
  }
}
export type Client = ReturnType<typeof createClient>

export function createBody(name: string, repository: string, fields: Record<string, unknown> = {}) {
  return {
    name,
    source: 'github',
    source_config: {
      integration_id: INTEGRATION_ID,
      repo_url: repository,
      deployment_type: 'dev',
      build_on_push: false,
    },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
    secrets: [],
    ...fields,
  }
}

const MIGRATED = {
  name: 'migrated_platform',
  migrate: async (url: string) => (await openDatabase(url, () => {})).close(),
}

/** A data folder, a database, and the platform on them in this process, which can be stopped and restarted. */
export async function createFixture(options: Partial<PlatformOptions> = {}) {
  const { path: folder, remove } = testFolder()
  const database = await testDatabase(MIGRATED)
  const lines: string[] = []
  let platform: RunningPlatform
  const start = async (changed: Partial<PlatformOptions> = {}) => {
    platform = await startPlatform({
      dataDir: path.join(folder, 'data'),
      databaseUrl: database.url,
      agentServerEntry: STAND_IN_AGENT,
      withSamples: false,
      drainMs: 15_000,
      pushLookMs: 100,
      readyTimeoutMs: 15_000,
      log: (line) => lines.push(line),
      sandbox: { readable: [folder] },
      ...options,
      ...changed,
    })
    return platform
  }
  await start()
  return {
    folder,
    database,
    lines,
    start,
    get platform() {
      return platform
    },
    get client() {
      return createClient(platform)
    },
    /** The settings of a console whose first workspace is this platform. */
    get consoleSettings() {
      return {
        CONTROL_PLANE_URL: platform.url,
        CONTROL_PLANE_API_KEY: platform.apiKey,
        PILOTHOUSE_WORKSPACE_KIND: 'embedded',
      }
    },
    repository: (name = 'repository') => createRepository(path.join(folder, name)),
    async close() {
      await platform.stop()
      await database.drop()
      remove()
    },
  }
}
export type Fixture = Awaited<ReturnType<typeof createFixture>>

/**
 * Shows that a push had no effect, without waiting: `passed` pushes twice to a repository of its own and resolves when
 * both were seen. By then, earlier pushes elsewhere have been checked too.
 */
export async function createCanary(fixture: Fixture) {
  const repository = fixture.repository('canary')
  const commit = () => repository.commit({ note: String(Math.random()) })
  const latest = async () => (await fixture.client.get(`/v2/deployments/${created.body.id}`)).body
  const seen = (wanted: string) =>
    waitFor('the push is seen', async () => (await latest()).source_revision_config.repo_commit_sha === wanted)
  const first = commit()
  const created = await fixture.client.request('POST', '/v2/deployments', {
    ...createBody('canary', repository.url),
    source_config: { ...createBody('', repository.url).source_config, build_on_push: true },
  })
  await seen(first)
  return {
    async passed() {
      await seen(commit())
      await seen(commit())
    },
  }
}

/** The number of a process that has the number `inner` in its own namespace and `mark` in its environment or command line. */
export function numberHere(inner: number, mark: string): number {
  if (process.platform !== 'linux') return inner
  const found = readdirSync('/proc').find((name) => {
    try {
      const numbers = /^NSpid:\s+(.*)$/m.exec(readFileSync(`/proc/${name}/status`, 'utf8'))?.[1]?.split(/\s+/)
      if (numbers?.at(-1) !== String(inner)) return false
      return ['environ', 'cmdline'].some((file) => readFileSync(`/proc/${name}/${file}`, 'utf8').includes(mark))
    } catch {
      return false
    }
  })
  if (!found) throw new Error(`no process ${inner} of ${mark} is running`)
  return Number(found)
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    // A zombie has ended, but its parent has not collected it.
    return !/^.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return true
  }
}

export async function waitFor(
  what: string,
  check: () => boolean | Promise<boolean>,
  timeoutMs = TIMEOUT_MS,
): Promise<void> {
  for (const end = Date.now() + timeoutMs; Date.now() < end; ) {
    if (await check()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`not within ${timeoutMs} ms: ${what}`)
}
