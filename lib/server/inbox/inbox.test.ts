import path from 'node:path'
import { afterAll, beforeEach, expect, test, vi } from 'vitest'
import { startStubUpstream } from '@/e2e/support/stub-upstream'
import { answerThread, answerThreads } from '@/lib/actions/inbox'
import { agentServer } from '@/lib/contracts/agent-server'
import { printJson } from '@/lib/json/lossless'
import type { Actor } from '@/lib/server/access/actor'
import { directServer, insertDirectServer } from '@/lib/server/access/direct-servers'
import { holdStream, waitingStarts } from '@/lib/server/recorder/source/stream-places'
import { until } from '@/lib/server/recorder/testing'
import { signIn } from '@/lib/server/testing'
import type { GivenAnswer, WaitingDetail } from '@/lib/stream/inbox'
import { displayNamespace } from '@/lib/stream/wire/namespaces'
import { askAgain } from '../process/answers'
import { testAgentConsole } from '../resources/testing'
import { call } from '../upstream/call'
import { directDestination } from '../upstream/destination'
import { freeStreams } from '../upstream/request'
import { InboxReader } from './inbox-reader'
import { readWaiting } from './inbox-thread'

let actor: Actor
vi.mock('next/headers', () => import('@/lib/server/access/testing'))
// Against the embedded agent server, with a graph that asks twelve questions at once. A second deployment can be broken.
const { server, wire, at, developer, viewer, close } = await testAgentConsole({
  configPath: path.join(import.meta.dirname, 'fixtures/graph.json'),
  isDirect: true,
})
afterAll(close)
beforeEach(async () => {
  actor = await signIn(developer)
})

let keys = 0
const read = (reader = new InboxReader('tests')) => reader.read(AbortSignal.timeout(5_000))
const detail = (thread: string) => readWaiting({ ...at, thread }, { actor })
async function asking(parts = 12): Promise<string> {
  const thread = await server.newThread()
  await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'parallel', input: { parts } })
  return thread
}
const answersTo = (questions: WaitingDetail['questions']): GivenAnswer[] =>
  questions.map(({ id, value }) => ({ id, asked: value, answer: `to ${id}` }))
const send = (thread: string, answers: GivenAnswer[], key = `key-of-test-${keys++}`) =>
  answerThread({ place: { ...at, thread }, answers: printJson(answers), key })
const idleStatus = (thread: string) =>
  until(async () => {
    await new Promise((resolve) => setTimeout(resolve, 40))
    const { json } = await server.get(`/threads/${thread}`)
    return json.status !== 'busy' && (json.status as string)
  })

test('twelve questions of a fan-out with subgraphs appear once each, with their namespace', async () => {
  const thread = await asking()
  const { threads } = await read()
  const row = threads.find((one) => one.thread === thread)
  expect(row).toMatchObject({ deploymentName: 'scripted', graph: 'parallel', since: expect.any(String) })
  expect(new Set(row?.questions).size).toBe(12)
  const { questions, assistant } = await detail(thread)
  expect(assistant).toBeTruthy()
  expect(questions.map(({ id }) => id).sort()).toEqual([...(row?.questions ?? [])].sort())
  const places = questions.map(({ namespace }) => displayNamespace(namespace))
  expect(places.filter((place) => place === '')).toHaveLength(8)
  expect(places.filter((place) => place.startsWith('deep › inner'))).toHaveLength(4)
  expect(questions.map(({ value }) => JSON.stringify(value))).toContain('[3,{"nested":{"serial":3}}]')
})

test('questions can be answered one at a time or several in one run', async () => {
  const thread = await asking()
  const { questions } = await detail(thread)
  const nested = questions.filter(({ namespace }) => namespace.length > 0)
  const first = await send(thread, answersTo(nested.slice(0, 1)))
  expect(first).toMatchObject({ ok: true, data: { thread, phase: expect.any(String) } })
  expect(await idleStatus(thread)).toBe('interrupted')
  const left = (await detail(thread)).questions
  expect(left).toHaveLength(11)
  expect(left.map(({ id }) => id)).not.toContain(nested[0]?.id)
  expect(await send(thread, answersTo(left.slice(0, 5)))).toMatchObject({ ok: true })
  expect(await idleStatus(thread)).toBe('interrupted')
  const rest = (await detail(thread)).questions
  expect(rest).toHaveLength(6)
  expect(await send(thread, answersTo(rest))).toMatchObject({ ok: true })
  expect(await idleStatus(thread)).toBe('idle')
  expect((await server.get(`/threads/${thread}`)).json.values.note).toBe('all answered')
  expect((await read()).threads.map((one) => one.thread)).not.toContain(thread)
})

