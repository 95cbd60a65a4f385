import { eq, lt } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type FaultProxy, startFaultProxy } from '@/e2e/support/fault-proxy'
import { agentServer } from '@/lib/contracts/agent-server'
import { elsewhereId, type RunRow, statusGroupOf, targetOf } from '@/lib/contracts/agents/run-row'
import { readMoment } from '@/lib/format/moment'
import type { Actor } from '@/lib/server/access/actor'
import { insertWorkspace } from '@/lib/server/access/workspace-settings'
import { askAgain } from '@/lib/server/process/answers'
import { db } from '@/lib/server/process/db'
import { recorderHub } from '@/lib/server/recorder/shared-hub'
import { joinRecording, startRecording } from '@/lib/server/recorder/start'
import { until, workspaceFor } from '@/lib/server/recorder/testing'
import { exportRecording, listRecordings, readRecording } from '@/lib/server/records/recordings'
import { cancelRuns } from '@/lib/server/resources/runs/bulk'
import { type TestConsole, testActor, testConsole } from '@/lib/server/testing'
import { call } from '@/lib/server/upstream/call'
import { failureOf } from '@/lib/stream/failure'
import { applyEntry, createRunView, recordedFigures } from '@/lib/stream/run-view'
import { type TestServer, testServer } from '@/platform/agent-server/testing'
import { resultOf } from '../../experiments/result'
import { recordings } from '../../recorder/schema'
import { readThreadError } from '../../recorder/source/run-source'
import { listServers, seenAcross } from './elsewhere'
import { readRunHistogram } from './histogram'
import { withServersWord } from './inputs'
import { readRunRows } from './list'

// Against the embedded agent server, over a connection that the test can break.
let server: TestServer
let wire: FaultProxy
let home: TestConsole
let actor: Actor
let deploymentId: string
beforeAll(async () => {
  server = await testServer()
  wire = await startFaultProxy(server.url)
  home = await testConsole()
  deploymentId = await workspaceFor(wire.url)
  actor = await testActor({ tests: 'developer' })
})
afterAll(async () => {
  await recorderHub().stop()
  await home.close()
  await wire.stop()
  await server.close()
})

const list = (query: object = {}, who = actor) => readRunRows('tests', { deployment: deploymentId, ...query }, who)
const idsOf = ({ rows }: { rows: { run: string | null }[] }) => rows.map(({ run }) => run)
/** Starts a run without a recording. */
async function startElsewhere(delay = 20_000, metadata: object = {}) {
  const thread = await server.newThread()
  const body = { assistant_id: 'counter', input: { until: 2, delay }, metadata }
  return { thread, run: (await server.post(`/threads/${thread}/runs`, body)).json.run_id as string }
}

