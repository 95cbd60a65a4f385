import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { deploymentRecord } from '@/e2e/support/sample-inputs'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { controlPlane } from '@/lib/contracts/control-plane'
import { traces } from '@/lib/contracts/traces'
import type { Operation } from '@/lib/contracts/wire/api'
import type { Actor } from '../access/actor'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { type TestConsole, testActor, testConsole } from '../testing'
import { callAny } from './call'
import { adoptTracesPace } from './traces-exchange'

// What a member with roles for some deployments sends and gets, from servers that ignore every filter.

const PACE = { limits: {}, patience: { waitMs: 1_000, backOffMs: 10 }, gatherMs: 0 }
const NONE = '00000000-0000-0000-0000-000000000000'
const project = (n: number) => `10000000-0000-4000-8000-${String(n).padStart(12, '0')}`
/** Deployments by id; the last one is not the member's. Two have a project of their name, one says which it has. */
const [FIRST, SECOND, THIRD, OTHER] = ['d-first', 'd-second', 'd-third', 'd-other']
const OWN = [project(1), project(2), project(3)]
const FOREIGN = project(4)
const record = (id: string, name: string, tracing_project_id?: string) => ({
  ...{ ...deploymentRecord(null), id, name, tracing_project_id },
})
let deployments: object[] = []
let projects: { id: string; name: string }[] = []
let runs: object[] = []
type Sent = { path: string; query: Record<string, string[]>; body: Record<string, unknown> }
let sent: Sent[] = []
let home: TestConsole
let upstream: StubUpstream
let slug = ''
let member: Actor

beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole()
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
  adoptTracesPace()
})
let count = 0
beforeEach(async () => {
  adoptTracesPace(PACE)
  // What is known of projects is kept by workspace, so each test has one of its own.
  count += 1
  slug = `team-${count}`
  await insertWorkspace(
    NewWorkspace.parse({
      ...{ kind: 'control-plane', slug, name: slug, dialect: 'graph', allowedOrigins: [], keys: { apiKey: 'key' } },
      ...{ baseUrl: upstream.url, traces: { url: `${upstream.url}/traces`, apiKey: 'reads' } },
    }),
  )
  member = await testActor({ [slug]: { [FIRST]: 'developer', [SECOND]: 'developer', [THIRD]: 'developer' } })
  deployments = [
    record(FIRST, 'first'),
    record(SECOND, 'second'),
    record(THIRD, 'third', project(3)),
    record(OTHER, 'other'),
  ]
  projects = [
    { id: project(4), name: 'other' },
    { id: project(1), name: 'first' },
    { id: project(2), name: 'second' },
    { id: project(5), name: 'third' },
  ]
  runs = [{ id: 'mine', session_id: project(1) }, { id: 'unsaid' }, { id: 'foreign', session_id: FOREIGN }]
  sent = []
  upstream.respondWith(({ path, body }) => {
    const url = new URL(path, upstream.url)
    const query: Sent['query'] = {}
    for (const [name, value] of url.searchParams) query[name] = [...(query[name] ?? []), value]
    const one = { path: url.pathname, query, body: body ? JSON.parse(body) : {} }
    sent.push(one)
    return { body: answer(one) }
  })
})

function answer({ path, query, body }: Sent): unknown {
  if (path === '/v2/deployments') return { resources: deployments, offset: deployments.length }
  if (path === '/traces/sessions') {
    const [offset, limit] = [Number(query.offset?.[0] ?? 0), Number(query.limit?.[0] ?? 100)]
    return projects.slice(offset, offset + limit)
  }
  if (path.startsWith('/traces/sessions/')) return { id: path.split('/').at(-1) }
  if (path === '/traces/runs/query') {
    const ids = body.id as string[] | undefined
    const some = (runs as { id: string; trace_id?: string }[]).filter(
      ({ id, trace_id }) => (!ids || ids.includes(id)) && (!body.trace || trace_id === body.trace),
    )
    return { runs: some, cursors: { next: 'more' } }
  }
  if (path.endsWith('/attachment')) return { name: 'picture', base64: '' }
  if (path.startsWith('/traces/traces/')) return { runs, cursors: { next: 'more' } }
  return { version: '1' }
}

