// The real console (its production build) over a database that outlives it, with a scripted agent server. For checks
// that take too long for `npm test`.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { startConsole } from '../../bench/live/console.mjs'
import { DEPLOYMENT, WORKSPACE } from '../../bench/live/events.mjs'
import { startTestDatabase } from '../start-test-database.mjs'
import { loadSources } from './load-sources.mjs'

/** Sources that tests use: the scripted agent server, and the browser's live client. */
export const SOURCES = [
  "export { scriptedServer, until } from './lib/server/recorder/testing'",
  "export { LiveClient } from './lib/live/client'",
  "export { decodeFrame } from './lib/live/connection'",
  "export { LIVE_WAITS } from './lib/live/environment'",
  "export { decodeEntries } from './lib/stream/entry-text'",
  "export { SseParser } from './lib/stream/sse'",
  "export { databaseProxy } from './scripts/proxies/database-proxy'",
]

/** Another deployment of the same server, by number. */
export const deploymentId = (number) => DEPLOYMENT.slice(0, -4) + String(number).padStart(4, '0')

const deploymentOf = (url, id) => ({
  id,
  name: 'scripted',
  source: 'external_docker',
  source_config: { custom_url: url },
  source_revision_config: {},
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
  status: 'READY',
  secrets: [],
  tenant_id: null,
})

/** A minimal control plane, so that the console finds the agent server at `server.url`. */
export function serveControlPlane(server, deployments, request, response) {
  const { pathname } = new URL(request.url, 'http://x')
  if (!pathname.startsWith('/v2/')) return false
  const all = Array.from({ length: deployments }, (_, index) => deploymentOf(server.url, deploymentId(index + 1)))
  const one = all.find(({ id }) => pathname.endsWith(id))
  const many = { resources: pathname.endsWith('/revisions') ? [] : all, offset: 0 }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(one ?? many))
  return true
}

/** Follows recordings as browsers of their own do, through the console that `consoleOf` gives at each connection. */
export const followerOf =
  ({ LiveClient, LIVE_WAITS }, consoleOf, workspace = WORKSPACE) =>
  (recording, onEntries) => {
    const never = () => () => {}
    const client = new LiveClient(() => ({
      get url() {
        return `${consoleOf().url}/api/live`
      },
      fetch: (url, init) => {
        const { origin } = new URL(url)
        return fetch(url, { ...init, headers: { ...init.headers, origin, cookie: consoleOf().cookies.header } })
      },
      isOnline: () => true,
      isHidden: () => false,
      onWake: never,
      onLeave: never,
      random: Math.random,
      waits: LIVE_WAITS,
    }))
    let since = Date.now()
    client.connection.subscribe(() => {
      since = Date.now()
    })
    client.subscribe({ kind: 'recording', workspace, recording, cursor: 0 }, { onEntries })
    const state = () => `${client.connection.get()} for ${Math.round((Date.now() - since) / 1000)} s`
    return Object.assign(() => client.close(), { state, connection: client.connection })
  }

/**
 * Gives `{ server, until, SseParser, decodeFrame, console, pid(), start(), another(), kill(), startRun(input, body), follow(recording, onEntries), logOf(recording), stop() }`.
 * `kill` is kill -9 of the console's own process; `start` brings it back over the same database. `env` holds more settings
 * for the console, `preload` a module that it loads first. `hasProxy` puts `proxy` between the console and its database.
 * `publicUrl` is where a proxy in front of all consoles listens.
 * @param {{ env?: Record<string, string>, preload?: string, deployments?: number, hasProxy?: boolean, publicUrl?: string }} [options]
 */
export async function scriptedConsole({ env = {}, preload, deployments = 1, hasProxy = false, publicUrl } = {}) {
  const { scriptedServer, until, LiveClient, LIVE_WAITS, SseParser, decodeEntries, decodeFrame, databaseProxy } =
    await loadSources('scripted', SOURCES)
  const database = startTestDatabase()
  const databaseUrl = await database.url
  const server = await scriptedServer()
  server.intercept = (request, response) => serveControlPlane(server, deployments, request, response)
  const store = new pg.Client({ connectionString: databaseUrl })
  await store.connect()
  const proxy = hasProxy ? await databaseProxy(databaseUrl) : undefined
  const settings = {
    DATABASE_URL: proxy?.url ?? databaseUrl,
    NEXTAUTH_SECRET: 'x'.repeat(32),
    // Each start has a new data folder; the audit trail needs the same key.
    PILOTHOUSE_SEALING_KEY: randomBytes(32).toString('base64'),
    ...env,
  }
  const self = {
    server,
    proxy,
    until,
    SseParser,
    decodeFrame,
    /** @type {any} The console of `start`, a new one after each. */
    console: undefined,
    /** The console's own process: the launcher's first child. Another one may build the documentation. */
    pid: () => Number.parseInt(readFileSync(`/proc/${self.console.pid}/task/${self.console.pid}/children`, 'utf8'), 10),
    start: async () => {
      self.console = await startConsole(server, settings, preload, { publicUrl })
    },
    /** Another console over the same database, which its caller ends. */
    another: () => startConsole(server, settings, preload, { publicUrl }),
    kill: async () => {
      process.kill(self.pid(), 'SIGKILL')
      const at = Date.now()
      await self.console.end()
      self.console = undefined // its port may belong to another program by now
      return at
    },
    /** Starts a run like the page, and returns it with its recording's id. */
    startRun: async (input, body, deployment) => {
      const { id, run } = await self.console.startRun(input, body, deployment)
      return { recording: id, run: server.runs.get(run) }
    },
    /** A separate browser that follows a recording, wherever the console is, or through the given one. */
    follow: (recording, onEntries, through) =>
      followerOf({ LiveClient, LIVE_WAITS }, () => through ?? self.console)(recording, onEntries),
    /** The recording's log in the store. */
    logOf: async (recording) => {
      const { rows } = await store.query('select body from console.segments where recording = $1 order by first_seq', [
        recording,
      ])
      return decodeEntries(rows.map(({ body }) => body).join(','))
    },
    /** How many recordings each console has that records. */
    shares: async () => {
      const { rows } = await store.query(
        `select count(*)::int as count from console.recordings where phase <> 'ended' group by owner`,
      )
      return rows.map(({ count }) => count)
    },
    isEnded: async (recording) => {
      const { rows } = await store.query('select phase from console.recordings where id = $1', [recording])
      return rows[0]?.phase === 'ended'
    },
    stop: async () => {
      await self.console?.end()
      await server.close()
      await store.end()
      await proxy?.close()
      await database.stop()
    },
  }
  await self.start()
  return self
}
