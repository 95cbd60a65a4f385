import { randomBytes, randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { traces as table } from '@/lib/contracts/traces'
import recorded from './otlp/fixtures/recorded.json' with { type: 'json' }
import { MISSING_ROOT } from './span-links'
import { child, createTracesFixture, run, START, type TracesFixture } from './testing'

// What unmodified clients send: exporters of OpenTelemetry, and SDKs that read what they logged. The requests were recorded by
// scripts/checks/try-tracing-clients.mjs.

let traces: TracesFixture
beforeAll(async () => {
  traces = await createTracesFixture()
}, 60_000)
afterAll(() => traces?.close(), 30_000)

type Json = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: read from responses; a test fails if the shape differs
type Run = any
const hex = (bytes: number) => randomBytes(bytes).toString('hex')
const nanos = (ms: number) => `${(BigInt(START) + BigInt(ms)) * 1_000_000n}`
const spanOf = (
  traceId: string,
  spanId: string,
  parentSpanId: string | undefined,
  name: string,
  ms = 0,
  fields: Json = {},
) => ({
  ...{ traceId, spanId, name, ...(parentSpanId && { parentSpanId }) },
  ...{ startTimeUnixNano: nanos(ms), endTimeUnixNano: nanos(ms + 10), ...fields },
})
const body = (spans: Json[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] })
const send = (project: string, spans: Json[], headers: Record<string, string> = {}) =>
  traces.send('POST', '/otel/v1/traces', body(spans), { 'langsmith-project': project, ...headers })
const runsOf = (project: string): Promise<Run[]> =>
  traces.runs(project, { order: 'asc', select: ['inputs', 'outputs', 'extra', 'parent_run_ids'] })