test('runs started elsewhere are listed with recordings, and once joined only as their recording', async () => {
  const mine = await startRecording({
    actor,
    workspace: 'tests',
    deploymentId,
    thread: { kind: 'new' },
    body: { assistant_id: 'nested', input: { text: 'hello' } },
  })
  const other = await startElsewhere(20_000, { note: 'from a script' })
  const page = await until(async () => {
    const found = await list()
    return found.rows.length === 2 && found
  })
  expect(idsOf(page)).toEqual([other.run, mine.run])
  expect(page.rows[0]).toMatchObject({
    recording: null,
    thread: other.thread,
    startedBy: 'API',
    status: expect.stringMatching(/pending|running/),
    // Neither a recording nor a trace knows it, but the server does.
    input: '{ "until": 2, "delay": 20000 }',
  })
  expect(page.rows[1]).toMatchObject({ recording: mine.id, startedBy: actor.email })
  expect(page.looked).toMatchObject({ threads: 2, deployments: 1, isPartial: false, problems: [] })

  expect(idsOf(await list({ source: 'elsewhere' }))).toEqual([other.run])
  expect(idsOf(await list({ source: 'recorded' }))).toEqual([mine.run])
  expect(idsOf(await list({ text: 'FROM A SCRIPT' }))).toEqual([other.run])
  expect(idsOf(await list({ by: actor.email.slice(0, 5) }))).toEqual([mine.run])
  expect(idsOf(await list({ by: 'api' }))).toEqual([other.run])
  expect(idsOf(await list({ assistant: 'counter' }))).toEqual([other.run])
  expect(idsOf(await list({ assistant: 'nested' }))).toEqual([mine.run])
  expect(idsOf(await list({ thread: other.thread }))).toEqual([other.run])
  expect(idsOf(await list({ runs: `x,${mine.run}` }))).toEqual([mine.run])
  expect(idsOf(await list({ runs: other.run }))).toEqual([other.run])
  expect(idsOf(await list({ since: '1h' }))).toEqual([other.run, mine.run])
  expect(idsOf(await list({ until: '1h' }))).toEqual([])
  expect(idsOf(await list({ status: 'active', source: 'elsewhere' }))).toEqual([other.run])
  // Across the workspace only busy threads are searched.
  expect(idsOf(await readRunRows('tests', {}, actor))).toContain(other.run)

  const joined = await joinRecording({ actor, workspace: 'tests', deploymentId, ...other })
  expect((await list()).rows.filter(({ run }) => run === other.run)).toMatchObject([
    { recording: joined.id, startedBy: 'API', startedAt: page.rows[0]?.startedAt },
  ])
  const [row] = (await list({ thread: other.thread })).rows
  const results = await cancelRuns({ workspace: 'tests', action: 'interrupt', ids: [row?.id ?? ''] }, actor)
  expect(results).toMatchObject([{ outcome: 'done' }])
  await until(async () => (await list({ thread: other.thread })).rows[0]?.status === 'cancelled')
})

test('pages over both kinds neither skip nor repeat rows', async () => {
  await insertWorkspace({ kind: 'direct', slug: 'paged', name: 'Paged', dialect: 'graph', allowedOrigins: [] })
  const store = await db()
  const base = Date.parse('2030-01-01T00:00:00Z')
  // Four rows share each start time, so that page boundaries fall between equal times.
  const many = Array.from({ length: 60 }, (_, index) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    workspace: 'paged',
    deployment: deploymentId,
    thread: `t${index}`,
    run: `r${index}`,
    assistant: 'a',
    phase: 'ended' as const,
    outcome: 'success' as const,
    startedBy: 'somebody@example.com',
    startedAt: new Date(base + Math.floor(index / 4)),
    request: '{}',
    isStateless: false,
    isResumable: false,
  }))
  await store.insert(recordings).values(many)
  const reader = await testActor({ paged: 'viewer' })
  const paged = async (read: (query: object) => ReturnType<typeof list>) => {
    const seen: (string | null)[] = []
    for (let after: string | undefined; ; ) {
      const page = await read(after ? { after } : {})
      seen.push(...idsOf(page))
      if (!page.next) return seen
      after = page.next
    }
  }
  const seen = await paged((query) => readRunRows('paged', { source: 'recorded', limit: 7, ...query }, reader))
  expect(seen).toEqual([...Array(15).keys()].reverse().flatMap((at) => [3, 2, 1, 0].map((one) => `r${at * 4 + one}`)))

  const others = [await startElsewhere(0), await startElsewhere(0), await startElsewhere(0)]
  const whole = await until(async () => {
    const found = idsOf(await list({ limit: 100 }))
    return others.every(({ run }) => found.includes(run)) && found
  })
  expect(whole.length).toBeGreaterThan(4)
  expect(await paged((query) => list({ limit: 2, ...query }))).toEqual(whole)
})

