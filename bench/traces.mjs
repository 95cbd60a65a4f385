// The embedded platform's tracing API over HTTP: runs and bytes per second at the intake; a large tree, totals and
// lists over many runs, each against the same database alone (a COPY-like insert of the raw bytes; a count by the same
// index); and the page of such a tree. `BENCH_RUNS` (1,000,000) and `BENCH_TREE` (25,000) set the sizes;
// `BENCH_ONLY=page` or `store` selects a part.

import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { performance } from 'node:perf_hooks'
import { gzipSync } from 'node:zlib'
import { sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import { build } from 'esbuild'
import pg from 'pg'
import { root } from '../scripts/bootstrap.mjs'
import { startPostgres } from '../scripts/postgres.mjs'
import { startPlatform } from './platform.mjs'
import { tracePage } from './traces-page.mjs'

const COUNT = Number(process.env.BENCH_RUNS ?? 1_000_000)
const TREE = Number(process.env.BENCH_TREE ?? 25_000)
const BATCHES = Number(process.env.BENCH_BATCHES ?? 40)
const BATCH = 100
const BOUNDARY = '----bench'
// Recent, so that the platform's retention does not remove it.
const START = Date.now() - (COUNT + 3600) * 1000

/** @returns one row per figure. */
export async function measure() {
  const { BENCH_ONLY: only } = process.env
  return [
    ...(only === 'page' ? [] : await backend()),
    ...(only === 'store' ? [] : await tracePage(logTree, logLarge, row)),
  ]
}

async function backend() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-bench-'))
  const databaseFolder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-bench-')) // separate, because the server may run as another user
  const database = await startPostgres(databaseFolder, { say: () => {} })
  let platform
  const client = new pg.Client({ connectionString: database.url })
  try {
    platform = await startPlatform(path.join(folder, 'data'), database.url)
    await client.connect()
    const rows = [...(await intake(platform, client)), ...(await tree(platform)), ...(await totals(platform, client))]
    const status = readFileSync(`/proc/${platform.pid}/status`, 'utf8')
    rows.push(row('memory of the platform', 'MB', [Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024]))
    return rows
  } finally {
    await client.end()
    await platform?.stop()
    await database.stop()
    for (const one of [folder, databaseFolder]) rmSync(one, { recursive: true, force: true })
  }
}

const request = async ({ url, apiKey }, method, resource, body, headers = {}) => {
  const response = await fetch(url + resource, { method, body, headers: { 'x-api-key': apiKey, ...headers } })
  const text = await response.text()
  if (!response.ok) throw new Error(`${resource}: ${response.status} ${text.slice(0, 500)}`)
  return text
}
const ask = (platform, resource, body) =>
  request(platform, 'POST', resource, JSON.stringify(body), { 'content-type': 'application/json' })

const orderOf = (id, n) => `${new Date(START + n).toISOString().replace(/[-:.]/g, '').replace('Z', '000Z')}${id}`
const words = (count) => Array.from({ length: count }, () => randomBytes(4).toString('hex')).join(' ')

/** A typical chat model run, about 4 kB. */
function logged(n, parent) {
  const id = randomUUID()
  const own = orderOf(id, n)
  return {
    id,
    name: 'model',
    run_type: 'llm',
    start_time: new Date(START + n).toISOString(),
    end_time: START + n + 900,
    trace_id: parent?.trace_id ?? id,
    dotted_order: parent ? `${parent.dotted_order}.${own}` : own,
    ...(parent && { parent_run_id: parent.id }),
    session_name: 'bench',
    tags: ['seq:step:1'],
    inputs: {
      messages: [[{ lc: 1, type: 'constructor', id: ['messages', 'HumanMessage'], kwargs: { content: words(200) } }]],
    },
    outputs: {
      generations: [
        [
          {
            message: {
              lc: 1,
              kwargs: { content: words(150), usage_metadata: { input_tokens: 200, output_tokens: 150 } },
            },
          },
        ],
      ],
    },
    events: [{ name: 'new_token', time: new Date(START + n + 200).toISOString() }],
    extra: { metadata: { ls_model_name: `m${n % 3}`, ls_provider: 'p', thread_id: `t${n % 100}` } },
  }
}

