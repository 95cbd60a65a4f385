import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LogEntry } from '@/lib/stream/log'
import { RecordingFileReader } from '@/lib/stream/recording-file'
import { recorderHub } from '../recorder/shared-hub'
import { startRecording } from '../recorder/start'
import { type ScriptedServer, scriptedServer, summaryOf, until, workspaceFor } from '../recorder/testing'
import { download as downloadFile } from '../relay/download'
import { type TestConsole, testActor, testConsole } from '../testing'
import { recordingFile } from './recordings'

let console_: TestConsole
let server: ScriptedServer
let deploymentId: string
let recording: string

beforeAll(async () => {
  console_ = await testConsole()
  server = await scriptedServer()
  deploymentId = await workspaceFor(server.url)
  const actor = await testActor({ tests: 'developer' })
  const started = await startRecording({
    actor,
    workspace: 'tests',
    deploymentId,
    thread: { kind: 'new' },
    body: { assistant_id: 'agent', input: {}, config: { configurable: { authorization: 'Bearer canary-token' } } },
  })
  recording = started.id
  for (let at = 0; at < 500; at++) server.latest().emit('custom', { at, text: 'a\n\u2028b' })
  server.latest().finish('success')
  await until(async () => (await summaryOf(recording)).phase === 'ended')
})
afterAll(async () => {
  await server.close()
  await recorderHub().stop()
  await console_.close()
})

const download = async (who: Parameters<typeof testActor>[0], change: object = {}) =>
  downloadFile(
    new Request('http://localhost/file'),
    (actor) => recordingFile(actor, { workspace: 'tests', deploymentId, recording, ...change }),
    () => testActor(who),
  )

test('a viewer gets the whole recording unchanged, with credentials redacted', async () => {
  const response = await download({ tests: 'viewer' })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="run-[\w-]+\.jsonl"$/)
  const text = await response.text()
  expect(text).not.toContain('canary-token')
  const reader = new RecordingFileReader()
  const entries: LogEntry[] = [...reader.push(text), ...reader.end()]
  expect(reader.isWhole).toBe(true)
  expect(entries.filter((entry) => entry.kind === 'event' && entry.event === 'custom')).toHaveLength(500)
  expect(entries.at(-1)).toMatchObject({ kind: 'final', outcome: 'success' })
})

test.each([
  ['a member of another workspace', { other: 'admin' as const }, {}],
  ['a request with another deployment', { tests: 'admin' as const }, { deploymentId: 'other' }],
  ['a request with another workspace', { other: 'admin' as const }, { workspace: 'other' }],
  ['a malformed id', { tests: 'admin' as const }, { recording: '../x' }],
])('%s finds nothing', async (_name, who, change) => {
  expect((await download(who, change)).status).toBe(404)
})