test('a bulk cancel reports each run: cancelled, already ended, missing or in another workspace', async () => {
  const [one, two] = [await startElsewhere(), await startElsewhere()]
  const over = await startElsewhere(0)
  await until(async () => (await server.get(`/threads/${over.thread}/runs/${over.run}`)).json.status === 'success')
  const gone = { thread: two.thread, run: '00000000-0000-4000-8000-000000000000' }
  const ids = [one, two, over, gone].map(({ thread, run }) => elsewhereId(deploymentId, thread, run))
  const foreign = '00000000-0000-4000-8000-000000000001' // a recording of the workspace `paged`
  const results = await cancelRuns({ workspace: 'tests', action: 'interrupt', ids: [...ids, foreign] }, actor)
  expect(results.map(({ outcome }) => outcome)).toEqual(['done', 'done', 'nothing', 'nothing', 'failed'])
  expect(results.map(({ id }) => id)).toEqual([...ids, foreign])
  for (const { thread, run } of [one, two])
    await until(async () => (await server.get(`/threads/${thread}/runs/${run}`)).json.status === 'interrupted')
  const viewer = await testActor({ tests: 'viewer' })
  await expect(cancelRuns({ workspace: 'tests', action: 'interrupt', ids }, viewer)).rejects.toMatchObject({
    code: 'forbidden',
  })
})

test('a run that was answered, here or elsewhere, has the same status in every list and on its page', async () => {
  const body = { assistant_id: 'approval', input: { topic: 'x' } }
  const ask = () => startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
  const [here, elsewhere, again, open] = [await ask(), await ask(), await ask(), await ask()]
  const statuses = async () => {
    const { rows } = await list({ limit: 100 })
    const { items } = await listRecordings(actor, { workspace: 'tests', deploymentId })
    return Promise.all(
      [here, elsewhere, again, open].map(async ({ id }) => [
        rows.find(({ recording }) => recording === id)?.status,
        items.find((one) => one.id === id)?.outcome,
        (await readRecording(actor, { workspace: 'tests', recording: id })).outcome,
      ]),
    )
  }
  const [waiting, continued] = [Array(3).fill('waiting'), Array(3).fill('continued')]
  await until(async () => (await statuses()).flat().every((one) => one === 'waiting'), 20_000)
  const answer = { assistant_id: 'approval', command: { resume: 'yes' } }
  await startRecording({
    ...{ actor, workspace: 'tests', deploymentId },
    thread: { kind: 'existing', id: here.thread ?? '' },
    body: answer,
  })
  await server.post(`/threads/${elsewhere.thread}/runs/wait`, answer)
  // A run of another program asks in its turn.
  await server.post(`/threads/${again.thread}/runs/wait`, { assistant_id: 'approval', input: { topic: 'y' } })
  const now = await until(async () => {
    const found = await statuses()
    return found.slice(1, 3).every((one) => one.every((outcome) => outcome === 'continued')) && found
  }, 10_000)
  expect(now).toEqual([continued, continued, continued, waiting])
  const stillWaiting = idsOf(await list({ status: 'waiting', source: 'recorded' }))
  expect(stillWaiting).toContain(open.run)
  for (const one of [here, elsewhere, again]) expect(stillWaiting).not.toContain(one.run)
  const finished = idsOf(await list({ status: 'success', source: 'recorded' }))
  for (const one of [here, elsewhere, again]) expect(finished).toContain(one.run)
  expect(finished).not.toContain(open.run)
})

