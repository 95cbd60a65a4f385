import { createRequire } from 'node:module'
import { AIMessage } from '@langchain/core/messages'
import { LangChainTracer } from '@langchain/core/tracers/tracer_langchain'
import { FakeListChatModel } from '@langchain/core/utils/testing'
import { Annotation, Command, interrupt, MemorySaver, START, StateGraph } from '@langchain/langgraph'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { readRun } from '@/lib/traces/read-run'
import { waitFor } from '../testing/platform-fixture'
import { createTracesFixture, type TracesFixture } from './testing'

// The tracing SDK of the runtime, against the intake: every run is stored once, and no other host is contacted.

const fromCore = createRequire(createRequire(import.meta.url).resolve('@langchain/core/messages'))
const { Client } = fromCore('langsmith') as typeof import('langsmith')
const { traceable } = fromCore('langsmith/traceable') as typeof import('langsmith/traceable')
const { wrapOpenAI } = fromCore('langsmith/wrappers/openai') as typeof import('langsmith/wrappers/openai')
const { wrapAnthropic } = fromCore('langsmith/wrappers/anthropic') as typeof import('langsmith/wrappers/anthropic')

let traces: TracesFixture
const contacted = new Set<string>()
/** How runs were sent, such as `POST /runs/multipart gzip`. */
const ways = new Set<string>()
const realFetch = globalThis.fetch
beforeAll(async () => {
  traces = await createTracesFixture()
}, 60_000)
afterAll(() => traces?.close(), 30_000)
beforeEach(() => {
  contacted.clear()
  ways.clear()
  globalThis.fetch = (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : String(input))
    contacted.add(origin)
    const encoding = new Headers(init?.headers).get('content-encoding')
    const path = pathname.replace(/[0-9a-f-]{36}$/, 'id')
    if (/^\/runs(?!\/query)/.test(path)) ways.add([init?.method, path, encoding].filter(Boolean).join(' '))
    return realFetch(input, init)
  }
})
afterEach(() => {
  globalThis.fetch = realFetch
  expect([...contacted]).toEqual([traces.url])
})

const clientOf = (options: { autoBatchTracing?: boolean } = {}) =>
  new Client({ apiUrl: traces.url, apiKey: traces.apiKey, callerOptions: { maxRetries: 0 }, ...options })
const byName = (runs: { name: string }[]) => runs.map((run) => run.name).sort()

test.each([
  ['multipart with gzip', 'both', {}, undefined, ['POST /runs/multipart gzip']],
  ['multipart without gzip', 'plain', {}, 'gzip_body_enabled', ['POST /runs/multipart']],
  ['batch', 'batch', {}, 'use_multipart_endpoint', ['POST /runs/batch']],
  ['one by one', 'single', { autoBatchTracing: false }, undefined, ['PATCH /runs/id', 'POST /runs']],
])(
  'traceable, %s: a tree of runs, each once, errors with their message',
  async (_, project, options, without, sent) => {
    const client = clientOf(options)
    if (without) {
      const info = (await traces.get('/info')).body
      info.instance_flags.gzip_body_enabled = false
      if (without === 'use_multipart_endpoint') info.batch_ingest_config.use_multipart_endpoint = false
      // What the SDK would have requested; the field is private.
      Object.assign(client as object, { _serverInfo: info })
    }
    const shared = { client, project_name: project, tracingEnabled: true }
    const inner = traceable(async (n: number) => ({ doubled: n * 2 }), { ...shared, name: 'inner', run_type: 'tool' })
    const failing = traceable(async () => Promise.reject(new Error('not today')), { ...shared, name: 'failing' })
    const outer = traceable(
      async (question: string) => {
        for (let n = 0; n < 20; n++) await inner(n)
        await failing().catch(() => {})
        return `answer to ${question}`
      },
      { ...shared, name: 'outer', tags: ['one'], metadata: { team: 'a' } },
    )
    await outer('what?')
    await client.awaitPendingTraceBatches()
    await waitFor('every run has ended', async () => {
      const runs = await traces.runs(project)
      return runs.length >= 22 && runs.every((run) => run.status !== 'pending')
    })
    expect([...ways].sort()).toEqual(sent)
    const runs = await traces.runs(project, { select: ['inputs', 'outputs', 'extra'] })
    expect(byName(runs)).toEqual(['failing', ...Array<string>(20).fill('inner'), 'outer'])
    const root = runs.find((run) => run.name === 'outer')
    expect(root).toMatchObject({
      inputs: { input: 'what?' },
      outputs: { outputs: 'answer to what?' },
      status: 'success',
      tags: ['one'],
    })
    expect(root.extra.metadata).toMatchObject({ team: 'a' })
    expect(runs.every((run) => run.trace_id === root.id && run.latency !== null)).toBe(true)
    expect(runs.find((run) => run.name === 'failing')).toMatchObject({
      status: 'error',
      error: expect.stringContaining('not today'),
    })
    const tree = (await traces.get(`/traces/${root.id}/runs`)).body.runs
    expect(tree.map((run: { name: string }) => run.name)).toEqual([
      'outer',
      ...Array<string>(20).fill('inner'),
      'failing',
    ])
  },
)

