import net, { type AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { LogEntry } from '@/lib/stream/log'
import { messageText } from '@/lib/stream/messages'
import { applyEntry, createRunView, messagesOf, type RunView } from '@/lib/stream/run-view'
import { startAgentServer } from '@/platform/agent-server/start'
import { testDatabase } from '@/scripts/testing'
import type { Actor } from '../access/actor'
import { type TestConsole, testActor, testConsole } from '../testing'
import { recorderHub } from './shared-hub'
import { cancelRecording, type RunBody, startRecording } from './start'
import { logOf, summaryOf, until, workspaceFor } from './testing'

// Against the embedded platform's agent server and its samples, over a connection that the test can cut.

let agentDatabase: Awaited<ReturnType<typeof testDatabase>>
let console_: TestConsole
let agent: Awaited<ReturnType<typeof startAgentServer>>
let actor: Actor
let deploymentId: string
const sockets = new Set<net.Socket>()
const wire = net.createServer((client) => {
  const server = net.connect(agent.port, '127.0.0.1')
  for (const [one, other] of [
    [client, server],
    [server, client],
  ] as const) {
    sockets.add(one)
    one.on('error', () => other.destroy()).on('close', () => sockets.delete(one) && other.destroy())
    one.pipe(other)
  }
})
const cut = () => {
  for (const socket of sockets) socket.destroy()
}

beforeAll(async () => {
  agentDatabase = await testDatabase()
  agent = await startAgentServer({
    databaseUrl: agentDatabase.url,
    schema: 'agent',
    configPath: path.resolve('platform/samples/graph.json'),
  })
  await new Promise<void>((resolve) => wire.listen(0, '127.0.0.1', resolve))
  console_ = await testConsole()
  deploymentId = await workspaceFor(`http://127.0.0.1:${(wire.address() as AddressInfo).port}`)
  actor = await testActor({ tests: 'developer' })
}, 60_000)
afterAll(async () => {
  await recorderHub().stop()
  cut()
  wire.close()
  await agent.stop()
  await console_.close()
  await agentDatabase.drop()
})

const start = (body: RunBody) =>
  startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
const chat = (text: string, delay_ms = 2): RunBody => ({
  assistant_id: 'chat',
  input: { messages: [{ role: 'user', content: text }] },
  context: { delay_ms },
})
const ended = (id: string) => until(async () => (await summaryOf(id)).phase === 'ended' && summaryOf(id), 20_000)
async function replay(id: string): Promise<{ view: RunView; log: LogEntry[] }> {
  const log = await logOf(id)
  const view = createRunView()
  for (const entry of log) applyEntry(view, entry)
  return { view, log }
}

test('a chat with a tool: tokens, tool call, and a transcript that matches the final state', {
  timeout: 30_000,
}, async () => {
  const { id } = await start(chat('What is 12 * (3 + 4)?'))
  expect(await ended(id)).toMatchObject({ outcome: 'success' })
  const { view, log } = await replay(id)
  expect(log.filter((entry) => entry.kind === 'event' && entry.event === 'messages').length).toBeGreaterThan(100)
  expect(log.some(({ kind }) => kind === 'gap')).toBe(false)
  const messages = messagesOf(view)
  expect(messages.map(({ role }) => role)).toEqual(['human', 'ai', 'tool', 'ai'])
  expect(messages[1]?.toolCalls).toMatchObject([{ name: 'calculator', args: '{"expression":"12 * (3 + 4)"}' }])
  expect(messages[3] && messageText(messages[3])).toContain('84')
  expect(messages[3]?.node).toBe('agent')
  expect(view.transcript.usage.output).toBeGreaterThan(50)
  const steps = [...view.steps.tracks.values()].map(({ node, steps }) => [node, ...steps.map((one) => one.isInferred)])
  expect(steps).toEqual([
    ['agent', false, false],
    ['tools', false],
  ])

  // The text from the stream must equal the final state.
  const streamed = createRunView()
  for (const entry of log)
    if (entry.kind === 'event' && !entry.event.startsWith('values'))
      applyEntry(streamed, { ...entry, seq: streamed.seq + 1 })
  const texts = (list: readonly { role: string; parts: unknown }[]) =>
    list.filter(({ role }) => role === 'ai').map((one) => messageText(one as (typeof messages)[0]))
  expect(texts(messagesOf(streamed))).toEqual(texts(messages))
})

test('a connection cut again and again changes nothing', { timeout: 40_000 }, async () => {
  const { id } = await start(chat('Tell me something.', 15))
  const cuts = setInterval(cut, 400)
  await ended(id).finally(() => clearInterval(cuts))
  const { view, log } = await replay(id)
  expect(view.gaps).toEqual([])
  const ids = log.flatMap((entry) => (entry.kind === 'event' && entry.id !== undefined ? [entry.id] : []))
  expect(new Set(ids).size).toBe(ids.length)
  expect(view.outcome).toBe('success')
  const whole = createRunView()
  for (const entry of log)
    if (entry.kind === 'event' && !entry.event.startsWith('values')) applyEntry(whole, { ...entry, seq: whole.seq + 1 })
  expect(messageText(messagesOf(whole).at(-1) as never)).toBe(messageText(messagesOf(view).at(-1) as never))
})

test('a cancel stops the run on the server; a question leaves it waiting', { timeout: 30_000 }, async () => {
  const { id } = await start(chat('Tell me something long.', 200))
  await until(async () => (await summaryOf(id)).entries > 4)
  await cancelRecording(actor, { workspace: 'tests', recording: id }, 'interrupt')
  expect(await ended(id)).toMatchObject({ outcome: 'cancelled' })

  const asked = await start({
    assistant_id: 'approval',
    input: { messages: [{ role: 'user', content: 'lunch' }] },
    context: { delay_ms: 1 },
  })
  expect(await ended(asked.id)).toMatchObject({ outcome: 'waiting' })
  const { view } = await replay(asked.id)
  expect([...view.interrupts.values()]).toMatchObject([{ value: { options: ['approve', 'edit', 'reject'] } }])
})

test('a run that another waited for has its own end and state', { timeout: 30_000 }, async () => {
  const first = await start(chat('What is 3 * 3?', 5))
  const thread = await until(async () => (await summaryOf(first.id)).thread)
  const body: RunBody = { ...chat('What is 2 * 2?'), multitask_strategy: 'enqueue' }
  const place = { actor, workspace: 'tests', deploymentId, thread: { kind: 'existing', id: thread ?? '' } } as const
  const second = await startRecording({ ...place, body })
  for (const [{ id }, text] of [
    [first, '9'],
    [second, '4'],
  ] as const) {
    expect(await ended(id)).toMatchObject({ outcome: 'success' })
    const { log } = await replay(id)
    const final = log.findLast((entry) => entry.kind === 'final')
    expect(final).not.toHaveProperty('reason')
    expect(JSON.parse(final?.state ?? '{}').values.messages.at(-1).content).toContain(`The calculator says: ${text}.`)
  }
})

test('a stateless run is recorded too', { timeout: 30_000 }, async () => {
  const { id } = await startRecording({
    actor,
    workspace: 'tests',
    deploymentId,
    thread: { kind: 'stateless' },
    body: chat('Hello'),
  })
  expect(await ended(id)).toMatchObject({ outcome: 'success', isStateless: true })
  const { view } = await replay(id)
  expect(messagesOf(view).at(-1)?.role).toBe('ai')
})

test("an unknown graph is refused with the server's message", async () => {
  await expect(start({ assistant_id: 'nobody' })).rejects.toMatchObject({
    view: { code: expect.stringMatching(/not_found|invalid/) },
  })
})