test('a page of finished or waiting runs is full however many others are newer, and the histogram counts all', async () => {
  const newest = Date.now() - 40 * 86_400_000
  const store = await db()
  let at = newest - 1
  const insert = (threads: string[], outcome: 'waiting' | 'success') =>
    store.insert(recordings).values(
      threads.map((thread) => ({
        ...{ id: crypto.randomUUID(), workspace: 'tests', deployment: deploymentId, assistant: 'a', thread, outcome },
        ...{
          phase: 'ended' as const,
          startedBy: 'ada',
          startedAt: new Date(at--),
          request: '{}',
          questions: ['q'],
        },
        ...{ isStateless: false, isResumable: false },
      })),
    )
  // The server says that these are idle, and does not know the others.
  const answered = () => Promise.all(Array.from({ length: 6 }, () => server.newThread()))
  await insert(await answered(), 'waiting')
  for (let part = 0; part < 3; part += 1)
    await insert(
      Array.from({ length: 1_000 }, (_, one) => `gone-${part}-${one}`),
      'waiting',
    )
  await insert(await answered(), 'waiting')
  await insert(
    Array.from({ length: 30 }, (_, one) => `done-${one}`),
    'success',
  )
  const span = { source: 'recorded', since: '41d', until: new Date(newest).toISOString() }
  const read = async (status: string, after: string | null = null) => {
    const { rows, next } = await list({ ...span, status, limit: 20, ...(after && { after }) })
    const count = (wanted: string) => rows.filter((row) => row.status === wanted).length
    return { counts: [count('continued'), count('success'), count('waiting')], next }
  }
  // A server that does not answer in time is asked again by the next read.
  const settled = <T>(ask: () => Promise<T>) => vi.waitFor(ask, { timeout: 60_000, interval: 200 })
  const readAs = (counts: number[], status: string, after: string | null = null) =>
    settled(async () => {
      const page = await read(status, after)
      expect(page.counts).toEqual(counts)
      return page.next
    })
  const counted = (query: object, wanted: number[]) =>
    settled(async () => {
      const { counts } = await readRunHistogram('tests', { deployment: deploymentId, ...span, ...query }, actor)
      const sum = (group: 'success' | 'waiting') => counts.reduce((total, one) => total + (one[group] ?? 0), 0)
      expect([sum('success'), sum('waiting')]).toEqual(wanted)
    })
  try {
    const first = await readAs([12, 8, 0], 'success')
    const second = await readAs([0, 20, 0], 'success', first)
    expect(await readAs([0, 2, 0], 'success', second)).toBeNull()
    await readAs([0, 0, 20], 'waiting', await readAs([0, 0, 20], 'waiting'))
    await counted({}, [42, 3_000])
    await counted({ status: 'success' }, [42, 0])
    await counted({ status: 'waiting' }, [0, 3_000])
  } finally {
    await store.delete(recordings).where(lt(recordings.startedAt, new Date(newest)))
  }
}, 120_000)

test('of runs that no recording knows, one whose question was answered has continued, and one that was stopped has not', async () => {
  const asked = { assistant_id: 'approval', input: { topic: 'x' } }
  const thread = await server.newThread()
  const post = async (body: object) => (await server.post(`/threads/${thread}/runs/wait`, body)).json
  await post(asked)
  await post({ assistant_id: 'approval', command: { resume: 'yes' } })
  const rows = await until(async () => {
    const found = (await list({ thread })).rows
    return found.length === 2 && found
  })
  expect(rows.map(({ status }) => status)).toEqual(['success', 'continued'])

  const stopped = await startElsewhere()
  const path = `/threads/${stopped.thread}/runs`
  await server.post(`${path}/${stopped.run}/cancel?wait=true`, {})
  await server.post(`${path}/wait`, { assistant_id: 'counter', input: { until: 1 } })
  const others = await until(async () => {
    const found = (await list({ thread: stopped.thread })).rows
    return found.length === 2 && found
  })
  expect(others.map(({ status }) => status)).toEqual(['success', 'interrupted'])
})

test('a run that stopped at a breakpoint or a question needs input, as its thread does, recorded or not', async () => {
  const asked = { assistant_id: 'approval', input: { topic: 'x' } }
  const stopped = { ...asked, interrupt_before: '*' as const }
  const place = { actor, workspace: 'tests', deploymentId }
  for (const body of [stopped, asked]) {
    const { id } = await startRecording({ ...place, thread: { kind: 'new' }, body })
    const thread = await server.newThread()
    await server.post(`/threads/${thread}/runs/wait`, body)
    const found = await until(async () => {
      const { rows } = await list({ limit: 100, depth: 100 })
      const both = rows.filter((row) => row.recording === id || row.thread === thread)
      return both.length === 2 && both.every((row) => row.endedAt !== null) && both
    })
    const [ofThread] = (await list({ thread })).rows
    expect([...found, ofThread].map((row) => row?.status)).toEqual(['waiting', 'waiting', 'waiting'])
  }
})