test('wrapOpenAI around our own client: model, provider, tokens, messages', async () => {
  const client = clientOf()
  const response = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-5-2026',
    choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Three', refusal: null } }],
    usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 },
  }
  const fake = {
    chat: { completions: { create: async () => response } },
    completions: { create: async () => response },
  }
  const openai = wrapOpenAI(fake as never, {
    client,
    project_name: 'openai',
    tracingEnabled: true,
  }) as unknown as typeof fake & {
    chat: { completions: { create(body: object): Promise<unknown> } }
  }
  await openai.chat.completions.create({ model: 'gpt-5', messages: [{ role: 'user', content: '1+2?' }] })
  await client.awaitPendingTraceBatches()
  const [run, ...others] = await traces.runs('openai', { select: ['inputs', 'outputs', 'extra'] })
  expect(others).toEqual([])
  expect(run).toMatchObject({
    run_type: 'llm',
    model: 'gpt-5',
    provider: 'openai',
    prompt_tokens: 9,
    completion_tokens: 2,
    inputs_preview: '1+2?',
    outputs_preview: 'Three',
  })
  const { format, inputs, outputs, flaws } = readRun(run)
  expect([format, inputs?.length, outputs?.[0]?.blocks[0], flaws]).toMatchObject([
    'completions',
    1,
    { text: 'Three' },
    [],
  ])
})

test('wrapAnthropic around our own client', async () => {
  const client = clientOf()
  const response = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-x',
    content: [{ type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } }],
    stop_reason: 'tool_use',
    usage: { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 90 },
  }
  const fake = {
    messages: { create: async () => response, stream: () => {} },
    completions: { create: async () => response },
  }
  const anthropic = wrapAnthropic(fake as never, {
    client,
    project_name: 'anthropic',
    tracingEnabled: true,
  }) as unknown as {
    messages: { create(body: object): Promise<unknown> }
  }
  await anthropic.messages.create({
    model: 'claude-x',
    system: 'Be brief.',
    max_tokens: 9,
    messages: [{ role: 'user', content: '1+2?' }],
  })
  await client.awaitPendingTraceBatches()
  const [run, ...others] = await traces.runs('anthropic', { select: ['inputs', 'outputs', 'extra'] })
  expect(others).toEqual([])
  expect(run).toMatchObject({
    model: 'claude-x',
    prompt_tokens: 100,
    total_tokens: 104,
    prompt_token_details: { cache_read: 90 },
  })
  const { format, inputs, outputs, flaws } = readRun(run)
  expect([format, inputs?.map((one) => one.role), outputs?.[0]?.blocks[0], flaws]).toMatchObject([
    'anthropic',
    ['system', 'user'],
    { type: 'tool_call', id: 'toolu_1', args: { a: 1 } },
    [],
  ])
})

test("the runtime's own tracer: messages as its serialised classes, and the time to the first token", async () => {
  const client = clientOf()
  const tracer = new LangChainTracer({ projectName: 'runtime', client: client as never })
  const model = new FakeListChatModel({ responses: ['Three it is'], sleep: 5 })
  for await (const _ of await model.stream(
    ['1+2?', new AIMessage('Hm')].map((one) => (typeof one === 'string' ? ['user', one] : one)) as never,
    { callbacks: [tracer] },
  ));
  await client.awaitPendingTraceBatches()
  const [run, ...others] = await traces.runs('runtime', { select: ['inputs', 'outputs', 'extra'] })
  expect(others).toEqual([])
  expect(run.first_token).toBeGreaterThan(0)
  expect(run.first_token).toBeLessThanOrEqual(run.latency)
  const { format, inputs, outputs, flaws } = readRun(run)
  expect([format, inputs?.map((one) => one.role), outputs?.[0]?.blocks[0], flaws]).toMatchObject([
    'langchain',
    ['user', 'assistant'],
    { text: 'Three it is' },
    [],
  ])
})

