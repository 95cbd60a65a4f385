import { randomBytes, randomUUID } from 'node:crypto'
import zlib, { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../testing/platform-fixture'
import { MultipartReader } from './multipart'
import {
  BOUNDARY,
  child,
  createTracesFixture,
  multipartBody,
  type Parts,
  run,
  START,
  type TracesFixture,
} from './testing'

let traces: TracesFixture
beforeAll(async () => {
  traces = await createTracesFixture()
}, 60_000)
afterAll(() => traces?.close(), 30_000)

const read = async (id: string) => (await traces.get(`/runs/${id}`)).body
/** Undefined on Node.js 20. */
const { zstdCompressSync } = zlib as { zstdCompressSync?: (body: Buffer) => Buffer }
type Pack = [encoding: string | undefined, pack: (body: Buffer) => Buffer]
const PACKS: Pack[] = [
  [undefined, (body) => body],
  ['gzip', gzipSync],
  ...(zstdCompressSync ? [['zstd', zstdCompressSync] satisfies Pack] : []),
]
const llm = {
  run_type: 'llm',
  inputs: { messages: [[{ role: 'user', content: 'How much is 1+2?' }]], model: 'other' },
  extra: { metadata: { ls_model_name: 'gpt-5', ls_provider: 'openai', thread_id: 't1' }, runtime: { sdk: 'x' } },
  tags: ['a', 'b'],
}
const end = {
  end_time: START + 1500,
  outputs: { message: { role: 'assistant', content: 'Three' }, usage_metadata: { input_tokens: 5, output_tokens: 7 } },
  events: [{ name: 'new_token', time: new Date(START + 250).toISOString() }],
}
const facts = {
  status: 'success',
  model: 'gpt-5',
  provider: 'openai',
  thread_id: 't1',
  prompt_tokens: 5,
  total_tokens: 12,
  total_cost: null,
  inputs_preview: 'How much is 1+2?',
  outputs_preview: 'Three',
  tags: ['a', 'b'],
  latency: 1.499999,
  first_token: 0.249999,
}

test.each([
  ['3 MB of one word', { q: 'x'.repeat(3_000_000) }, 'x'.repeat(300)],
  [
    'a long text without spaces',
    { q: '東京の天気は晴れです。'.repeat(100), model: 'm' },
    '東京の天気は晴れです。'.repeat(28).slice(0, 300),
  ],
  ['a picture with its question', { pictures: ['A'.repeat(5000)], q: 'Which harbour?' }, 'Which harbour?'],
  ['a picture alone', { picture: `data:image/png;base64,${'A'.repeat(5000)}` }, null],
])('preview of %s', async (_, inputs, preview) => {
  const one = run({ inputs })
  expect((await traces.post('/runs', one)).status).toBe(202)
  expect((await traces.get(`/runs/${one.id}`)).body.inputs_preview).toBe(preview)
})

describe('multipart', () => {
  test('accepts every kind of part, compressed or not', async () => {
    for (const [encoding, pack] of PACKS) {
      const { inputs, extra, ...main } = run(llm)
      const picture = randomBytes(1000)
      const body = multipartBody([
        [`post.${main.id}`, { ...main, end_time: undefined }],
        [`post.${main.id}.inputs`, inputs],
        [`post.${main.id}.extra`, extra],
        [`post.${main.id}.serialized`, { lc: 1 }],
        [`patch.${main.id}`, { id: main.id, end_time: end.end_time }],
        [`patch.${main.id}.outputs`, end.outputs],
        [`patch.${main.id}.events`, end.events],
        [`attachment.${main.id}.picture`, picture, `image/png; length=${picture.length}`],
        [`feedback.${randomUUID()}`, { run_id: main.id, trace_id: main.id, key: 'good', score: 1 }],
        [`feedback.${randomUUID()}`, { trace_id: main.id, key: 'of the trace', comment: 'Fine' }],
      ])
      const response = await traces.multipart(pack(body), encoding ? { 'content-encoding': encoding } : {})
      expect([response.status, response.text]).toEqual([202, expect.any(String)])
      expect(await read(main.id)).toMatchObject({
        ...facts,
        inputs: llm.inputs,
        outputs: end.outputs,
        events: end.events,
        extra,
        serialized: { lc: 1 },
        stored_attachments: [{ name: 'picture', content_type: 'image/png', size: 1000 }],
        feedback: [
          { key: 'good', score: 1 },
          { key: 'of the trace', comment: 'Fine' },
        ],
      })
      const { body: attachment } = await traces.get(`/runs/${main.id}/attachment?name=picture`)
      expect(attachment).toEqual({ name: 'picture', content_type: 'image/png', base64: picture.toString('base64') })
      for (const path of [`${main.id}/attachment?name=other`, `${randomUUID()}/attachment?name=picture`])
        expect((await traces.get(`/runs/${path}`)).status).toBe(404)
    }
  })

  test('parses the same wherever the network splits it', () => {
    const parts: Parts = [
      ['post.a', { text: `\r\n--${BOUNDARY.slice(0, 10)}` }],
      ['post.b', Buffer.from('')],
      ['attachment.a.b', Buffer.from(`\r\n--${BOUNDARY}x \r\n--`)],
      ['post.c', randomBytes(300)],
    ]
    const body = multipartBody(parts)
    const expected = parts.map(([, value]) => (Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value))))
    fc.assert(
      fc.property(fc.array(fc.nat(body.length), { maxLength: 30 }), (cuts) => {
        const found: Buffer[] = []
        const reader = new MultipartReader(BOUNDARY, (part) => found.push(part.data), 1e6)
        const places = [0, ...cuts.sort((a, b) => a - b), body.length]
        for (let at = 1; at < places.length; at++) reader.push(body.subarray(places[at - 1], places[at]))
        reader.end()
        expect(found).toEqual(expected)
      }),
      { numRuns: 100 },
    )
  })

  test.runIf(zstdCompressSync)('is offered with zstd, of which broken bytes are refused', async () => {
    expect((await traces.get('/info')).body).toMatchObject({ instance_flags: { zstd_compression_enabled: true } })
    const packed = zstdCompressSync?.(multipartBody([[`post.${randomUUID()}`, {}]])) ?? Buffer.of()
    for (const broken of [packed.subarray(0, -20), Buffer.from('no zstd at all')]) {
      const { status, body } = await traces.multipart(broken, { 'content-encoding': 'zstd' })
      expect([status, body.detail]).toEqual([400, expect.stringMatching(/decompressed|ends/)])
    }
  })
  test.skipIf(zstdCompressSync)('is not offered with zstd where Node.js has none', async () => {
    expect((await traces.get('/info')).body).toMatchObject({ instance_flags: { zstd_compression_enabled: false } })
    expect((await traces.multipart(Buffer.from('x'), { 'content-encoding': 'zstd' })).status).toBe(415)
  })

  test.each<[string, (good: Buffer, id: string) => Buffer, Record<string, string>, number, RegExp]>([
    ['a body that breaks off', (body) => body.subarray(0, body.length - 30), {}, 400, /ends inside of part/],
    [
      'packed bytes that break off',
      (body) => gzipSync(Buffer.concat([body, randomBytes(99_000)])).subarray(0, -20),
      { 'content-encoding': 'gzip' },
      400,
      /decompressed|ends/,
    ],
    [
      'a wrong length',
      (body) => Buffer.from(body.toString().replace(/length=2\b/, 'length=3')),
      {},
      422,
      /its length says 3/,
    ],
    [
      'a part that is no JSON',
      (body) => Buffer.from(body.toString().replace('{}', '{]')),
      {},
      422,
      /JSON decode error/,
    ],
  ])('%s: complete parts are stored, the rest is reported', async (_, spoil, headers, status, detail) => {
    const one = run({ name: 'kept' })
    const { inputs, ...main } = one
    const body = multipartBody([
      [`post.${one.id}`, main],
      [`post.${one.id}.serialized`, { a: 'b' }],
      [`post.${one.id}.inputs`, {}],
    ])
    const response = await traces.multipart(spoil(body, one.id), headers)
    expect(response.status).toBe(status)
    expect(JSON.stringify(response.body.detail)).toMatch(detail)
    expect(await read(one.id)).toMatchObject({ name: 'kept', serialized: { a: 'b' } })
  })

  test.each<[string, string, Record<string, string>, number]>([
    ['another encoding', 'x', { 'content-encoding': 'br' }, 415],
    ['no boundary', 'x', { 'content-type': 'multipart/form-data' }, 400],
    ['no multipart', '{}', { 'content-type': 'application/json' }, 400],
    ['no gzip', 'x', { 'content-encoding': 'gzip' }, 400],
  ])('%s is refused with a reason', async (_, body, headers, status) => {
    const response = await traces.multipart(Buffer.from(body), headers)
    expect([response.status, typeof response.body.detail]).toEqual([status, 'string'])
  })

  test('reports unknown parts and invalid ids by name', async () => {
    const response = await traces.multipart([
      ['post.1', {}],
      [`post.${randomUUID()}.wishes`, {}],
      [`feedback.${randomUUID()}`, 5],
    ])
    expect(response.status).toBe(422)
    expect(response.body.detail).toHaveLength(3)
  })
})