test('a workspace without traces lists finished and failed runs that a program started, failed ones first', async () => {
  const ask = async (assistant_id: string, input: object) => {
    const thread = await server.newThread()
    await server.post(`/threads/${thread}/runs/wait`, { assistant_id, input })
    return thread
  }
  const failed = await ask('failing', {})
  const done = await ask('counter', { until: 1 })
  const across = await until(async () => {
    const found = await readRunRows('tests', { source: 'elsewhere' }, actor)
    return found.rows.some(({ thread }) => thread === done) && found
  })
  const statusOf = (thread: string) => across.rows.find((row) => row.thread === thread)?.status
  expect([statusOf(failed), statusOf(done)]).toEqual(['error', 'success'])
  expect(across.looked).toMatchObject({ isBusyOnly: false, problems: [] })
  // It was asked nothing, which is not unknown.
  expect((await until(async () => (await list({ thread: failed })).rows)).at(0)?.input).toBe('')
  // Neither a recording nor a trace knows why it failed, but its thread does.
  const why = await until(async () => (await list({ thread: failed })).rows[0]?.error)
  expect(why).toContain('It was not to be.')
  const only = await readRunRows('tests', { source: 'elsewhere', status: 'failed' }, actor)
  expect(only.rows.map(({ thread, status }) => [thread, status])).toContainEqual([failed, 'error'])
  expect(only.rows.every(({ status }) => status === 'error')).toBe(true)
})

test('a run that was read as running when it had just failed tells its error later', async () => {
  const thread = await server.newThread()
  await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'failing', input: {} })
  const [run] = (await server.get(`/threads/${thread}/runs`)).json as { run_id: string }[]
  const row: RunRow = {
    ...{ id: elsewhereId(deploymentId, thread, run?.run_id ?? ''), recording: null, deployment: deploymentId, thread },
    ...{ run: run?.run_id ?? '', assistant: 'failing', assistantVersion: null, status: 'running', startedBy: 'API' },
    ...{ startedAt: new Date().toISOString(), endedAt: null, isStateless: false },
  }
  const word = async (one: RunRow) => (await withServersWord('tests', [one], new Set()))[0]
  await until(async () => (await word(row))?.input !== undefined)
  expect((await word({ ...row, status: 'error' }))?.error).toContain('It was not to be.')
})

test('a run that failed between its tasks tells why in the list and on its page, and a later failure is not its own', async () => {
  const thread = await server.newThread()
  const start = async (body: object) => {
    await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', ...body })
    return ((await server.get(`/threads/${thread}/runs`)).json as { run_id: string }[])[0]?.run_id ?? ''
  }
  const run = await start({ input: { until: 9 }, config: { recursion_limit: 2 } })
  const why = await until(async () => (await list({ thread })).rows[0]?.error)
  expect(why).toContain('Recursion limit of 2 reached')
  const { id: recording } = await joinRecording({ actor, workspace: 'tests', deploymentId, thread, run })
  const row = await until(async () => {
    const [found] = (await list({ source: 'recorded', runs: run })).rows
    return found?.status === 'error' && found
  })
  expect(row.error).toBe(why)
  const view = createRunView({ budgetBytes: 0 })
  for await (const entries of exportRecording(actor, { workspace: 'tests', recording }))
    for (const entry of entries) applyEntry(view, entry)
  expect(failureOf(view)?.message).toContain(why)

  const other = await server.newThread()
  const place = { workspace: 'tests', deploymentId, thread: other }
  const wait = (body: object) => server.post(`/threads/${other}/runs/wait`, { assistant_id: 'counter', ...body })
  await wait({ input: { until: 9 }, config: { recursion_limit: 2 } })
  const [first] = (await server.get(`/threads/${other}/runs`)).json as { run_id: string }[]
  await wait({ input: { until: 9 }, config: { recursion_limit: 3 } })
  expect(await readThreadError({ ...place, run: first?.run_id ?? '' })).toBeUndefined()
})

