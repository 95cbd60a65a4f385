import { setMaxListeners } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LiveClient } from '@/lib/live/client'
import { fakeBrowser } from '@/lib/live/testing'
import type { LogEntry } from '@/lib/stream/log'
import { messageText } from '@/lib/stream/messages'
import { applyEntry, createRunView, messagesOf } from '@/lib/stream/run-view'
import { createRandom } from '@/platform/testing/chaos-journey.mjs'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { testDatabase } from '@/scripts/testing'
import type { Actor } from '../access/actor'
import { recorderSettings } from '../recorder/log/timing'
import { adoptHub, recorderHub } from '../recorder/shared-hub'
import { startRecording } from '../recorder/start'
import {
  logOf,
  type ScriptedRun,
  type ScriptedServer,
  scriptedServer,
  summaryOf,
  until,
  workspaceFor,
} from '../recorder/testing'
import { type TestConsole, testActor, testConsole } from '../testing'
import { pipeToResponse, startDirectStreams } from '../transport/direct-streams'
import { nodeResponse } from '../transport/node-response'
import { serveLive } from './serve'

const UNREACHABLE = "The console's database is unreachable. Nothing was changed; try again in a moment."
let database: Awaited<ReturnType<typeof testDatabase>>
let proxy: Awaited<ReturnType<typeof databaseProxy>>
/** Past the proxy. */
let direct: pg.Client
let console_: TestConsole
let upstream: ScriptedServer
let actor: Actor
let deploymentId: string
let url = ''
const open = new Set<ServerResponse>()
const seed = Number(process.env.EXACTNESS_SEED ?? Math.floor(Math.random() * 1e9))
// `node scripts/checks/check-exactness.mjs COUNT` runs more of them.
const FAULTS = Number(process.env.EXACTNESS_FAULTS ?? 2000)
const PER_ROUND = 250

let isDown = false
let posts = 0
let wasDirect = false
/** The live route behind a real HTTP server that sends bodies as Next.js does. */
const http = createServer(async (request, response) => {
  if (isDown) return void request.destroy()
  posts++
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const abort = new AbortController()
  response.on('close', () => abort.abort())
  const headers = new Headers(
    Object.entries(request.headers).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])) as [
      string,
      string,
    ][],
  )
  const live = await serveLive(
    new Request(url, { method: 'POST', headers, body: Buffer.concat(parts), signal: abort.signal }),
    { who: async () => actor },
  )
  response.statusCode = live.status
  response.setHeaders(live.headers)
  open.add(response)
  response.on('close', () => open.delete(response))
  if (!live.body) return void response.end() // the client left before the headers
  wasDirect ||= nodeResponse() === response
  await pipeToResponse(live.body, response).catch(() => response.destroy())
})

beforeAll(async () => {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  url = `http://127.0.0.1:${port}/api/live`
  database = await testDatabase()
  proxy = await databaseProxy(database.url)
  console_ = await testConsole({ DATABASE_URL: proxy.url, NEXTAUTH_URL: `http://127.0.0.1:${port}` })
  direct = new pg.Client({ connectionString: database.url })
  await direct.connect()
  await direct.query(FILLABLE)
  upstream = await scriptedServer()
  upstream.onRun = (run) => {
    run.isResumable = run.body.stream_resumable === true
    run.hasIds = run.body.input !== 'without ids'
  }
  listenForShutdown()
  deploymentId = await workspaceFor(upstream.url)
  actor = await testActor({ tests: 'developer' })
  newHub()
})
afterAll(async () => {
  http.closeAllConnections()
  await upstream.close()
  await recorderHub().stop()
  await console_.close()
  await proxy.close()
  await direct.end()
  await database.drop()
})

/** A disk that is full while the table has a row. */
const FILLABLE = `create table public.full (); grant select on public.full to public;
  create function public.refuse() returns trigger language plpgsql as
    $$ begin if exists (select from public.full) then raise 'no space left' using errcode = '53100'; end if; return new; end $$;
  create trigger refuse before insert on console.segments for each row execute function public.refuse()`