describe('spans', () => {
  /** A root with two levels below it. */
  const tree = () => {
    const traceId = hex(16)
    const [root, middle, leaf, other] = [hex(8), hex(8), hex(8), hex(8)]
    return [
      spanOf(traceId, root, undefined, 'root', 0, { endTimeUnixNano: nanos(100) }),
      spanOf(traceId, middle, root, 'middle', 1),
      spanOf(traceId, leaf, middle, 'leaf', 2),
      spanOf(traceId, other, root, 'other', 3),
    ]
  }
  test.each<[string, number[][]]>([
    ['at once', [[0, 1, 2, 3]]],
    ['as they end, children first', [[2], [1], [3], [0]]],
    ['parents first', [[0], [1], [2], [3]]],
    [
      'in two halves, twice',
      [
        [2, 3],
        [1, 0],
        [2, 3],
        [1, 0],
      ],
    ],
    ['the middle last', [[0, 2], [3], [1]]],
    ['the middle first', [[1], [0, 2], [3]]],
  ])('make the same tree when they arrive %s', async (name, portions) => {
    const spans = tree()
    for (const portion of portions) {
      const answer = await send(
        name,
        portion.map((index) => spans[index] as Json),
      )
      expect([answer.status, answer.text]).toEqual([200, '{}'])
    }
    const runs = await runsOf(name)
    expect(runs.map((one) => one.name)).toEqual(['root', 'middle', 'leaf', 'other'])
    const [root, middle, leaf, other] = runs
    expect(runs.map((one) => one.parent_run_ids)).toEqual([[], [root.id], [root.id, middle.id], [root.id]])
    expect([root.trace_id, middle.parent_run_id, leaf.parent_run_id, other.parent_run_id]).toEqual([
      ...[root.id, root.id, middle.id, root.id],
    ])
    expect(root).toMatchObject({ latency: 0.1, status: 'success' })
    const listed = (await traces.get(`/traces/${root.id}/runs`)).body.runs
    expect(listed.map((one: Run) => one.name)).toEqual(['root', 'middle', 'leaf', 'other'])
  })

  test('a trace is listed before its root arrives, and one whose root never does', async () => {
    const [root = {}, middle = {}, leaf = {}] = tree()
    await send('early', [leaf])
    await send('early', [middle])
    const roots = () => traces.runs('early', { is_root: true })
    expect(await roots()).toMatchObject([{ name: MISSING_ROOT, latency: 0.011 }])
    await send('early', [root])
    expect(await roots()).toMatchObject([{ name: 'root', latency: 0.1 }])
    expect(await runsOf('early')).toHaveLength(3)
  })

  test('the order of a deep trace does not grow without limit', async () => {
    const traceId = hex(16)
    const ids = Array.from({ length: 150 }, () => hex(8))
    const spans = ids.map((id, n) => spanOf(traceId, id, ids[n - 1], `level ${n}`, n))
    for (const [from, to] of [
      [100, 150],
      [0, 60],
      [60, 100],
    ])
      await send('deep', spans.slice(from, to).reverse())
    const listed = (await traces.get(`/traces/${(await runsOf('deep'))[0].id}/runs`)).body.runs
    expect(listed.map((one: Run) => one.name)).toEqual(spans.map(({ name }) => name))
    const runs = [...(await runsOf('deep')), ...(await traces.runs('deep', { order: 'desc' }))]
    expect(runs.filter((one) => one.dotted_order.length > 65 * 59)).toEqual([])
    expect(runs.find((one) => one.name === 'level 40').dotted_order.split('.')).toHaveLength(41)
  })

  test('a cycle of parents ends', async () => {
    const traceId = hex(16)
    const [one, two] = [hex(8), hex(8)]
    await send('cycle', [spanOf(traceId, one, two, 'one')])
    expect((await send('cycle', [spanOf(traceId, two, one, 'two', 1)])).status).toBe(200)
    expect((await runsOf('cycle')).map(({ name }) => name).sort()).toEqual([MISSING_ROOT, 'one', 'two'])
  })

  test.each<[string, string, keyof typeof recorded, Record<string, string>]>([
    ['protobuf', '/otel/v1/traces', 'aiSdk', { 'content-type': 'application/x-protobuf' }],
    ['protobuf without a content type', '/api/v1/otel/v1/traces', 'aiSdkLegacy', {}],
    ['compressed protobuf', '/api/otel/v1/traces', 'openllmetry', { 'content-encoding': 'gzip' }],
    ['JSON under another content type', '/v1/traces', 'jsonChild', { 'content-type': 'text/plain' }],
  ])('%s at %s', async (name, path, request, headers) => {
    const raw = Buffer.from(recorded[request].body, 'base64')
    const content = headers['content-encoding'] ? gzipSync(raw) : raw
    const response = await fetch(traces.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${traces.apiKey}`, 'langsmith-project': name, ...headers },
      body: content as unknown as BodyInit,
    })
    const isJson = request === 'jsonChild'
    expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual(
      isJson ? [200, 'application/json', '{}'] : [200, 'application/x-protobuf', ''],
    )
    const [first] = await traces.runs(name, { run_type: isJson ? 'tool' : 'llm', order: 'asc' })
    if (isJson) expect(first).toMatchObject({ name: 'add', status: 'error' })
    else
      expect(first).toMatchObject({ inputs_preview: 'How is the weather in Rome?', total_tokens: expect.any(Number) })
  })

  test('some without ids are told as rejected, and the rest is stored', async () => {
    const whole = spanOf(hex(16), hex(8), undefined, 'whole')
    const answer = await send('partly', [whole, { ...whole, spanId: 'none' }])
    expect([answer.status, answer.body]).toEqual([
      200,
      { partialSuccess: { rejectedSpans: 1, errorMessage: 'body: 1 spans have no valid trace and span id' } },
    ])
    expect(await runsOf('partly')).toMatchObject([{ name: 'whole' }])
  })

  test.each<[string, number, BodyInit, Record<string, string>, RegExp]>([
    ['no key', 401, '{}', { 'x-api-key': '' }, /Give an API key/],
    ['another key', 403, '{}', { 'x-api-key': 'other' }, /not valid/],
    ['no protobuf', 400, 'no protobuf', {}, /no OTLP trace request/],
    ['no JSON', 400, '{', {}, /JSON decode error/],
    ['no gzip', 400, '{}', { 'content-encoding': 'gzip' }, /decompressed/],
  ])('%s is refused with %i and a reason', async (_, status, content, headers, reason) => {
    const response = await fetch(`${traces.url}/otel/v1/traces`, {
      method: 'POST',
      headers: { 'x-api-key': traces.apiKey, 'content-type': 'application/x-protobuf', ...headers },
      body: content,
    })
    expect([response.status, await response.text()]).toEqual([status, expect.stringMatching(reason)])
  })
})

describe('SDKs', () => {
  const project = 'read'
  let root: ReturnType<typeof run>
  beforeAll(async () => {
    root = run({
      session_name: project,
      name: 'agent',
      tags: ['one'],
      extra: { metadata: { team: 'a', size: 5 } },
      inputs: { big: 1 },
    })
    const leaf = child(root, { session_name: project, name: 'leaf', run_type: 'tool', error: 'no' }, 5)
    const model = child(
      root,
      {
        session_name: project,
        name: 'model',
        run_type: 'llm',
        outputs: { usage_metadata: { input_tokens: 4, output_tokens: 2 } },
      },
      6,
    )
    await traces.post('/runs/batch', { post: [root, leaf, model] })
  }, 20_000)
  const query = async (asked: Json) => {
    const { id } = await traces.project(project)
    return (await traces.post('/runs/query', { session: [id], ...asked })).body.runs
  }

  test('the select of listRuns and list_runs, with 250 runs at once and an example as text', async () => {
    // As JavaScript sends it; Python sends the same without the nulls.
    const select = ['app_path', 'dotted_order', 'feedback_stats', 'inputs', 'parent_run_ids', 's3_urls', 'extra']
    const asked = { start_time: null, error: true, execution_order: undefined, select, limit: 250 }
    const [found, ...others] = await query(asked)
    expect(others).toEqual([])
    expect(found).toMatchObject({ name: 'leaf', parent_run_ids: [root.id], feedback_stats: {}, error: 'no' })
    expect(await query({ reference_example: randomUUID() })).toEqual([])
    expect(await query({ filter: `eq(reference_example_id, "${randomUUID()}")` })).toEqual([])
  })

  test('a run has what both SDKs need of it', async () => {
    const { body: one } = await traces.get(`/runs/${root.id}`)
    expect(one).toMatchObject({
      trace_id: root.id,
      dotted_order: root.dotted_order,
      stored_attachments: [],
      parent_run_ids: [],
    })
    // Python's model of a run is given this field by its caller, and would refuse it twice.
    expect(one).not.toHaveProperty('attachments')
    const bare = run({ session_name: project, dotted_order: undefined, trace_id: undefined, run_type: 'parser' })
    await traces.post('/runs', bare)
    expect((await traces.get(`/runs/${bare.id}`)).body.dotted_order).toBe(`20260101T000000000001Z${bare.id}`)
  })

  test.each([
    ['eq(metadata_key, "team")', ['agent']],
    ['and(eq(metadata_key, "team"), eq(metadata_value, "a"))', ['agent']],
    ['and(eq(metadata_key, "team"), eq(metadata_value, "5"))', []],
    ['and(eq(metadata_key, "size"), in(metadata_value, ["4", "5"]))', ['agent']],
    ['like(metadata_key, "te%")', ['agent']],
    ['eq(feedback_key, "rated")', ['agent', 'leaf']],
    ['and(eq(feedback_key, "rated"), gte(feedback_score, 0.5))', ['leaf']],
    ['and(eq(feedback_key, "rated"), eq(feedback_value, "fine"), eq(name, "agent"))', ['agent']],
    ['or(eq(feedback_score, 0.25), eq(run_type, "llm"))', ['agent', 'model']],
  ])('filter %s', async (filter, names) => {
    const [leaf] = await query({ run_type: 'tool' })
    const ids = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b']
    await traces.post('/feedback', { id: ids[0], run_id: root.id, key: 'rated', score: 0.25, value: 'fine' })
    await traces.post('/feedback', { id: ids[1], run_id: leaf.id, key: 'rated', score: true })
    const found = await query({ filter, order: 'asc' })
    expect(found.map((one: Run) => one.name)).toEqual(names)
    const { id } = await traces.project(project)
    expect((await traces.post('/runs/stats', { session: [id], filter })).body.run_count).toBe(names.length)
    // A trace filter looks at the root's own feedback, not at that of the run in question.
    if (filter === 'or(eq(feedback_score, 0.25), eq(run_type, "llm"))')
      expect(await query({ trace_filter: 'eq(feedback_score, 1)' })).toEqual([])
  })

  test('statistics by the filters of getRunStats', async () => {
    const { id } = await traces.project(project)
    const count = async (asked: Json) =>
      (await traces.post('/runs/stats', { session: [id], data_source_type: 'current', ...asked })).body.run_count
    expect(await count({ id: [root.id] })).toBe(1)
    expect(await count({ parent_run: root.id })).toBe(2)
    expect(await count({ trace: root.id, tree_filter: 'eq(name, "leaf")' })).toBe(3)
    expect(await count({ tree_filter: 'eq(name, "nothing")' })).toBe(0)
  })

  test('feedback is listed, read, changed and deleted', async () => {
    const id = randomUUID()
    const source = { type: 'model', metadata: {} }
    const rating = { id, run_id: root.id, key: 'helpful', score: 0.5, comment: 'hm', feedback_source: source }
    expect((await traces.post('/feedback', rating)).status).toBe(202)
    const list = async (asked: string) => (await traces.get(`/feedback?limit=100&offset=0&${asked}`)).body as Json[]
    expect(await list(`run=${root.id}&key=helpful&source=model`)).toMatchObject([
      {
        id,
        run_id: root.id,
        score: 0.5,
        value: null,
        session_id: root.session_id ?? expect.any(String),
        created_at: expect.any(String),
      },
    ])
    for (const other of [`run=${randomUUID()}`, 'key=other&key=none', 'source=api&key=helpful'])
      expect(await list(other)).toEqual([])
    const changed = await traces.send('PATCH', `/feedback/${id}`, { score: 1, comment: null, unknown: 5 })
    expect(changed.body).toMatchObject({ score: 1, comment: null, key: 'helpful' })
    expect(Date.parse(changed.body.modified_at)).toBeGreaterThan(Date.parse(changed.body.created_at) - 1)
    expect((await traces.get(`/runs/${root.id}`)).body.feedback_stats.helpful).toMatchObject({
      n: 1,
      avg: 1,
      values: {},
    })
    expect((await traces.send('DELETE', `/feedback/${id}`)).status).toBe(200)
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect((await traces.send(method, `/feedback/${id}`, method === 'PATCH' ? {} : undefined)).status).toBe(404)
  })

  test('a project with statistics; counts are those of traces', async () => {
    const { id } = await traces.project(project)
    const all = await query({ is_root: true })
    const stats = {
      run_count: all.length,
      error_rate: 0,
      total_tokens: 6,
      feedback_stats: { rated: { n: 2, avg: 0.625 } },
    }
    const one = (await traces.get(`/sessions/${id}?limit=1&include_stats=True`)).body
    expect(one).toMatchObject({ id, latency_p50: expect.any(Number), reference_dataset_id: null, ...stats })
    const listed = (await traces.get(`/sessions?id=${id}&id=${randomUUID()}&include_stats=true&reference_free=true`))
      .body
    expect(listed).toMatchObject([stats])
    expect((await traces.get(`/sessions/${id}`)).body).not.toHaveProperty('run_count')
    const again = await traces.send('POST', '/sessions?upsert=True', { name: project, num_examples: 5 })
    expect([again.status, again.body.id]).toEqual([200, id])
  })

  test('version 2: selected fields in upper case, by cursor, and one run', async () => {
    const { id } = await traces.project(project)
    const ask = async (asked: Json) => (await traces.post('/api/v2/runs/query', { project_ids: [id], ...asked })).body
    const selects = [
      'NAME',
      'RUN_TYPE',
      'STATUS',
      'PARENT_RUN_IDS',
      'IS_ROOT',
      'LATENCY_SECONDS',
      'METADATA',
      'INPUTS',
      'SHARE_URL',
    ]
    const min_start_time = new Date(START - 1).toISOString()
    const page = await ask({ selects, min_start_time, run_type: 'TOOL', has_error: true })
    expect(page).toEqual({
      items: [
        {
          ...{ id: expect.any(String), name: 'leaf', run_type: 'TOOL', status: 'ERROR', parent_run_ids: [root.id] },
          ...{ is_root: false, latency_seconds: 0.999999, metadata: {}, inputs: {} },
        },
      ],
      next_cursor: null,
    })
    const first = await ask({ min_start_time, page_size: 1 })
    expect(Object.keys(first.items[0])).toEqual(['id'])
    const second = await ask({ min_start_time, page_size: 1, cursor: first.next_cursor })
    expect(second.items[0].id).not.toBe(first.items[0].id)
    // The last day, unless runs are named.
    expect([(await ask({})).items, (await ask({ ids: [root.id] })).items]).toEqual([[], [{ id: root.id }]])
    const one = `/api/v2/runs/${root.id}?selects=INPUTS&selects=NAME&start_time=&project_id=`
    expect((await traces.get(one + id)).body).toEqual({ id: root.id, name: 'agent', inputs: { big: 1 } })
    expect((await traces.get(one + randomUUID())).status).toBe(404)
  })

  test.each([
    ['PUT', '/runs/{}/share', 404],
    ['POST', '/api/v2/runs/{}/share', 404],
    ['GET', '/public/{}/run', 404],
    ['POST', '/public/{}/runs/query', 404],
    ['POST', '/api/v2/public/{}/runs/query', 404],
    ['GET', '/runs/{}/share', 200],
    ['DELETE', '/runs/{}/share', 204],
  ])('no links are shared: %s %s', async (method, path, status) => {
    const answer = await traces.send(
      method,
      path.replace('{}', root.id),
      method === 'GET' || method === 'DELETE' ? undefined : {},
    )
    expect(answer.status).toBe(status)
    if (status === 404) expect(answer.body.detail).toContain('no public links')
    else expect(answer.text).toBe(status === 200 ? 'null' : '')
  })

  test.each(['POST', 'GET'])('no links for feedback are made: %s', async (method) => {
    const answer = await traces.send(method, '/feedback/tokens', method === 'POST' ? { run_id: root.id } : undefined)
    expect(answer.status).toBe(404)
    expect(answer.body.detail).toContain('no public links for feedback')
  })
})

test.each(Object.values(table))(
  '$id: unknown fields, blank values and a missing content type are no reason to refuse',
  async (row) => {
    const id = randomUUID()
    const path = row.path.replace(/\{\w+\}/g, id)
    const bodies: Record<string, Json> = {
      createTraceRun: run({ id: randomUUID() }),
      createTracingProject: { name: id },
      createFeedback: { key: 'k', run_id: id },
    }
    const hasBody = row.method === 'POST' || row.method === 'PATCH'
    const response = await fetch(
      `${traces.url}${path}?limit=&offset=&include_stats=&unknown=1&name=${row.id === 'getTraceAttachment' ? 'x' : ''}`,
      {
        method: row.method,
        headers: { 'x-api-key': traces.apiKey },
        // Bytes, because fetch gives a text a content type.
        ...(hasBody && {
          body: new TextEncoder().encode(JSON.stringify({ ...bodies[row.id], unknown_field: { a: 1 } })),
        }),
      },
    )
    // The multipart form is told by its content type alone.
    if (row.id === 'createTraceRunMultipart') expect(response.status).toBe(400)
    else expect([200, 202, 204, 404]).toContain(response.status)
  },
)