test('a recorded run tells why it failed, and is found by it', async () => {
  const body = { assistant_id: 'failing', input: {} }
  const failed = await startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
  const found = async (text: string) =>
    (await list({ text, source: 'recorded' })).rows.filter(({ recording }) => recording === failed.id)
  const [row] = await until(async () => {
    const rows = await found('failing')
    return rows[0]?.status === 'error' && rows
  })
  expect(row?.error).toContain('It was not to be.')
  expect(await found('NOT to be')).toHaveLength(1)
  expect(await found('another error')).toEqual([])
})

test('a recorded run without a trace has the figures of its page and of an experiment', async () => {
  const body = { assistant_id: 'chat', input: { messages: [{ role: 'user', content: 'Otter' }] } }
  const run = await startRecording({ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' }, body })
  const row = await until(async () => {
    const [found] = (await list({ thread: run.thread })).rows
    return found?.status === 'success' && found
  })
  const place = { workspace: 'tests', recording: run.id }
  const view = createRunView()
  for await (const entries of exportRecording(actor, place)) for (const entry of entries) applyEntry(view, entry)
  const summary = await readRecording(actor, place)
  expect(row.recorded?.firstTokenMs).toEqual(expect.any(Number))
  expect(row.recorded).toEqual(recordedFigures(view, summary))
  expect((await resultOf(summary)).firstTokenMs).toBe(row.recorded?.firstTokenMs)
})

test('the histogram counts the runs of the list, in the intervals in which they started', async () => {
  const DAY = 86_400_000
  const old = (days: number, outcome: 'success' | 'error') => ({
    ...{ id: crypto.randomUUID(), workspace: 'tests', deployment: deploymentId, assistant: 'a', outcome },
    ...{ phase: 'ended' as const, startedBy: 'ada', startedAt: new Date(Date.now() - days * DAY), request: '{}' },
    ...{ isStateless: false, isResumable: false },
  })
  await (await db()).insert(recordings).values([old(3, 'error'), old(20, 'success'), old(500, 'error')])
  const read = (query: object) => readRunHistogram('tests', { deployment: deploymentId, ...query }, actor)
  const depth = 120 // as nobody has looked yet: a look is kept for a moment
  const compare = async (query: object, zone: number) => {
    const [page, { since, first, step, counts, looked }] = await Promise.all([
      list({ limit: 100, depth, ...query }),
      read({ depth, zone, ...query }),
    ])
    expect([page.next, looked?.isPending ?? false, looked?.problems ?? []]).toEqual([null, false, []])
    const expected = counts.map(() => ({}) as Record<string, number>)
    for (const { startedAt, status } of page.rows.filter((row) => Date.parse(row.startedAt) >= since)) {
      const one = expected[Math.floor((Date.parse(startedAt) - first) / (step * 1000))]
      if (one) one[statusGroupOf(status)] = (one[statusGroupOf(status)] ?? 0) + 1
    }
    const known = counts.map((one) => Object.fromEntries(Object.entries(one).filter(([, runs]) => runs > 0)))
    expect(known, JSON.stringify(query)).toEqual(expected)
    return counts.flatMap((one) => Object.values(one)).reduce((sum, runs) => sum + runs, 0)
  }
  const totalOf = (query: object, zone = 0) =>
    vi.waitFor(() => compare(query, zone), { timeout: 10_000, interval: 200 })
  const all = await totalOf({})
  expect(await totalOf({ since: '30d' })).toBe(all + 1)
  expect(await totalOf({ since: '2024-01-01' }, -330)).toBe(all + 2)
  expect(await totalOf({ until: '2d' })).toBe(1)
  expect(await totalOf({ since: '30d', status: 'failed', source: 'recorded' })).toBe(3)
  const finished = { source: 'recorded', status: 'success' }
  const some = [{ source: 'recorded' }, { source: 'elsewhere' }, { assistant: 'counter' }, { text: 'hello' }, finished]
  for (const query of some) expect(await totalOf(query)).toBeGreaterThan(0)
  expect(await totalOf({ text: 'no such run' })).toBe(0)
  await expect(read({ limit: 5 })).rejects.toMatchObject({ code: 'invalid' })
  await expect(read({ zone: 9_000 })).rejects.toMatchObject({ code: 'invalid' })
  const stranger = await testActor({ other: 'admin' })
  await expect(readRunHistogram('tests', {}, stranger)).rejects.toMatchObject({ code: 'not_found' })
})

test('a server that has not answered yet is told from one that failed', async () => {
  await wire.set({ kind: 'black-hole' })
  // As deep as nobody has looked yet.
  const seen = await seenAcross('tests', await listServers('tests', null), { threads: 7, isFailedFirst: false }, 50)
  const late = { deployment: deploymentId, message: 'No answer yet.', isLate: true }
  expect(seen.looked.problems).toEqual([late])
  await wire.set(null)
})

test('recordings are listed while the server is down, and the page reports the problem', async () => {
  await wire.set({ kind: 'respond', status: 503 })
  const page = await until(async () => {
    const found = await list({ depth: 101 }) // not read before
    return found.looked?.problems.length ? found : undefined
  })
  expect(page.rows.length).toBeGreaterThan(0)
  expect(page.rows.every(({ recording }) => recording !== null)).toBe(true)
  await wire.set(null)
})

test('a server that fails has its runs listed as it told them last, and since when that is', async () => {
  const began = Date.now()
  const { thread, run } = await startElsewhere(0)
  const read = () => list({ depth: 102 })
  await until(async () => idsOf(await read()).includes(run))
  await wire.set({ kind: 'respond', status: 503 })
  const page = await until(async () => {
    const found = await read()
    return found.looked?.problems.length ? found : undefined
  })
  expect(page.rows.find((row) => row.run === run)).toMatchObject({ recording: null, thread })
  const [problem] = page.looked?.problems ?? []
  expect(problem).toMatchObject({ deployment: deploymentId, keptAt: expect.any(Number) })
  expect(problem?.keptAt).toBeGreaterThan(began)
  await wire.set(null)
})

test('a failure is not kept once the server has answered anything, or someone tries again', async () => {
  const endings = [
    () => call(agentServer.getInfo, { workspace: 'tests', deploymentId }, { actor }),
    () => askAgain('tests'),
  ]
  for (const [index, end] of endings.entries()) {
    const problems = async () => (await list({ depth: 103 + index })).looked?.problems
    await wire.set({ kind: 'respond', status: 503 })
    await until(async () => (await problems())?.length)
    await wire.set(null)
    await end()
    await until(async () => (await problems())?.length === 0, 12_000)
  }
})

test('an assistant is named as its server told it last while that is away', async () => {
  const made = await server.post('/assistants', { graph_id: 'counter', name: 'Night counter' })
  const thread = await server.newThread()
  const body = { assistant_id: made.json.assistant_id, input: { until: 1, delay: 1 } }
  const { run_id } = (await server.post(`/threads/${thread}/runs`, body)).json
  const named = async (query: object) => (await list({ depth: 103, ...query })).rows.find(({ run }) => run === run_id)
  await until(async () => (await named({}))?.assistantName === 'Night counter')
  await wire.set({ kind: 'respond', status: 503 })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 60_000 })
  const away = await until(async () => {
    const page = await list({ depth: 103 })
    return page.looked?.problems.length ? page.rows.find(({ run }) => run === run_id) : undefined
  })
  vi.useRealTimers()
  await wire.set(null)
  expect(away).toMatchObject({ assistant: made.json.assistant_id, assistantName: 'Night counter' })
})

