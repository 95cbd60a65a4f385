import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { RecordingOutcome } from '@/lib/stream/log'
import { askedBy, THREADS_NOW } from '@/lib/stream/testing'
import { insertDirectServer } from '../access/direct-servers'
import { type TestConsole, testConsole } from '../testing'
import { type ScriptedServer, scriptedServer, workspaceFor } from './testing'
import { settleWaiting } from './waiting'

let console_: TestConsole
let server: ScriptedServer
/** Searches that came so far, and what they are answered: a status by thread, or a number for a failure. */
let asked: { ids: string[]; limit: number; select?: string[] }[]
let answer: Record<string, string | null> | number | undefined
/** The runs in progress of busy threads. */
let active: Record<string, string[] | undefined>
/** The questions of the threads that it tells. */
let asking: Record<string, ReturnType<typeof askedBy>>

beforeAll(async () => {
  console_ = await testConsole()
  server = await scriptedServer()
  await workspaceFor(server.url)
  server.intercept = (request, response) => {
    const [, of, status] = request.url?.match(/^\/threads\/([^/]+)\/runs\?.*status=(\w+)/) ?? []
    if (of) {
      const ids = status === 'running' ? active[of] : []
      response.writeHead(ids ? 200 : 500, { 'content-type': 'application/json' })
      response.end(JSON.stringify(ids?.map((run_id) => ({ run_id, thread_id: of, status, metadata: {} })) ?? {}))
      return true
    }
    if (request.url !== '/threads/search') return false
    void (async () => {
      let text = ''
      for await (const part of request) text += part
      const search = JSON.parse(text)
      asked.push(search)
      if (answer === undefined) return
      response.writeHead(typeof answer === 'number' ? answer : 200, { 'content-type': 'application/json' })
      const threads = typeof answer === 'number' ? [] : Object.entries(answer)
      const found = threads.filter(([id]) => search.ids.includes(id)).slice(0, search.limit)
      response.end(
        JSON.stringify(
          found.map(([thread_id, status]) => ({ thread_id, status, metadata: {}, interrupts: asking[thread_id] })),
        ),
      )
    })()
    return true
  }
})
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  // A busy machine must not be taken for a server that does not answer.
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal)
  asked = []
  asking = {}
  active = {}
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})
afterAll(async () => {
  await server.close()
  await console_.close()
})

/** A deployment that nothing is known about yet. */
const deployment = async () => (await insertDirectServer('tests', { name: 'one more', url: server.url })).id
const row = (deployment: string, thread: string | null, outcome: RecordingOutcome | null = 'waiting') => ({
  ...{ deployment, thread, run: 'r', outcome, questions: ['q'] },
})
const outcomes = async (rows: ReturnType<typeof row>[]) =>
  (await settleWaiting('tests', rows)).map(({ outcome }) => outcome)

test('a run whose thread has gone on without us is continued; one whose thread still asks, or is busy, is waiting', async () => {
  const [one, other] = [await deployment(), await deployment()]
  answer = { idle: 'idle', failed: 'error', asks: 'interrupted', busy: 'busy', untold: null, ended: 'idle' }
  const rows = [
    ...[row(one, 'idle'), row(one, 'failed'), row(one, 'asks'), row(one, 'busy'), row(one, 'untold'), row(one, 'gone')],
    ...[row(one, null), row(one, 'ended', 'interrupted'), row(one, 'running', null), row(other, 'idle')],
  ]
  expect(await outcomes(rows)).toEqual([
    ...['continued', 'continued', 'waiting', 'waiting', 'waiting', 'waiting'],
    ...['waiting', 'interrupted', null, 'continued'],
  ])
  // One search for each server, of what waits there.
  const ids = ['asks', 'busy', 'failed', 'gone', 'idle', 'untold']
  const search = (ids: string[]) => expect.objectContaining({ ids, limit: ids.length })
  const searches = asked.filter(({ select }) => select?.includes('status'))
  expect(searches.toSorted((a, b) => b.limit - a.limit)).toEqual([search(ids), search(['idle'])])
})