describe('a run is the same', () => {
  const pieces = (id: string) => {
    const one = run({ ...llm, id, end_time: undefined })
    const patch = { id, trace_id: id, dotted_order: one.dotted_order, ...end }
    return {
      post: () => traces.post('/runs/batch', { post: [one] }),
      patch: () => traces.post('/runs/batch', { patch: [patch] }),
    }
  }
  test.each([
    ['post, patch', ['post', 'patch']],
    ['patch, post', ['patch', 'post']],
    ['all twice', ['post', 'patch', 'post', 'patch']],
    ['the patch first and last', ['patch', 'post', 'patch']],
    ['all at once', ['both']],
  ])('after %s', async (_, order) => {
    const id = randomUUID()
    const { post, patch } = pieces(id)
    for (const what of order) {
      const responses =
        what === 'both'
          ? await Promise.all([post(), patch(), post(), patch()])
          : [await (what === 'post' ? post() : patch())]
      for (const response of responses) expect(response.status).toBe(202)
    }
    expect(await read(id)).toMatchObject({
      ...facts,
      inputs: llm.inputs,
      outputs: end.outputs,
      session_id: (await traces.project('tests')).id,
    })
    expect(await traces.runs('tests', { id: [id] })).toHaveLength(1)
  })

  test('after an outdated patch arrives late', async () => {
    const one = run()
    await traces.post('/runs', { ...one, end_time: undefined })
    const patch = (fields: Record<string, unknown>) => traces.send('PATCH', `/runs/${one.id}`, fields)
    await patch({ end_time: START + 2000, outputs: { a: 'last' } })
    await patch({ end_time: START + 1000, outputs: { a: 'first' }, error: 'told only here' })
    expect(await read(one.id)).toMatchObject({ latency: 1.999999, status: 'error', error: 'told only here' })
  })
})

