import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import type { ReadableStream as NodeStream } from 'node:stream/web'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LiveClient } from '@/lib/live/client'
import { WAITS } from '@/lib/live/connection'
import { fakeBrowser, seeded } from '@/lib/live/testing'
import type { LogEntry } from '@/lib/stream/log'
import { messageText } from '@/lib/stream/messages'
import { applyEntry, createRunView, messagesOf } from '@/lib/stream/run-view'
import { testDatabase } from '@/scripts/testing'
import type { Actor } from '../actor'
import { readRecording } from '../recorder/read'
import { recorderHub } from '../recorder/shared-hub'
import { startRecording } from '../recorder/start'
import { type ScriptedRun, type ScriptedServer, scriptedServer, until, workspaceFor } from '../recorder/testing'
import { TIMING } from '../recorder/timing'
import { testActor, testConsole } from '../testing'
import { serveLive } from './serve'

let database: Awaited<ReturnType<typeof testDatabase>>
let console_: Awaited<ReturnType<typeof testConsole>>
let upstream: ScriptedServer
let actor: Actor
let deployment: string
let url = ''
const open = new Set<ServerResponse>()
const seed = Number(process.env.EXACTNESS_SEED ?? Math.floor(Math.random() * 1e9))
const FAULTS = Number(process.env.EXACTNESS_FAULTS ?? 300)

/** The live route behind a real HTTP server, as `next start` puts it. */
const http = createServer(async (request, response) => {
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
  const answer = await serveLive(
    new Request(url, { method: 'POST', headers, body: Buffer.concat(parts), signal: abort.signal }),
    async () => actor,
  )
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  open.add(response)
  response.on('close', () => open.delete(response))
  if (!answer.body) return void response.end() // gone before it had its answer
  Readable.fromWeb(answer.body as NodeStream<Uint8Array>)
    .on('error', () => response.destroy())
    .pipe(response)
})

beforeAll(async () => {
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  url = `http://127.0.0.1:${port}/api/live`
  database = await testDatabase()
  console_ = await testConsole(database.url, { NEXTAUTH_URL: `http://127.0.0.1:${port}` })
  upstream = await scriptedServer()
  deployment = await workspaceFor(upstream.url)
  actor = await testActor({ tests: 'developer' })
  Object.assign(WAITS, { addedMs: 3, removedMs: 20, retryFirstMs: 5, retryMaxMs: 40 })
  Object.assign(TIMING, { retryFirstMs: 10, retryMaxMs: 40 })
})
afterAll(async () => {
  http.closeAllConnections()
  await upstream.close()
  await recorderHub().stop()
  await console_.close()
  await database.drop()
})

test(`over ${FAULTS} random drops, joins, tab deaths and upstream breaks every viewer has the whole log, byte by byte (seed ${seed})`, {
  timeout: 60_000,
}, async () => {
  const random = seeded(seed)
  const pick = (count: number) => Math.floor(random() * count)
  const runs: { id: string; run: ScriptedRun; said: string }[] = []
  for (let i = 0; i < 3; i++) {
    const { id } = await startRecording({
      actor,
      workspace: 'tests',
      deployment,
      thread: { kind: 'new' },
      body: { assistant_id: 'agent' },
    })
    runs.push({ id, run: upstream.latest(), said: '' })
  }
  const browsers = [fakeBrowser(url, random), fakeBrowser(url, random), fakeBrowser(url, random)]
  type Viewer = { recording: string; entries: LogEntry[]; stop: () => void }
  type Tab = { browser: number; tab: ReturnType<(typeof browsers)[0]['tab']>; client: LiveClient; viewers: Viewer[] }
  const tabs: Tab[] = []
  const watch = (tab: Tab) => {
    const viewer: Viewer = { recording: runs[pick(runs.length)]?.id ?? '', entries: [], stop: () => {} }
    viewer.stop = tab.client.subscribe(
      { kind: 'recording', workspace: 'tests', recording: viewer.recording, cursor: 0 },
      {
        onEntries: (entries) => void viewer.entries.push(...entries),
        onError: (error) => expect(error).toBeUndefined(),
      },
    )
    tab.viewers.push(viewer)
  }
  const openTab = () => {
    const browser = pick(browsers.length)
    const tab = browsers[browser]?.tab() as Tab['tab']
    const made: Tab = { browser, tab, client: new LiveClient(() => tab.environment), viewers: [] }
    tabs.push(made)
    watch(made)
  }
  for (let i = 0; i < 5; i++) openTab()

  let token = 0
  const say = () => {
    const one = runs[pick(runs.length)]
    if (!one) return
    const text = `${token++} ${'é🚢"\\\n'[pick(5)]} `
    one.said += text
    one.run.emit('messages', [{ type: 'AIMessageChunk', id: 'm', content: text }, { graph_node: 'a' }])
  }
  const faults = [
    () => [...open][pick(open.size)]?.destroy(), // a viewer's connection
    () => runs[pick(runs.length)]?.run.cut(), // an upstream's
    () => {
      const one = runs[pick(runs.length)]
      one?.run.raw('event: messages\ndata: [{"ha')
      one?.run.cut()
    },
    () => (tabs.length < 12 ? openTab() : tabs.splice(pick(tabs.length), 1)[0]?.tab.kill()),
    () => watch(tabs[pick(tabs.length)] as Tab),
    () => {
      const tab = tabs[pick(tabs.length)] as Tab
      if (tab.viewers.length > 3) tab.viewers.splice(pick(tab.viewers.length), 1)[0]?.stop()
    },
    () => {
      const tab = tabs[pick(tabs.length)] as Tab
      tab.tab.isFrozen = true
      setTimeout(() => {
        tab.tab.isFrozen = false
        tab.tab.wake()
      }, pick(20))
    },
  ]
  for (let fault = 0; fault < FAULTS; fault++) {
    for (let i = pick(12); i >= 0; i--) say()
    faults[pick(faults.length)]?.()
    if (random() < 0.6) await new Promise((resolve) => setTimeout(resolve, pick(12)))
  }
  for (const { run } of runs) {
    await until(() => run.readers.size > 0)
    run.finish()
  }
  for (const { id } of runs) await until(async () => (await readRecording(id)).phase === 'ended', 20_000)
  for (const { tab } of tabs) {
    tab.isFrozen = false
    tab.wake()
  }

  const viewers = tabs.flatMap((tab) => tab.viewers)
  await until(() => viewers.every(({ entries }) => entries.at(-1)?.kind === 'final'), 20_000)
  expect(viewers.length).toBeGreaterThan(5)
  for (const { id, run, said } of runs) {
    for (const { entries } of viewers.filter(({ recording }) => recording === id)) {
      expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
      expect(
        entries.flatMap((entry) =>
          entry.kind === 'event' ? [`${entry.event} ${entry.data}`] : entry.kind === 'final' ? [] : [entry.kind],
        ),
      ).toEqual(run.events.map(({ event, data }) => `${event} ${data}`))
      const view = createRunView()
      for (const entry of entries) applyEntry(view, entry)
      expect(messagesOf(view).map(messageText).join('')).toBe(said)
    }
  }
  for (const { client } of tabs) client.close()
})