test('a thread has gone on as its page says', async () => {
  const one = await deployment()
  const threads = THREADS_NOW.map((now, at) => ({ ...now, id: `t${at}` }))
  answer = Object.fromEntries(threads.map(({ id, status }) => [id, status]))
  active = Object.fromEntries(threads.map(({ id, active: runs }) => [id, runs]))
  asking = Object.fromEntries(threads.map(({ id, interrupts }) => [id, askedBy(interrupts)]))
  const found = await outcomes(threads.map(({ id }) => row(one, id)))
  expect(threads.map(({ what }, at) => [what, found[at] === 'continued'])).toEqual(
    threads.map(({ what, isContinued }) => [what, isContinued]),
  )
  // A recording of an earlier version does not tell what it asked.
  const old = threads.map(({ id }) => ({ ...row(one, id), questions: null }))
  const isKnown = ['idle', 'error', 'busy']
  expect((await settleWaiting('tests', old)).map(({ outcome }) => outcome === 'continued')).toEqual(
    threads.map(({ status, isContinued }) => isContinued && isKnown.includes(status ?? '')),
  )
})

test('more threads than a server finds at once are asked for in parts', async () => {
  const one = await deployment()
  const ids = Array.from({ length: 1_201 }, (_, at) => `t${at}`)
  answer = Object.fromEntries(ids.map((id) => [id, 'idle']))
  const found = await outcomes(ids.map((id) => row(one, id)))
  expect(found.filter((outcome) => outcome === 'continued')).toHaveLength(1_201)
  expect(asked.map(({ limit }) => limit).sort()).toEqual([201, 500, 500])
})

test('a row is only changed in its outcome, and nothing is asked if no run waits', async () => {
  const one = await deployment()
  answer = { t: 'idle' }
  const ended = { ...row(one, 't', 'success'), id: 7 }
  expect(await settleWaiting('tests', [ended])).toEqual([ended])
  expect(asked).toEqual([])
  expect(await settleWaiting('tests', [{ ...row(one, 't'), id: 8 }])).toEqual([
    { ...row(one, 't', 'continued'), id: 8 },
  ])
})

test('an answer is kept for a moment, for these threads, in whatever order they are listed', async () => {
  const one = await deployment()
  answer = { a: 'busy', b: 'busy', c: 'idle' }
  expect(await outcomes([row(one, 'a'), row(one, 'b'), row(one, 'a')])).toEqual(['waiting', 'waiting', 'waiting'])
  answer = { a: 'idle', b: 'idle' }
  vi.setSystemTime(Date.now() + 2_499)
  expect(await outcomes([row(one, 'b'), row(one, 'a')])).toEqual(['waiting', 'waiting'])
  expect(asked.map(({ ids }) => ids)).toEqual([['a', 'b']])
  vi.setSystemTime(Date.now() + 1)
  expect(await outcomes([row(one, 'b'), row(one, 'a')])).toEqual(['continued', 'continued'])
  expect(asked).toHaveLength(2)
})

test('a server that fails leaves the runs waiting, and is left alone for a while', async () => {
  const one = await deployment()
  answer = 500
  expect(await outcomes([row(one, 'a')])).toEqual(['waiting'])
  const { length } = asked
  answer = { a: 'idle' }
  vi.setSystemTime(Date.now() + 14_000)
  expect(await outcomes([row(one, 'a')])).toEqual(['waiting'])
  expect(asked).toHaveLength(length)
  vi.setSystemTime(Date.now() + 1_500)
  expect(await outcomes([row(one, 'a')])).toEqual(['continued'])
})

test('a server that does not answer holds nobody up', async () => {
  const one = await deployment()
  vi.restoreAllMocks()
  answer = undefined
  expect(await outcomes([row(one, 'a')])).toEqual(['waiting'])
  expect(asked).toHaveLength(1)
})