// The servers keep their addresses; restarting the console replaces only what is behind them.

const newHub = () => adoptHub(recorderSettings({ retryFirstMs: 10, retryMaxMs: 40, statusMs: [0, 20] }))
const shared = globalThis as { pilothouseShutdown?: AbortController }
function listenForShutdown() {
  shared.pilothouseShutdown = new AbortController()
  setMaxListeners(0, shared.pilothouseShutdown.signal)
}
const dropAll = () => {
  for (const response of open) response.destroy()
}
/** As on SIGTERM: tells the viewers and hands the recordings over. */
async function restart() {
  isDown = true
  const before = recorderHub()
  shared.pilothouseShutdown?.abort()
  await before.stop()
  dropAll()
  listenForShutdown()
  await newHub().start()
  isDown = false
}
/**
 * As when an instance loses its database: another one takes over its recordings, and it finds out at its next write.
 */
async function usurp(recordings: number, areViewersLost: boolean) {
  const before = recorderHub()
  await before.line.close()
  const hub = newHub()
  await hub.start()
  await until(async () => {
    await hub.claim() // the lock is released shortly after the connection
    return hub.recorders.size === recordings
  })
  // A program that only follows a log takes its viewers with it when it ends.
  if (areViewersLost || before.recorders.size < recordings) dropAll()
  await before.stop()
}

type Followed = { id: string; run: ScriptedRun; said: string }
/**
 * Checks the log against what the run's server sent; only what a gap marks may be missing. Returns the number of gaps.
 */
function expectLog(log: LogEntry[], { run, said }: Followed): number {
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
  const places = new Map(run.events.map(({ event, data }, index) => [`${event} ${data}`, index]))
  let next = 0
  let gaps = 0
  let isMarked = false
  for (const entry of log) {
    if (entry.kind === 'gap') {
      isMarked = true
      gaps++
      continue
    }
    const at = entry.kind === 'event' ? places.get(`${entry.event} ${entry.data}`) : run.events.length
    expect(at, `after ${next}: ${JSON.stringify(entry)}`).toBeGreaterThanOrEqual(next)
    if (at !== next) expect(isMarked, `${next} to ${at} are missing without a mark`).toBe(true)
    next = (at ?? 0) + 1
    isMarked = false
  }
  expect(log.at(-1)).toMatchObject({ kind: 'final', outcome: 'success' })
  if (run.isResumable) expect(log.filter(({ kind }) => kind === 'gap')).toEqual([])
  const view = createRunView()
  const textOf = () => messagesOf(view).map(messageText).join('')
  for (const entry of log) {
    // The final state holds the whole reply; without it, the stream must.
    if (entry.kind === 'final' && run.isResumable) expect(textOf()).toBe(said)
    applyEntry(view, entry)
  }
  expect(textOf()).toBe(said)
  return gaps
}

let random = createRandom(seed)
const pick = (count: number) => Math.floor(random() * count)
const some = <T>(list: readonly T[]): T => list[pick(list.length)] as T
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

type Browser = ReturnType<typeof fakeBrowser>
/** `from`: the entry before its first one. `at`: the last entry received. */
type Viewer = {
  recording: string
  from: number
  at: { cursor: number; epoch?: number }
  entries: LogEntry[]
  stop: () => void
}
type Tab = { browser: Browser; tab: ReturnType<Browser['tab']>; client: LiveClient; viewers: Viewer[] }

