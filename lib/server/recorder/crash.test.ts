import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LogEntry } from '@/lib/stream/log'
import { type TestConsole, testActor, testConsole } from '../testing'
import { recorderSettings } from './log/timing'
import { adoptHub, recorderHub } from './shared-hub'
import { findRecording } from './store'
import { follow, logOf, type ScriptedRun, type ScriptedServer, scriptedServer, until, workspaceFor } from './testing'

// A console in a child process, killed in the middle of its work.

const root = path.resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(path.join(root, 'node_modules/.crash-'))
const RUNS = 12
let console_: TestConsole
let server: ScriptedServer
let deploymentId: string
let actor: Awaited<ReturnType<typeof testActor>>
let child: ChildProcess | undefined

beforeAll(async () => {
  await build({
    stdin: {
      resolveDir: import.meta.dirname,
      loader: 'ts',
      contents: `
        import { createServer } from 'node:http'
        import { startRecording } from './start'
        import { adoptHub } from './shared-hub'
        import { recorderSettings } from './log/timing'
        const { actor, deploymentId, count, isResumable } = JSON.parse(process.env.CRASH_TEST!)
        adoptHub(recorderSettings({ retryFirstMs: 20 }))
        // As Next.js stops.
        const server = createServer().listen(0, '127.0.0.1')
        process.on('SIGTERM', () => server.close(() => process.exit(143)))
        const thread = { kind: 'new' } as const
        async function main() {
          for (let i = 0; i < count; i++) {
            const made = await startRecording({ actor, workspace: 'tests', deploymentId, thread, body: { assistant_id: 'agent', stream_resumable: isResumable } })
            process.stdout.write('started ' + made.id + ' ' + made.run + '\\n')
          }
        }
        void main()`,
    },
    outfile: path.join(folder, 'child.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    alias: { 'server-only': path.join(root, 'scripts/vitest/empty.mjs'), '@': root },
    logLevel: 'silent',
  })
  console_ = await testConsole()
  server = await scriptedServer()
  server.onRun = (run) => {
    run.isResumable = run.body.stream_resumable === true
  }
  deploymentId = await workspaceFor(server.url)
  actor = await testActor({ tests: 'developer' })
  adoptHub(recorderSettings({ retryFirstMs: 20, statusMs: [0, 20] }))
}, 30_000)
afterAll(async () => {
  child?.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
  await server.close()
  await recorderHub().stop()
  await console_.close()
})

type Started = Map<string, ScriptedRun>

/** A console that has started `RUNS` runs, which are added to `started`. */
async function begin(started: Started, isResumable: boolean) {
  const { id, email, kind } = actor
  const env = {
    ...process.env,
    DATABASE_URL: console_.databaseUrl,
    PILOTHOUSE_DATA: folder,
    NEXTAUTH_SECRET: 'x'.repeat(32),
  }
  const settings = JSON.stringify({ actor: { id, email, kind }, deploymentId, count: RUNS, isResumable })
  child = spawn(process.execPath, [path.join(folder, 'child.cjs')], {
    env: { ...env, CRASH_TEST: settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const target = started.size + RUNS
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const [word, recording = '', run = ''] = line.split(' ')
    if (word === 'started') started.set(recording, server.runs.get(run) as ScriptedRun)
    if (started.size === target) break
  }
  return child
}
const hasEnded = (one: ChildProcess) => one.exitCode ?? one.signalCode ?? once(one, 'exit')

test('told to stop while nobody watches, it hands over all its runs before it ends', { timeout: 90_000 }, async () => {
  const started: Started = new Map()
  const stopped = await begin(started, false)
  for (const run of started.values()) run.emit('custom', { text: 'x'.repeat(200) })
  stopped.kill('SIGTERM')
  await hasEnded(stopped)
  expect(stopped.exitCode).toBe(0)
  for (const recording of started.keys())
    expect(await findRecording(recording)).toMatchObject({ phase: 'reconnecting', owner: null })
  await recorderHub().claim()
  expect(recorderHub().recorders.size).toBe(RUNS)
  for (const run of started.values()) run.finish()
  for (const recording of started.keys()) {
    const row = await until(async () => {
      const found = await findRecording(recording)
      return found?.phase === 'ended' && found
    }, 10_000)
    expect(row.cuts).toEqual([])
  }
})

test('kill -9 amid many streams: stored entries remain, the rest is replayed or marked, every run ends, and a viewer at another instance sees everything', {
  timeout: 90_000,
}, async () => {
  const started: Started = new Map()
  let token = 0
  const say = () => {
    for (const run of started.values())
      if (run.status === 'running') run.emit('custom', { token: token++, text: 'x'.repeat(200) })
  }
  const children = [await begin(started, true), await begin(started, false)]
  const seen = new Map<string, LogEntry[]>()
  for (const recording of started.keys()) {
    const entries: LogEntry[] = []
    seen.set(recording, entries)
    const take = (some: LogEntry[]) => void entries.push(...some)
    follow(recording, 0, take, (error) => expect(error).toBeUndefined())
  }
  for (let i = 0; i < 60; i++) {
    say()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  // This process watches the recordings of the others and takes over when they die.
  const here = recorderHub()
  await until(() => [...seen.values()].every((entries) => entries.length > 20))
  expect(here.recorders.size).toBe(0)
  for (const one of children) one.kill('SIGKILL')
  await Promise.all(children.map(hasEnded))
  say() // sent to nobody
  await until(async () => {
    await here.claim() // a connection may close a moment after its process
    return here.recorders.size === 2 * RUNS
  }, 10_000)
  await until(() => [...started.values()].every(({ readers }) => readers.size === 1), 10_000)
  for (let i = 0; i < 10; i++) say()
  for (const run of started.values()) run.finish()

  for (const [recording, run] of started) {
    const row = await until(async () => {
      const found = await findRecording(recording)
      return found?.phase === 'ended' && found
    }, 10_000)
    expect(row.outcome).toBe('success')
    expect(row.cuts).toHaveLength(1)
    const log = await logOf(recording)
    expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1))
    await until(() => seen.get(recording)?.length === log.length)
    expect(seen.get(recording)).toEqual(log)
    const events = log.flatMap((entry) => (entry.kind === 'event' ? [entry.data] : []))
    const said = run.events.map(({ data }) => data)
    if (run.isResumable) {
      expect(log.some((entry) => entry.kind === 'gap')).toBe(false)
      expect(events).toEqual(said)
    } else {
      const gap = log.findIndex((entry) => entry.kind === 'gap')
      expect(log.filter((entry) => entry.kind === 'gap')).toHaveLength(1)
      // Before the gap: everything but the last moments (here at most 100 ms, 20 tokens). After it: everything.
      expect(gap).toBeGreaterThan(40)
      expect(events.slice(0, gap)).toEqual(said.slice(0, gap))
      expect(events.slice(gap)).toEqual(said.slice(-10))
    }
  }
})