describe('other ways in', () => {
  test('POST and PATCH of one run; older SDKs leave out the trace, which follows from the parent', async () => {
    const [root, middle, leaf] = [randomUUID(), randomUUID(), randomUUID()]
    const bare = (id: string, parent?: string) => ({
      id,
      name: 'old',
      run_type: 'chain',
      start_time: START,
      ...(parent && { parent_run_id: parent }),
      inputs: {},
    })
    for (const one of [bare(leaf, middle), { ...bare(root), session_name: 'old' }, bare(middle, root)])
      expect((await traces.post('/runs', one)).status).toBe(202)
    expect(
      (await traces.send('PATCH', `/runs/${leaf}`, { error: 'Error: no\n  at x', end_time: String(START + 5) })).status,
    ).toBe(202)
    expect(await read(leaf)).toMatchObject({
      trace_id: root,
      status: 'error',
      latency: 0.005,
      error: 'Error: no\n  at x',
    })
  })

  test.each(['its id', 'its name'])('a project known by %s is deleted while a run of it arrives', async (by) => {
    await traces.post('/runs', run({ session_name: 'leaving' }))
    const { id } = await traces.project('leaving')
    const client = new pg.Client({ connectionString: traces.fixture.database.url })
    await client.connect()
    try {
      await client.query('begin')
      await client.query('delete from platform.tracing_projects where id = $1', [id])
      const late = run(by === 'its id' ? { session_id: id, session_name: undefined } : { session_name: 'leaving' })
      const sent = traces.post('/runs', late)
      const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()"
      await waitFor('the write waits', async () => (await client.query(waiting)).rowCount === 1)
      await client.query('commit')
      // An unknown id is reported, and the run is kept in the default project.
      expect((await sent).status).toBe(by === 'its id' ? 422 : 202)
      const project = await traces.project(by === 'its id' ? 'default' : 'leaving')
      expect(project.id).not.toBe(id)
      expect(await read(late.id)).toMatchObject({ session_id: project.id })
    } finally {
      await client.end()
    }
  })

  test('unusual values are stored unchanged', async () => {
    const text = `{"id":"${randomUUID()}","name":"a\\u0000b\\ud800","session_name":"odd","start_time":"soon","end_time":-5,"trace_id":null,
      "inputs":{"id":12345678901234567890,"nul":"\\u0000"},"extra":{"metadata":{"big":12345678901234567890,"nul\\u0000":"\\ud83d"}}}`
    const { id } = JSON.parse(text)
    const response = await traces.send('POST', '/runs', text)
    expect(response.text).toContain('ingested')
    const stored = await traces.get(`/runs/${id}`)
    expect(stored.text).toContain('"inputs":{"id":12345678901234567890,"nul":"\\u0000"}')
    expect(stored.text).toContain('"big":12345678901234567890')
    expect(stored.body).toMatchObject({ name: 'a\uFFFDb\uFFFD', start_time: null, trace_id: id })
  })

  test.each<[string, unknown, number | null]>([
    ['a number', START + 5, 0.004999],
    ['a number as text', String(START + 5), 0.004999],
    ['ISO text', new Date(START + 5).toISOString(), 0.004999],
    ['ISO text without a zone, with microseconds', '2026-01-01T00:00:00.005250', 0.005249],
    ['a time before the start: kept, and no latency', START - 60_000, null],
  ])('an end that is %s', async (_, end_time, latency) => {
    const one = run({ end_time })
    expect((await traces.post('/runs', one)).status).toBe(202)
    const stored = await read(one.id)
    expect(stored).toMatchObject({ status: 'success', latency })
    if (latency === null) expect(Date.parse(stored.end_time)).toBe(end_time)
  })

  test('a run whose parent never arrives is stored with its reference', async () => {
    const lost = child({ ...run(), id: randomUUID() }, { name: 'lost' })
    expect((await traces.post('/runs', lost)).status).toBe(202)
    expect((await traces.get(`/traces/${lost.trace_id}/runs`)).body.runs).toMatchObject([
      { name: 'lost', parent_run_id: lost.parent_run_id },
    ])
  })

  test('130 levels and 5 MB of one run', async () => {
    let deep: unknown = 'end'
    for (let n = 0; n < 130; n++) deep = { level: [deep] }
    const one = run({ inputs: { deep, data: randomBytes(2_500_000).toString('hex') } })
    expect((await traces.post('/runs/batch', { post: [one] })).status).toBe(202)
    expect(await read(one.id)).toMatchObject({ inputs: one.inputs as object })
  })

  test.each<[string, string, string | object, number]>([
    ['no JSON', '/runs/batch', '{', 400],
    ['a list', '/runs/batch', '[]', 422],
    ['a post that is none', '/runs/batch', { post: 5 }, 422],
    ['no id', '/runs', { name: 'a' }, 422],
    ['feedback without a key', '/feedback', { run_id: randomUUID() }, 422],
  ])('%s to %s %j is refused', async (_, path, body, status) => {
    const response = await traces.send('POST', path, body as never)
    expect(response.status).toBe(status)
    expect(response.body.detail).toBeTruthy()
  })

  test('feedback whose id is none gets one, and its run stays readable', async () => {
    const one = run()
    const { id } = one
    await traces.post('/runs/batch', { post: [one] })
    const given = { id: ['a'], run_id: id, trace_id: [], key: 'good', score: 1 }
    expect((await traces.post('/feedback', given)).status).toBe(202)
    const found = await read(id)
    expect(found.feedback).toMatchObject([{ id: expect.stringMatching(/^[0-9a-f-]{36}$/), key: 'good', score: 1 }])
    expect((await traces.get('/feedback')).body).toContainEqual((found.feedback as unknown[])[0])
  })

  test('responds under the prefix of other SDK versions and reports its limits', async () => {
    for (const prefix of ['', '/api/v1'])
      expect((await traces.get(`${prefix}/info`)).body).toMatchObject({
        batch_ingest_config: { use_multipart_endpoint: true, size_limit_bytes: 20971520 },
        instance_flags: { gzip_body_enabled: true },
      })
    expect((await traces.get('/runs')).status).toBe(405)
    expect((await traces.get('/traces')).status).toBe(404)
  })

  test('refuses requests without a key', async () => {
    expect((await traces.send('GET', '/sessions', undefined, { 'x-api-key': '' })).status).toBe(401)
    // One SDK asks for the limits without its key.
    expect((await traces.send('GET', '/info', undefined, { 'x-api-key': '' })).status).toBe(200)
    expect((await traces.send('POST', '/runs', {}, { 'x-api-key': 'wrong' })).status).toBe(403)
    const forged = `traces_${randomUUID()}_${'0'.repeat(64)}`
    expect((await traces.send('POST', '/runs', {}, { 'x-api-key': forged })).status).toBe(403)
  })
})

test('accepts a batch of 20 MB and stores its runs completely', async () => {
  const noise = randomBytes(50_000).toString('base64')
  const root = run({ session_name: 'large' })
  const runs = Array.from({ length: 299 }, (_, n) => child(root, { session_name: 'large', inputs: { noise, n } }, n))
  const parts: Parts = [root, ...runs].flatMap(({ inputs, ...main }: Record<string, unknown>) => [
    [`post.${main.id}`, main],
    [`post.${main.id}.inputs`, inputs],
  ])
  const body = multipartBody(parts)
  expect(body.length).toBeGreaterThan(19_000_000)
  expect((await traces.multipart(body)).status).toBe(202)
  const tree = await traces.get(`/traces/${root.id}/runs?limit=1000`)
  expect(tree.body.runs).toHaveLength(300)
}, 30_000)