test('a second answer, by another user or a double click, starts no second run', async () => {
  const thread = await asking(1)
  const { questions } = await detail(thread)
  const answers = answersTo(questions)
  const [one, again] = await Promise.all([send(thread, answers, 'the-same-key'), send(thread, answers, 'the-same-key')])
  expect(one.ok && again.ok && one.data.id === again.data.id).toBe(true)
  await idleStatus(thread)
  expect(await send(thread, answers)).toMatchObject({ ok: false, error: { code: 'conflict' } })
  expect((await server.get(`/threads/${thread}/runs`)).json).toHaveLength(2)
  const other = await asking(1)
  const [question] = (await detail(other)).questions
  const moved = [{ id: question?.id ?? '', asked: 'something else', answer: 'yes' }]
  expect(await send(other, moved)).toMatchObject({ ok: false, error: { code: 'conflict' } })
})

test('a bulk answer starts one run per thread and reports each outcome', async () => {
  const made = [await asking(1), await asking(2), await asking(1)]
  const threads = await Promise.all(
    made.map(async (thread) => ({
      deploymentId: at.deploymentId,
      thread,
      answers: printJson(answersTo((await detail(thread)).questions)),
    })),
  )
  // Another user answers the last thread first.
  await send(made[2] ?? '', answersTo((await detail(made[2] ?? '')).questions))
  await idleStatus(made[2] ?? '')
  const request = { workspace: 'tests', threads, key: 'several-at-once' }
  actor = await signIn(viewer)
  expect(await answerThreads(request)).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  actor = await signIn(developer)
  const [told, again] = await Promise.all([answerThreads(request), answerThreads(request)])
  expect(told).toMatchObject({
    ok: true,
    data: [
      { id: `${at.deploymentId} ${made[0]}`, outcome: 'answered', run: expect.any(String) },
      { outcome: 'answered' },
      { outcome: 'passed', reason: expect.stringContaining('Nothing was sent') },
    ],
  })
  expect(again).toEqual(told)
  for (const thread of made) {
    expect(await idleStatus(thread)).toBe('idle')
    expect((await server.get(`/threads/${thread}/runs`)).json).toHaveLength(2)
  }
})

test('bulk answers wait for a free stream in their places, and are sent once', async () => {
  const made = [await asking(1), await asking(1)]
  const threads = await Promise.all(
    made.map(async (thread) => ({
      deploymentId: at.deploymentId,
      thread,
      answers: printJson(answersTo((await detail(thread)).questions)),
    })),
  )
  const request = { workspace: 'tests', threads, key: 'several-that-wait' }
  const to = directDestination(await directServer('tests', at.deploymentId))
  const held = Array.from({ length: freeStreams(to.base) }, () => holdStream(to, undefined))
  const told = await answerThreads(request)
  for (const release of held) release()
  expect(told).toMatchObject({ ok: true, data: [{ outcome: 'queued' }, { outcome: 'queued' }] })
  const places = told.ok ? told.data.flatMap(({ queue }) => queue?.place ?? []) : []
  expect(places.sort()).toEqual([1, 2])
  for (const thread of made) expect((await server.get(`/threads/${thread}/runs`)).json).toHaveLength(1)
  const again = { ...request, round: 1 }
  const [first, second] = await Promise.all([answerThreads(again), answerThreads(again)])
  expect(first).toMatchObject({ ok: true, data: [{ outcome: 'answered' }, { outcome: 'answered' }] })
  expect(second).toEqual(first)
  expect(waitingStarts()).toBe(0)
  for (const thread of made) {
    expect(await idleStatus(thread)).toBe('idle')
    expect((await server.get(`/threads/${thread}/runs`)).json).toHaveLength(2)
  }
})