test('non-members see nothing, and invalid queries are refused', async () => {
  await expect(list({}, await testActor({ other: 'admin' }))).rejects.toMatchObject({ code: 'not_found' })
  await expect(list({ status: 'odd' })).rejects.toMatchObject({ code: 'invalid' })
  await expect(list({ since: 'soon' })).rejects.toMatchObject({ code: 'invalid' })
  await expect(list({ more: '1' })).rejects.toMatchObject({ code: 'invalid' })
})

test('times parse as durations or UTC dates, and ids of runs elsewhere survive special characters', () => {
  const now = Date.parse('2026-11-21T12:00:00Z')
  expect(readMoment('90m', now)).toBe(now - 90 * 60_000)
  expect(readMoment('2026-11-20', now)).toBe(Date.parse('2026-11-20T00:00:00Z'))
  expect(readMoment('2026-11-20 10:30', now)).toBe(Date.parse('2026-11-20T10:30:00Z'))
  expect(readMoment('2026-11-20T10:30:00+01:00', now)).toBe(Date.parse('2026-11-20T09:30:00Z'))
  for (const odd of ['', 'soon', '2026-13-40', '5y']) expect(readMoment(odd, now)).toBeUndefined()
  const place = { deployment: 'a/b', thread: 'ü %', run: 'r_1' }
  expect(targetOf(elsewhereId(place.deployment, place.thread, place.run))).toEqual({ kind: 'elsewhere', ...place })
  expect(targetOf('0001').kind).toBe('recording')
})