const ask = (op: Operation, input: object = {}, actor: Actor = member) =>
  callAny(op, { workspace: slug, ...input }, { actor })
const sentTo = (path: string) => sent.filter((one) => one.path === path)
const lastBody = () => sent.at(-1)?.body
const sessions = (one = sent.at(-1)) => [one?.body.session].flat().sort()

describe('a list of deployments', () => {
  const list = async (query?: object) => (await ask(controlPlane.listDeployments, { query })) as { resources: [] }

  test.each([
    ['all of their own', undefined, `${FIRST},${SECOND},${THIRD}`],
    ['those of their own that are asked for', { deployment_ids: `${OTHER}, ${SECOND} ,x` }, SECOND],
    ['those that are asked for as a list', { deployment_ids: [THIRD, `${OTHER},${FIRST}`] }, `${THIRD},${FIRST}`],
    ['none, if only others are asked for', { deployment_ids: OTHER }, NONE],
  ])('asks for %s', async (_, query, expected) => {
    await list({ ...query, name_contains: 'x', limit: 7 })
    expect(sent[0]?.query).toEqual({ limit: ['7'], offset: ['0'], name_contains: ['x'], deployment_ids: [expected] })
  })

  test('has no others, even if the server returns them', async () => {
    expect(await list()).toMatchObject({ resources: [{ id: FIRST }, { id: SECOND }, { id: THIRD }], offset: 4 })
  })

  test('is complete for a member of the whole workspace', async () => {
    const { resources } = (await ask(controlPlane.listDeployments, {}, await testActor({ [slug]: 'viewer' }))) as {
      resources: []
    }
    expect(resources).toHaveLength(4)
    expect(sent[0]?.query).not.toHaveProperty('deployment_ids')
  })
})

describe('queries of runs and totals', () => {
  test.each([traces.queryTraceRuns, traces.getTraceTotals])(
    '$id asks for the projects of their deployments',
    async (op) => {
      await ask(op, { body: { filter: 'eq(run_type, "llm")' } })
      expect(lastBody()).toEqual({ filter: 'eq(run_type, "llm")', session: expect.any(Array) })
      expect(sessions()).toEqual(OWN)
      await ask(op, { body: { session: [FOREIGN, project(2)] } })
      expect(lastBody()).toEqual({ session: [project(2)] })
      await ask(op, { body: { session: [FOREIGN] } })
      expect(lastBody()).toEqual({ session: [NONE] })
      await ask(op, { body: { session: [] } })
      expect(sessions()).toEqual(OWN)
    },
  )

  test('a page has no runs of other projects, even if the server returns them', async () => {
    expect(await ask(traces.queryTraceRuns, { body: {} })).toMatchObject({
      runs: [{ id: 'mine' }, { id: 'unsaid' }],
      cursors: { next: 'more' },
    })
  })

  test('without a project of their own they ask for none', async () => {
    projects = [{ id: FOREIGN, name: 'other' }]
    deployments = [record(FIRST, 'first')]
    await ask(traces.queryTraceRuns, { body: {} })
    expect(lastBody()?.session).toEqual([NONE])
  })
})