test('a thread at a breakpoint is listed and can be continued, but not by viewers', async () => {
  const thread = await server.newThread()
  await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'stopped', input: {} })
  expect((await read()).threads).toContainEqual(expect.objectContaining({ thread, questions: [], asks: '' }))
  actor = await signIn(viewer)
  expect(await detail(thread)).toMatchObject({ questions: [], next: ['write'] })
  expect(await send(thread, [])).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  actor = await signIn(developer)
  expect(await send(thread, [])).toMatchObject({ ok: true })
  expect(await idleStatus(thread)).toBe('idle')
})

test('a deployment that fails is named with its age and keeps its known threads; others stay current', async () => {
  const { id } = await insertDirectServer('tests', { name: 'broken', url: wire.url })
  const thread = await asking(2)
  const reader = new InboxReader('tests', { retryMs: 0 })
  const before = await read(reader)
  expect(before.unread).toEqual([])
  const places = before.threads.filter((one) => one.thread === thread).map(({ deploymentName }) => deploymentName)
  expect(places.sort()).toEqual(['broken', 'scripted'])
  const times = before.threads.map(({ since }) => Date.parse(since ?? ''))
  expect(times).toEqual([...times].sort((left, right) => left - right))
  await wire.set({ kind: 'respond', status: 500, body: 'broken' })
  const during = await read(reader)
  expect(during.unread).toEqual([
    { deployment: id, deploymentName: 'broken', message: expect.any(String), readAt: expect.any(Number) },
  ])
  expect(during.threads).toEqual(before.threads)
  await wire.set(null)
  expect((await read(reader)).unread).toEqual([])
})

test('each pass reads some of many deployments, and all get their turn', async () => {
  const reader = new InboxReader('tests', { perLook: 1 })
  const first = await read(reader)
  expect(first.pending).toBe(1)
  expect((await read(reader)).pending).toBe(0)
  expect(new Set((await read(reader)).threads.map(({ deploymentName }) => deploymentName)).size).toBe(2)
})

test("questions that a server's list of threads leaves out are read once, and again after a change", async () => {
  let updated = '2026-11-25T10:00:00Z'
  const states: string[] = []
  const stub = await startStubUpstream(({ path }) => {
    const row = { thread_id: 'silent', status: 'interrupted', updated_at: updated, metadata: { graph_id: 'approval' } }
    if (path === '/threads/search') return { body: [row] }
    states.push(path)
    if (states.length === 1) return { status: 503, body: 'busy' }
    return { body: { values: {}, next: ['ask'], tasks: [], interrupts: [{ id: 'one', value: 'Shall it be sent?' }] } }
  })
  await insertDirectServer('tests', { name: 'silent', url: stub.url })
  const reader = new InboxReader('tests')
  const row = async () => (await read(reader)).threads.find(({ thread }) => thread === 'silent')
  expect(await row()).toMatchObject({ questions: null, asks: '' })
  expect(await row()).toMatchObject({ questions: ['one'], asks: 'Shall it be sent?' })
  await row()
  expect(states).toHaveLength(2)
  updated = '2026-11-25T10:00:05Z'
  expect(await row()).toMatchObject({ asks: 'Shall it be sent?' })
  expect(states).toHaveLength(3)
  await stub.stop()
})

test('a server that says when to ask again is not asked before', async () => {
  const stub = await startStubUpstream(() => ({ status: 429, headers: { 'retry-after': '30' }, body: 'slow down' }))
  await insertDirectServer('tests', { name: 'limited', url: stub.url })
  const reader = new InboxReader('tests', { retryMs: 0, retryMaxMs: 0 })
  for (let pass = 0; pass < 2; pass++)
    expect((await read(reader)).unread).toContainEqual(
      expect.objectContaining({ deploymentName: 'limited', message: expect.stringContaining('Try again in 30 s.') }),
    )
  expect(stub.seen).toHaveLength(1)
  await stub.stop()
})

test('a deployment that failed is read again once it has answered anything, or someone tries again', async () => {
  const { id } = await insertDirectServer('tests', { name: 'back', url: wire.url })
  const reader = new InboxReader('tests')
  const unread = async () => (await read(reader)).unread.filter(({ deployment }) => deployment === id)
  const endings = [
    () => call(agentServer.getInfo, { workspace: 'tests', deploymentId: id }, { actor }),
    () => askAgain('tests'),
  ]
  for (const end of endings) {
    await wire.set({ kind: 'respond', status: 503 })
    expect(await unread()).toHaveLength(1)
    await wire.set(null)
    await end()
    expect(await unread()).toEqual([])
  }
})