function multipart(runs) {
  const parts = runs.flatMap(({ inputs, outputs, events, extra, ...main }) =>
    Object.entries({ '': main, '.inputs': inputs, '.outputs': outputs, '.events': events, '.extra': extra }).map(
      ([field, value]) => {
        const text = JSON.stringify(value)
        return `--${BOUNDARY}\r\nContent-Disposition: form-data; name="post.${main.id}${field}"\r\nContent-Type: application/json; length=${Buffer.byteLength(text)}\r\n\r\n${text}\r\n`
      },
    ),
  )
  return Buffer.from(`${parts.join('')}--${BOUNDARY}--\r\n`)
}

async function intake(platform, client) {
  await client.query('create table raw (id uuid primary key, body jsonb)')
  const rates = []
  const peers = []
  let bytes = 0
  for (let round = 0; round < 3; round += 1) {
    const batches = Array.from({ length: BATCHES }, (_, b) => {
      const runs = Array.from({ length: BATCH }, (_, n) => logged((round * BATCHES + b) * BATCH + n))
      return { runs, plain: multipart(runs) }
    })
    const packed = batches.map(({ plain }) => gzipSync(plain))
    bytes = batches.reduce((sum, { plain }) => sum + plain.length, 0)
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}`, 'content-encoding': 'gzip' }
    let at = performance.now()
    // Four at a time, the SDK's default.
    const queue = [...packed]
    const send = async () => {
      for (let body = queue.pop(); body; body = queue.pop())
        await request(platform, 'POST', '/runs/multipart', body, headers)
    }
    await Promise.all([send(), send(), send(), send()])
    rates.push((BATCHES * BATCH) / ((performance.now() - at) / 1000))
    at = performance.now()
    for (const { runs } of batches)
      await client.query('insert into raw select (one ->> $2)::uuid, one from jsonb_array_elements($1::jsonb) one', [
        JSON.stringify(runs),
        'id',
      ])
    peers.push((BATCHES * BATCH) / ((performance.now() - at) / 1000))
  }
  await client.query('drop table raw')
  const session = await sessionOf(platform, 'bench')
  const { run_count } = JSON.parse(await ask(platform, '/runs/stats', { session: [session] }))
  const sent = 3 * BATCHES * BATCH
  const perRun = bytes / (BATCHES * BATCH)
  return [
    {
      ...row('intake, multipart with gzip', 'runs/s', rates, peers, 'insert of the raw JSON alone'),
      mb_per_s: Number(((median(rates) * perRun) / 1e6).toFixed(1)),
      bytes_per_run: Math.round(perRun),
      lost: Math.max(0, sent - run_count),
      doubled: Math.max(0, run_count - sent),
    },
  ]
}

const sessionOf = async (platform, name) => JSON.parse(await request(platform, 'GET', `/sessions?name=${name}`))[0].id

/**
 * One trace in a project: a chain of a hundred, with the others below its members. Each batch is made just before it is
 * sent: making all of them first blocks for so long on a busy machine that the server closes the idle connection.
 */
async function logTree(platform, project) {
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  const chain = []
  for (let at = 0; at < TREE; at += 500) {
    const runs = Array.from({ length: Math.min(500, TREE - at) }, (_, index) => {
      const n = at + index
      const parent = chain[n < 100 ? n - 1 : n % 100]
      const run = { ...logged(n, parent), session_name: project, ...(n > 0 && { inputs: {}, outputs: {} }) }
      if (n < 100) chain.push(run)
      return run
    })
    await request(platform, 'POST', '/runs/multipart', multipart(runs), headers)
  }
  return { trace: chain[0].id, size: TREE }
}

/** One run of a long conversation: many messages, and a single one of megabytes. */
async function logLarge(platform, project) {
  const message = (text) => ({
    lc: 1,
    type: 'constructor',
    id: ['messages', 'HumanMessage'],
    kwargs: { content: text },
  })
  const run = logged(0)
  const messages = [message(words(300_000)), ...Array.from({ length: 500 }, () => message(words(1000)))]
  const large = { ...run, session_name: project, inputs: { messages: [messages] } }
  const body = multipart([large])
  const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
  await request(platform, 'POST', '/runs/multipart', body, headers)
  return { trace: run.id, size: `${Math.round(body.length / 1e6)} MB` }
}

async function tree(platform) {
  const { trace } = await logTree(platform, 'tree')
  const first = []
  const whole = []
  let found = 0
  for (let round = 0; round < 5; round += 1) {
    const began = performance.now()
    found = 0
    for (let cursor = ''; ; ) {
      const page = JSON.parse(
        await request(
          platform,
          'GET',
          `/traces/${trace}/runs?limit=${found === 0 ? 200 : 5000}${cursor && `&cursor=${cursor}`}`,
        ),
      )
      if (found === 0) first.push(performance.now() - began)
      found += page.runs.length
      cursor = page.cursors.next
      if (!cursor) break
    }
    whole.push(performance.now() - began)
  }
  return [
    row(`tree of ${TREE}: first rows`, 'ms', first),
    { ...row(`tree of ${TREE}: all`, 'ms', whole), lost: TREE - found },
  ]
}

async function totals(platform, client) {
  await client.query(
    `with project as (insert into platform.tracing_projects (name) values ('many') returning id)
     insert into platform.trace_runs (id, trace_id, parent_id, project_id, name, run_type, start_time, end_time, first_token_time, error, model, prompt_tokens, completion_tokens, total_tokens, tags, finish_reason, metadata, inputs_preview, outputs_preview)
     select gen_random_uuid(), md5((n / 10)::text)::uuid, case when n % 10 > 0 then gen_random_uuid() end, project.id, 'run ' || n % 50,
       case when n % 10 = 5 then 'llm' else 'chain' end, to_timestamp($2::float8 / 1000) + n * interval '1 second', to_timestamp($2::float8 / 1000) + n * interval '1 second' + (n % 1000) * interval '7 ms',
       case when n % 10 = 5 then to_timestamp($2::float8 / 1000) + n * interval '1 second' + interval '90 ms' end, case when n % 97 = 0 then 'failed' end, 'm' || n % 3, 100, 50, 150,
       array['t' || n % 5], case when n % 10 = 5 then case when n % 70 = 5 then 'length' else 'stop' end end, jsonb_build_object('team', 't' || n % 20), repeat(md5(n::text), 6), repeat(md5(n::text), 6)
     from generate_series(1, $1::int) n, project`,
    [COUNT, START],
  )
  await client.query('vacuum analyze platform.trace_runs')
  const session = [await sessionOf(platform, 'many')]
  const plans = await explainTotals(client, session)
  const last = new Date(START + COUNT * 1000 - 3_600_000).toISOString()
  const calls =
    'and(or(eq(run_type, "llm"), eq(run_type, "embedding")), like(model, "%M1%"), eq(finish_reason, "length"))'
  const price = { input: 1, output: 2, cache_read: 1, cache_write: 1, cache_write_1h: 1, reasoning: 2 }
  const cost = { min: 0.0001, prices: ['m0', 'm1', 'm2'].map((model) => ({ ...price, model })) }
  const asked = {
    [`totals of ${COUNT}`]: ['/runs/stats', { session }],
    // A million runs of a second each are eleven days.
    [`totals of ${COUNT} by hour`]: ['/runs/stats', { session, bucket_seconds: 3600 }],
    [`totals of the roots of ${COUNT} by hour`]: ['/runs/stats', { session, is_root: true, bucket_seconds: 3600 }],
    [`totals of the models of ${COUNT} by hour, with what has no cost`]: [
      '/runs/stats',
      { session, run_type: 'llm', bucket_seconds: 3600, model_usage: true, other_costs: true },
    ],
    'totals of the last hour by minute': ['/runs/stats', { session, start_time: last, bucket_seconds: 60 }],
    'list of roots': ['/runs/query', { session, is_root: true, limit: 50 }],
    'list of errors': ['/runs/query', { session, error: true, limit: 50 }],
    'list of roots of all projects': ['/runs/query', { is_root: true, limit: 50 }],
    'list of roots by a model call below': ['/runs/query', { session, is_root: true, tree_filter: calls, limit: 50 }],
    [`totals of the roots of ${COUNT} by a model call below`]: [
      '/runs/stats',
      { session, is_root: true, tree_filter: calls, bucket_seconds: 3600 },
    ],
    'list of roots by cost': ['/runs/query', { session, is_root: true, cost, limit: 50 }],
    [`totals of the roots of ${COUNT} by cost`]: ['/runs/stats', { session, is_root: true, cost }],
    [`totals of ${COUNT} in groups by model`]: ['/runs/stats', { session, is_model: true, group_by: 'model' }],
    [`totals of ${COUNT} in groups by name`]: ['/runs/stats', { session, is_root: true, group_by: 'name' }],
    [`totals of ${COUNT} in groups by tag`]: ['/runs/stats', { session, is_root: true, group_by: 'tag' }],
    [`totals of ${COUNT} with what to filter by`]: ['/runs/stats', { session, facets: true }],
    'list by filter': ['/runs/query', { session, filter: 'and(eq(name, "run 7"), gt(latency, 5))', limit: 50 }],
  }
  const rows = [plans]
  for (const [name, [resource, body]] of Object.entries(asked)) {
    const times = []
    const peers = []
    for (let round = -1; round < 5; round += 1) {
      let at = performance.now()
      await ask(platform, resource, body)
      if (round >= 0) times.push(performance.now() - at)
      at = performance.now()
      await client.query('select count(*), sum(total_tokens) from platform.trace_runs where project_id = $1', session)
      if (round >= 0) peers.push(performance.now() - at)
    }
    rows.push(
      name.startsWith(`totals of ${COUNT}`)
        ? row(name, 'ms', times, peers, 'count and sum alone')
        : row(name, 'ms', times),
    )
  }
  return rows
}

/** Prints the database's plans of the totals' actual statements. Returns how many use only an index. */
async function explainTotals(client, session) {
  const bundle = path.join(root, '.build/bench-queries.mjs') // where its imports can be resolved
  const entryPoints = [path.join(root, 'platform/traces/totals.ts')]
  await build({ entryPoints, outfile: bundle, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
  const { otherCostsStatement, totalsStatement, usageStatement } = await import(bundle)
  const inProject = sql`project_id = ${session[0]}::uuid`
  const statements = {
    totals: totalsStatement([inProject]),
    'totals by hour': totalsStatement([inProject], 3600),
    'totals of the roots by hour': totalsStatement([inProject, sql`parent_id is null`], 3600),
    'what of the models has no cost': usageStatement([inProject], 3600),
    'what others cost': otherCostsStatement([inProject], 3600),
  }
  const whole = await client.query(
    'select count(*)::int as runs from platform.trace_runs where project_id = $1',
    session,
  )
  let byIndex = 0
  for (const [name, statement] of Object.entries(statements)) {
    const { sql: text, params } = new PgDialect().sqlToQuery(statement)
    const { rows } = await client.query(
      `explain (analyze, costs off, timing off, summary on, buffers off) ${text}`,
      params,
    )
    const plan = rows.map((one) => one['QUERY PLAN']).join('\n')
    // Whether a chain's cost counts depends on the runs below it, so that statement reads rows too.
    const index =
      name === 'what others cost' ? /Index Scan using trace_runs_other_costs/ : /Index Only Scan using trace_runs_/
    if (index.test(plan) && !/Seq Scan|Bitmap/.test(plan)) byIndex++
    console.error(`\nEXPLAIN of ${name}, ${whole.rows[0].runs} runs\n${plan}`)
  }
  const count = Object.keys(statements).length
  const id = `plans over ${whole.rows[0].runs} runs that use their index`
  return { ...row(id, `of ${count}`, [byIndex]), goal: `= ${count}` }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

function row(id, unit, values, peers, peerName) {
  const ours = median(values)
  const peer = peers && median(peers)
  return {
    id: `traces ${id}`,
    ours: Number(ours.toFixed(1)),
    ...(peer && { peer: Number(peer.toFixed(1)), peer_name: peerName, ratio: Number((ours / peer).toFixed(2)) }),
    unit,
    min: Number(Math.min(...values).toFixed(1)),
    max: Number(Math.max(...values).toFixed(1)),
    rounds: values.length,
  }
}