describe('tracing projects', () => {
  const ids = async (query?: object) =>
    ((await ask(traces.listTracingProjects, { query })) as { id: string }[]).map(({ id }) => id)

  test('are those of their deployments, even if the server returns others', async () => {
    projects = [...projects, { id: project(3), name: 'renamed' }]
    expect(await ids({ name_contains: 'x' })).toEqual([project(1), project(2), project(3)])
    expect({ ...sent.at(-1)?.query, id: sent.at(-1)?.query.id?.sort() }).toEqual({ name_contains: ['x'], id: OWN })
    await ids({ id: [FOREIGN, project(1)] })
    expect(sent.at(-1)?.query.id).toEqual([project(1)])
    await ids({ id: project(2) })
    expect(sent.at(-1)?.query.id).toEqual([project(2)])
    await ids({ id: FOREIGN })
    expect(sent.at(-1)?.query.id).toEqual([NONE])
  })

  test('can be read one by one, except those of others', async () => {
    const read = (session_id: string) => ask(traces.getTracingProject, { params: { session_id } })
    expect(await read(project(3))).toMatchObject({ id: project(3) })
    for (const id of [FOREIGN, project(5), project(9)]) {
      sent = []
      expect(await failure(read(id))).toMatchObject({ code: 'not_found' })
      expect(sentTo(`/traces/sessions/${id}`)).toEqual([])
    }
  })

  test('of deployments that do not say theirs are found by name, on any page', async () => {
    const others = Array.from({ length: 150 }, (_, n) => ({ id: project(1_000 + n), name: `other ${n}` }))
    projects = [...others, { id: project(1), name: 'first' }]
    await ask(traces.queryTraceRuns, { body: {} })
    expect(sessions()).toEqual([project(1), project(3)])
    expect(sentTo('/traces/sessions').map(({ query }) => query)).toEqual([
      { limit: ['100'], offset: ['0'] },
      { limit: ['100'], offset: ['100'] },
    ])
  })

  test('are looked for among the first two thousand', async () => {
    const page = Array.from({ length: 100 }, (_, n) => ({ id: project(1_000 + n), name: `other ${n}` }))
    projects = Array.from({ length: 21 }, () => page).flat()
    await ask(traces.queryTraceRuns, { body: {} })
    expect(sentTo('/traces/sessions')).toHaveLength(20)
  })

  test('are not listed for deployments that all say theirs', async () => {
    deployments = [record(THIRD, 'third', project(3))]
    await ask(traces.queryTraceRuns, { body: {} })
    expect(sentTo('/traces/sessions')).toEqual([])
    expect(lastBody()?.session).toEqual([project(3)])
  })
})

describe('single runs and traces', () => {
  const ofRun = { run_id: 'mine' }

  test('a run of a project of theirs can be read, with its attachments', async () => {
    expect(await ask(traces.getTraceRun, { params: ofRun })).toMatchObject({ id: 'mine' })
    const [check] = sentTo('/traces/runs/query')
    expect(check?.body).toEqual({ id: ['mine'], limit: 1, select: ['id', 'session_id'], session: expect.any(Array) })
    expect(sessions(check)).toEqual(OWN)
    expect(await ask(traces.getTraceAttachment, { params: ofRun, query: { name: 'picture' } })).toMatchObject({
      name: 'picture',
    })
  })

  test.each(['foreign', 'gone'])('a run that is %s cannot', async (run_id) => {
    for (const [op, query] of [
      [traces.getTraceRun, undefined],
      [traces.getTraceAttachment, { name: 'picture' }],
    ] as const) {
      sent = []
      expect(await failure(ask(op, { params: { run_id }, query }))).toMatchObject({ code: 'not_found' })
      expect(sentTo('/traces/runs/query')).toHaveLength(1)
      expect(sentTo(`/traces/runs/${run_id}/attachment`)).toEqual([])
    }
  })

  test('a run that turns out to be of another project is not returned', async () => {
    let reads = 0
    upstream.respondWith(({ path, body }) => {
      const one = { path, query: {}, body: body ? JSON.parse(body) : {} }
      const session_id = one.body.id && ++reads > 1 ? FOREIGN : project(1)
      return {
        body: one.body.id ? { runs: [{ id: 'mine', session_id }] } : answer({ ...one, path: path.split('?')[0] ?? '' }),
      }
    })
    expect(await failure(ask(traces.getTraceRun, { params: ofRun }))).toMatchObject({ code: 'not_found' })
    expect(reads).toBe(2)
  })

  test('a trace has only the runs that say a project of theirs', async () => {
    runs = runs.map((run) => ({ ...run, trace_id: 't' }))
    const read = (trace_id: string) => ask(traces.listTraceTree, { params: { trace_id } })
    expect(await read('t')).toMatchObject({ runs: [{ id: 'mine' }], cursors: { next: 'more' } })
    expect(((await read('t')) as { runs: [] }).runs).toHaveLength(1)
    expect(sentTo('/traces/runs/query')[0]?.body).toMatchObject({ trace: 't', limit: 1 })
    expect(await failure(read('u'))).toMatchObject({ code: 'not_found' })
    expect(sentTo('/traces/traces/u/runs')).toEqual([])
  })

  test('what the server can do is told to everyone', async () => {
    expect(await ask(traces.getTracingInfo)).toMatchObject({ version: '1' })
    expect(sent.map(({ path }) => path)).toEqual(['/traces/info'])
  })
})