/** Starts runs and viewers, injects faults into both, and compares the results at the end. */
async function round(faults: number, counts: Record<string, number>) {
  const runs: Followed[] = []
  const bodies = [
    { stream_resumable: true },
    { stream_resumable: true },
    { input: 'with ids' },
    { input: 'without ids' },
  ]
  for (const more of bodies) {
    const body = { assistant_id: 'agent', stream_resumable: false, ...more }
    const { id } = await startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
    runs.push({ id, run: upstream.latest(), said: '' })
  }
  const waits = { addedMs: 3, removedMs: 20, retryFirstMs: 5, retryMaxMs: 40 }
  const browsers = Array.from({ length: 3 }, () => fakeBrowser(url, { random, waits }))
  const tabs: Tab[] = []
  const watch = (tab: Tab) => {
    const recording = some(runs).id
    // From the start, or from where another viewer is.
    const known = tabs.flatMap(({ viewers }) => viewers.filter((one) => one.recording === recording))
    const at = known.length > 0 && random() < 0.5 ? some(known).at : { cursor: 0 }
    const viewer: Viewer = { recording, from: at.cursor, at, entries: [], stop: () => {} }
    viewer.stop = tab.client.subscribe(
      { kind: 'recording', workspace: 'tests', recording, ...at },
      {
        onEntries: (entries, { epoch }) => {
          viewer.at = { cursor: entries.at(-1)?.seq ?? viewer.at.cursor, epoch }
          // What it was shown was lost, so it starts over.
          if (entries.at(0)?.seq === 1) Object.assign(viewer, { from: 0, entries: [] })
          viewer.entries.push(...entries)
        },
        onError: (error) => expect(error.message).toBe(UNREACHABLE),
      },
    )
    tab.viewers.push(viewer)
  }
  const openTab = () => {
    const browser = some(browsers)
    const tab = browser.tab()
    const made: Tab = { browser, tab, client: new LiveClient(() => tab.environment), viewers: [] }
    tabs.push(made)
    watch(made)
  }
  const killTab = (dead: Tab) => {
    tabs.splice(tabs.indexOf(dead), 1)
    dead.tab.kill()
    dead.client.close()
    while (tabs.length < 4) openTab()
  }
  for (let i = 0; i < 6; i++) openTab()

  const say = () => {
    const one = some(runs)
    const content = `${one.run.events.length} ${'é🚢"\\\n'[pick(5)]} `
    one.said += content
    one.run.state = { values: { messages: [{ type: 'ai', id: 'm', content: one.said }] }, next: [], tasks: [] }
    one.run.emit('messages', [{ type: 'AIMessageChunk', id: 'm', content }, { graph_node: 'a' }])
  }
  const sayMore = async () => {
    for (let left = pick(5); left > 0; left--) {
      say()
      await pause(pick(20))
    }
  }
  const wake = (tab: Tab['tab']) => {
    Object.assign(tab, { isFrozen: false, isOnline: true })
    tab.wake()
  }
  const cut = (run: ScriptedRun, half: string) => {
    run.raw(half)
    run.cut()
  }
  const closed = new Set<ScriptedRun>()
  const harm: Record<string, () => unknown> = {
    'viewer dropped': () => [...open][pick(open.size)]?.destroy(),
    'upstream dropped': () => cut(some(runs).run, ''),
    'reply of the database lost': () => proxy.failNext('lost reply', 'segments'),
    'statement of the database cut': () => proxy.failNext('cut statement', 'segments'),
    'upstream dropped in mid-event': () => cut(some(runs).run, 'event: messages\ndata: [{"ha'),
    'upstream closed without an end': () => {
      const { run } = some(runs)
      run.close()
      closed.add(run)
    },
    'upstream restarted': () => {
      for (const { run } of runs) run.cut()
      upstream.intercept = (_, response) => Boolean(response.destroy())
      setTimeout(() => {
        upstream.intercept = () => false
      }, pick(30))
    },
    'tab opened': () => (tabs.length < 12 ? openTab() : killTab(some(tabs))),
    'viewer joined': () => watch(some(tabs)),
    'viewer left': () => {
      const { viewers } = some(tabs)
      if (viewers.length > 3) viewers.splice(pick(viewers.length), 1)[0]?.stop()
    },
    'leading tab killed': () => {
      const { grants } = some(browsers)
      const leader = grants.findLast(({ name }) => name === 'pilothouse-live')?.tab
      killTab(tabs.find(({ tab }) => tab === leader) ?? some(tabs))
    },
    'tab frozen': () => {
      const { tab } = some(tabs)
      tab.isFrozen = true
      setTimeout(() => wake(tab), pick(20))
    },
    'browser offline': () => {
      const { browser } = some(tabs)
      const all = tabs.filter((one) => one.browser === browser).map(({ tab }) => tab)
      for (const tab of all) tab.isOnline = false
      ;[...open][pick(open.size)]?.destroy()
      setTimeout(() => all.forEach(wake), pick(20))
    },
  }
  const restarts: Record<string, () => Promise<void>> = {
    'database away': async () => {
      proxy.setDown(true)
      await sayMore()
      proxy.setDown(false)
    },
    'database full': async () => {
      await direct.query('insert into public.full default values')
      await sayMore()
      await direct.query('delete from public.full')
    },
    'server restarted': restart,
    'server taken for dead': () => usurp(runs.length, random() < 0.5),
  }
  for (let fault = 0; fault < faults; fault++) {
    for (let i = random() < 0.05 ? 200 : pick(12); i >= 0; i--) say()
    const name = random() < 0.04 ? some(Object.keys(restarts)) : some(Object.keys(harm))
    counts[name] = (counts[name] ?? 0) + 1
    const restarting = restarts[name]?.()
    if (restarting) say() // reaches nobody, or a console that is about to stop
    await restarting
    harm[name]?.()
    if (random() < 0.6) await pause(pick(12))
  }
  proxy.calm()
  await pause(30) // a run that was faulted ends in time too
  for (const { run } of runs) {
    // A server without `end` events sends nothing after a clean close.
    if (closed.has(run) || random() < 0.5) await until(() => run.readers.size > 0)
    run.finish()
  }
  for (const { tab } of tabs) wake(tab)
  for (const { id } of runs) await until(async () => (await summaryOf(id)).phase === 'ended', 20_000)
  const viewers = tabs.flatMap((tab) => tab.viewers)
  await until(() => viewers.every(({ entries }) => entries.at(-1)?.kind === 'final'), 20_000)
  for (const one of runs) {
    const log = await logOf(one.id)
    counts.entries = (counts.entries ?? 0) + log.length
    counts.marks = (counts.marks ?? 0) + expectLog(log, one)
    for (const { recording, from, entries } of viewers) {
      if (recording !== one.id) continue
      expect(entries[0]?.seq).toBe(from + 1)
      expect(entries).toEqual(log.slice(from))
    }
  }
  for (const { client } of tabs) client.close()
  counts.viewers = (counts.viewers ?? 0) + viewers.length
}

test.each([
  ['direct', 'on'],
  ["Node's public API", 'off'],
] as const)(
  `over ${FAULTS} random drops, joins, tab deaths, restarts, and faults of upstream and database every subscriber gets the whole log, byte by byte (streams: %s, seed ${seed})`,
  { timeout: 60_000 + FAULTS * 60 },
  async (_, setting) => {
    await startDirectStreams(setting)
    random = createRandom(seed)
    posts = 0
    wasDirect = false
    const counts: Record<string, number> = {}
    const began = Date.now()
    for (let left = FAULTS; left > 0; left -= PER_ROUND) await round(Math.min(left, PER_ROUND), counts)
    const seconds = Math.round((Date.now() - began) / 1000)
    if (process.env.EXACTNESS_FAULTS)
      process.stdout.write(`${JSON.stringify({ setting, seed, seconds, posts, ...counts })}\n`)
    expect(wasDirect).toBe(setting === 'on')
    if (FAULTS >= 500) expect(Object.keys(counts)).toHaveLength(20)
  },
)
