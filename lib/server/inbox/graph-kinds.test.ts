import path from 'node:path'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { answerThread } from '@/lib/actions/inbox'
import { answerTo, readAsk } from '@/lib/stream/answers'
import { messageText } from '@/lib/stream/messages'
import { applyEntry, createRunView, messagesOf } from '@/lib/stream/run-view'
import { recorderHub } from '../recorder/shared-hub'
import { joinRecording, startRecording } from '../recorder/start'
import { logOf, summaryOf, until } from '../recorder/testing'
import { testAgentConsole } from '../resources/testing'
import { signIn } from '../testing'
import { readWaiting } from './inbox-thread'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))
const { server, at, developer, close } = await testAgentConsole({
  isDirect: true,
  configPath: path.join(import.meta.dirname, 'fixtures/kinds.json'),
})
beforeAll(async () => void (await signIn(developer)))
afterAll(async () => {
  await recorderHub().stop()
  await close()
})

const said = (content: string) => ({ messages: [{ role: 'user', content }] })
const ended = (id: string) => until(async () => (await summaryOf(id)).phase === 'ended' && summaryOf(id), 60_000)
async function replay(id: string) {
  const view = createRunView()
  const log = await logOf(id)
  for (const entry of log) applyEntry(view, entry)
  return { log, last: messagesOf(view).at(-1) }
}

test('a reply of 10,000 chunks of a MessagesAnnotation graph is recorded whole', async () => {
  const { id } = await startRecording({
    ...{ actor: developer, ...at, thread: { kind: 'new' } },
    body: { assistant_id: 'talker', input: said('10000'), stream_mode: ['messages-tuple', 'values'] },
  })
  expect(await ended(id)).toMatchObject({ outcome: 'success' })
  const { log, last } = await replay(id)
  const words = (last ? messageText(last) : '').trim().split(' ')
  expect([words.length, words[0], words.at(-1)]).toEqual([10_000, 'w1', 'w10000'])
  expect(log.filter((entry) => entry.kind === 'event' && entry.event === 'messages').length).toBeGreaterThanOrEqual(
    10_000,
  )
  expect(log.filter(({ kind }) => kind === 'gap')).toEqual([])
}, 90_000)

test('a run that the SDK started outside the console is recorded from its beginning', async () => {
  const client = new Client({ apiUrl: server.url })
  const { thread_id: thread } = await client.threads.create()
  const { run_id: run } = await client.runs.create(thread, 'talker', { input: said('40'), streamResumable: true })
  const { id, startedBy } = await joinRecording({ actor: developer, ...at, thread, run })
  expect(startedBy).not.toBe(developer.email)
  expect(await ended(id)).toMatchObject({ outcome: 'success', thread, run })
  const { last } = await replay(id)
  expect(last ? messageText(last) : '').toMatch(/^w1 .* w40 $/)
}, 60_000)

test.each([
  ['approved', { verb: 'approve' }, 'Done: sent to ada@example.com'],
  ['edited', { verb: 'edit', args: { to: 'bob@example.com', text: 'Hello' } }, 'Done: sent to bob@example.com'],
  ['rejected', { verb: 'reject', message: 'Not today' }, 'Done: Not today'],
] as const)(
  'a request of createAgent with its human-in-the-loop middleware is %s',
  async (name, decision, reply) => {
    const { id } = await startRecording({
      ...{ actor: developer, ...at, thread: { kind: 'new' } },
      body: { assistant_id: 'agent', input: said('Mail Ada') },
    })
    const { outcome, thread } = await ended(id)
    expect(outcome).toBe('waiting')
    const place = { ...at, thread: thread ?? '' }
    const [question] = (await readWaiting(place, { actor: developer })).questions
    const ask = readAsk(question?.value)
    if (ask.kind !== 'actions') throw new Error(ask.kind)
    expect(ask.actions).toMatchObject([
      { name: 'send_mail', args: { to: 'ada@example.com', text: 'Mail Ada' }, verbs: ['approve', 'edit', 'reject'] },
    ])
    const answer = answerTo(ask, [decision])
    const answers = JSON.stringify([{ id: question?.id, asked: question?.value, answer }])
    const answered = await answerThread({ place, answers, key: `key-of-${name}` })
    if (!answered.ok) throw new Error(answered.error.message)
    expect(await ended(answered.data.id)).toMatchObject({ outcome: 'success' })
    const { last } = await replay(answered.data.id)
    expect(last ? messageText(last) : '').toBe(reply)
  },
  60_000,
)