describe('a score', () => {
  const rate = (body: object) => ask(traces.createFeedback, { body: { key: 'good', score: 1, ...body } })
  const checks = () => sentTo('/traces/runs/query').map(({ body }) => body.trace ?? body.id)

  test('is sent for a run of theirs, without a project that it names', async () => {
    await rate({ run_id: 'mine', session_id: FOREIGN })
    expect(lastBody()).toEqual({ key: 'good', score: 1, run_id: 'mine' })
    expect(checks()).toEqual([['mine']])
    await rate({ run_id: 'mine', trace_id: 'mine' })
    expect(lastBody()).toEqual({ key: 'good', score: 1, run_id: 'mine', trace_id: 'mine' })
    expect(checks()).toEqual([['mine'], ['mine']])
  })

  test('may name the trace of their run', async () => {
    runs = runs.map((run) => ({ ...run, trace_id: 't' }))
    await rate({ run_id: 'mine', trace_id: 't' })
    expect(lastBody()).toEqual({ key: 'good', score: 1, run_id: 'mine', trace_id: 't' })
    expect(checks()).toEqual(['t', ['mine']])
  })

  test.each([
    ['a run of others', { run_id: 'foreign' }],
    ['no run', {}],
    ['no run, but a trace', { run_id: null, trace_id: 'mine' }],
    ['the trace of others', { run_id: 'mine', trace_id: 'u' }],
  ])('for %s is not sent', async (_, body) => {
    expect(await failure(rate(body))).toMatchObject({ code: 'not_found' })
    expect(sentTo('/traces/feedback')).toEqual([])
  })
})

describe('what is known of the projects', () => {
  const query = () => ask(traces.queryTraceRuns, { body: {} })
  const looks = () => [sentTo('/v2/deployments').length, sentTo('/traces/sessions').length]

  test('is kept for seconds, by the deployments of the member', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      await query()
      await query()
      expect(looks()).toEqual([1, 1])
      const other = await testActor({ [slug]: { [OTHER]: 'viewer' } })
      await ask(traces.queryTraceRuns, { body: {} }, other)
      expect(lastBody()?.session).toEqual([FOREIGN])
      expect(looks()).toEqual([2, 1])
      vi.setSystemTime(Date.now() + 10_000 - 1)
      await query()
      expect(looks()).toEqual([2, 1])
      vi.setSystemTime(Date.now() + 1)
      await query()
      expect(looks()).toEqual([3, 1])
      adoptTracesPace(PACE) // forgets the responses
      vi.setSystemTime(Date.now() + 20_000)
      await query()
      expect(looks()).toEqual([4, 2])
    } finally {
      vi.useRealTimers()
    }
  })

  test.each(['/v2/deployments', '/traces/sessions'])('is asked again after a failure of %s', async (failing) => {
    let isFailing = true
    upstream.respondWith(({ path, body }) => {
      const url = new URL(path, upstream.url)
      if (isFailing && url.pathname === failing) return { status: 500, body: '' }
      return { body: answer({ path: url.pathname, query: {}, body: body ? JSON.parse(body) : {} }) }
    })
    expect(await failure(query())).toMatchObject({ code: 'upstream_failed' })
    isFailing = false
    expect(await query()).toMatchObject({ runs: [{ id: 'mine' }, { id: 'unsaid' }] })
  })
})