test('a graph that asks a person: its trace and the step are interrupted, and nothing failed', async () => {
  const client = clientOf()
  const tracer = new LangChainTracer({ projectName: 'asking', client: client as never })
  const State = Annotation.Root({ answer: Annotation<string> })
  const inner = new StateGraph(State)
    .addNode('ask', () => ({ answer: interrupt({ question: 'Send it?' }) as string }))
    .addEdge(START, 'ask')
    .compile()
  const graph = new StateGraph(State)
    .addNode('before', () => ({}))
    .addNode('inner', inner)
    .addEdge(START, 'before')
    .addEdge('before', 'inner')
    .compile({ checkpointer: new MemorySaver(), name: 'graph' })
  const config = { callbacks: [tracer], configurable: { thread_id: 'one' } }
  await graph.invoke({ answer: '' }, config)
  await graph.invoke(new Command({ resume: 'yes' }), config)
  await client.awaitPendingTraceBatches()
  await waitFor('both traces have ended', async () => {
    const roots = await traces.runs('asking', { is_root: true })
    return roots.length === 2 && roots.every((run) => run.end_time)
  })
  const [asked, answered] = await traces.runs('asking', { is_root: true, order: 'asc' })
  expect([asked.status, answered.status]).toEqual(['interrupted', 'success'])
  const tree = (await traces.get(`/traces/${asked.id}/runs`)).body.runs as { name: string; status: string }[]
  const statuses = Object.fromEntries(tree.map(({ name, status }) => [name, status]))
  expect(statuses).toMatchObject({ graph: 'interrupted', before: 'success', inner: 'interrupted', ask: 'interrupted' })
  const found = async (filter: string) =>
    (await traces.runs('asking', { is_root: true, filter })).map(({ id }: { id: string }) => id)
  expect(await found('eq(status, "interrupted")')).toEqual([asked.id])
  expect(await found('eq(status, "success")')).toEqual([answered.id])
  expect(await found('in(status, ["error", "pending"])')).toEqual([])
})

test('createProject and updateProject keep what they are given; what they leave out stays', async () => {
  const client = clientOf()
  const made = await client.createProject({ projectName: 'described', description: 'D', metadata: { team: 'a' } })
  expect(made).toMatchObject({ description: 'D', extra: { metadata: { team: 'a' } } })
  const changed = await client.updateProject(made.id, { metadata: { team: 'b' }, endTime: '2026-02-03T04:05:06Z' })
  const kept = { description: 'D', extra: { metadata: { team: 'b' } }, end_time: '2026-02-03T04:05:06.000Z' }
  expect(changed).toMatchObject(kept)
  expect(await client.updateProject(made.id, {})).toMatchObject(kept)
  expect(await client.readProject({ projectName: 'described' })).toMatchObject(kept)
  const again = { projectName: 'described', description: 'E', upsert: true, projectExtra: { tags: ['x'] } }
  expect(await client.createProject(again)).toMatchObject({ id: made.id, description: 'E', extra: { tags: ['x'] } })
  expect(await client.createProject({ projectName: 'described', upsert: true })).toMatchObject({
    description: 'E',
    extra: { tags: ['x'] },
  })
})

test('a hundred concurrent runs from four clients are each stored once', async () => {
  const names = await Promise.all(
    Array.from({ length: 4 }, async (_, c) => {
      const client = clientOf()
      const one = traceable(async (n: number) => ({ n }), {
        client,
        project_name: 'many',
        name: `client ${c}`,
        tracingEnabled: true,
      })
      await Promise.all(Array.from({ length: 25 }, (_, n) => one(n)))
      await client.awaitPendingTraceBatches()
      return Array<string>(25).fill(`client ${c}`)
    }),
  )
  expect(byName(await traces.runs('many'))).toEqual(names.flat().sort())
})