test('a recorded run is found by its output, without a start time only of the last day', async () => {
  const body = { assistant_id: 'chat', input: { messages: [{ role: 'user', content: 'Heron' }] } }
  const start = { actor, workspace: 'tests', deploymentId, thread: { kind: 'new' as const } }
  const said = await startRecording({ ...start, body })
  const counted = await startRecording({ ...start, body: { assistant_id: 'counter', input: { until: 3, delay: 1 } } })
  const found = async (text: string, query: object = {}) =>
    (await list({ text, source: 'recorded', ...query })).rows.map(({ recording }) => recording)
  await until(async () => (await found('NONE 3')).length === 1 && (await found('YOU SAID: heron')).length === 1)
  expect([await found('NONE 3'), await found('YOU SAID: heron')]).toEqual([[counted.id], [said.id]])
  const startedAt = new Date(Date.now() - 2 * 86_400_000)
  await (await db()).update(recordings).set({ startedAt }).where(eq(recordings.id, said.id))
  expect([await found('you said: heron'), await found('heron')]).toEqual([[], [said.id]])
  expect(await found('you said: heron', { since: '7d' })).toEqual([said.id])
  expect(await found('you said: heron', { until: '30h' })).toEqual([said.id])
  const { counts } = await readRunHistogram('tests', { text: 'you said: heron', source: 'recorded' }, actor)
  expect(counts.flatMap((one) => Object.values(one))).toEqual([])
})

test('beside traces, runs that wait are listed by their servers, and a traced run takes as long as on its page', async () => {
  const waiting = await server.newThread()
  await server.post(`/threads/${waiting}/runs/wait`, { assistant_id: 'approval', input: { topic: 'x' } })
  const thread = await server.newThread()
  await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'counter', input: { until: 1 } })
  // Where traces list the other runs, only these threads are read.
  const seen = await until(async () => {
    const found = await seenAcross('tests', await listServers('tests', null))
    return found.runs.some((run) => run.thread === waiting) && found
  })
  expect(seen.looked.isBusyOnly).toBe(true)
  expect(seen.runs.find((run) => run.thread === waiting)?.status).toBe('waiting')
  expect(seen.runs.some((run) => run.thread === thread)).toBe(false)

  const row = (await list({ thread })).rows[0]
  if (!row) throw new Error('The run is not listed.')
  const traced = {
    ...{ ...row, input: '1' }, // as a tracing server previews it
    startedAt: new Date(0).toISOString(),
    endedAt: new Date(1).toISOString(),
  }
  const word = () => withServersWord('tests', [traced], new Set([row.id]))
  await until(async () => (await word())[0]?.startedAt === row.startedAt)
  expect(await word()).toEqual([row])
  expect(await withServersWord('tests', [traced], new Set())).toMatchObject([{ startedAt: traced.startedAt }])
})
