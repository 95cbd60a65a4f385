// What recordings take on disk, with indexes, TOAST and dead rows: bytes stored per recorded byte while recording, after
// packing and after retention; and what retention costs the store while 200 runs record. Measures the recorder's own
// store (writer, packing, retention) on a database of its own, without the console around it.
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadSources } from '../../scripts/checks/load-sources.mjs'
import { startTestDatabase } from '../../scripts/start-test-database.mjs'
import { byTurns, median, row, SCALE } from '../live/rounds.mjs'
import { newDatabase } from './replaced.mjs'
import { auditGrowth, runGrowth } from './runs.mjs'
import { traceGrowth } from './traces.mjs'

const RUNS = 200
/** Events per second of a run. */
const RATE = 25
const SECONDS = 10 * SCALE
/** Of the first runs: long enough that their first rows have been packed. */
const LONG_SECONDS = 180 * SCALE
/** Runs follow each other: room is used again. */
const WAVES = 4
const INSTANCE = 7
const WORKSPACE = 'bench'
const DAY_MS = 86_400_000
/** Expired recordings per turn of the cost of retention, and their size. */
const EXPIRED = Math.round(500 * SCALE)
const EXPIRED_EVENTS = 400

const SOURCES = [
  "export { adoptStore, db } from './lib/server/process/db'",
  "export { adoptEnv } from './lib/server/process/env'",
  "export { RecordingLog } from './lib/server/recorder/log/recording-log'",
  "export { Writer } from './lib/server/recorder/writer'",
  "export { insertRecording, renewLeases, updateRecording } from './lib/server/recorder/store'",
  "export { packLive, packSegments } from './lib/server/recorder/packed/pack'",
  "export { deleteExpired } from './lib/server/recorder/retention'",
  "export { log } from './lib/server/process/log'",
  "export { audit } from './lib/server/process/schema'",
  "export { removeRows } from './lib/server/audit/prune'",
  "export { recordIntent, recordOutcome } from './lib/server/audit/trail'",
]

const letters = (count) =>
  Array.from({ length: count }, () => 'abcdefghijklmnopqrstuvwxyz '[Math.floor(Math.random() * 27)]).join('')
/** What a model streams, and text in which nothing repeats. */
const KINDS = {
  messages: (n, run) => [
    'messages',
    JSON.stringify([
      { content: letters(5), additional_kwargs: {}, response_metadata: {}, type: 'AIMessageChunk', id: `run-${run}` },
      { langgraph_step: 1, langgraph_node: 'model', thread_id: run, n, ls_provider: 'openai', ls_model_name: 'large' },
    ]),
  ],
  'random text': (n) => ['custom', JSON.stringify({ n, text: letters(120) })],
}

/** @returns one row per kind and moment, the cost of retention, and what the audit trail, rows of runs and traces take. */
export async function measure() {
  const ours = await loadSources('growth', SOURCES)
  ours.log.info = () => {} // among the rows of the bench
  const server = startTestDatabase()
  try {
    const rows = []
    for (const [kind, eventOf] of Object.entries(KINDS)) {
      const store = await openStore(ours, await server.url)
      rows.push(...(await sizes(ours, store, kind, eventOf)))
      await store.close()
    }
    for (const one of [cost, auditGrowth]) {
      const store = await openStore(ours, await server.url)
      rows.push(await one(ours, store))
      await store.close()
    }
    rows.push(await runGrowth(await server.url), await traceGrowth(await server.url))
    return rows
  } finally {
    await server.stop()
  }
}

let databases = 0
/** A database that the console has adopted. */
async function openStore(ours, server) {
  const { url, client } = await newDatabase(server, `growth_${++databases}`)
  const data = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-growth-'))
  ours.adoptEnv({ DATABASE_URL: url, NEXTAUTH_SECRET: 'x'.repeat(32), PILOTHOUSE_DATA: data })
  await ours.adoptStore(url)
  await ours.db()
  return {
    client,
    query: async (text, values) => (await client.query(text, values)).rows,
    close: async () => {
      await client.end()
      await ours.adoptStore(undefined)
      rmSync(data, { recursive: true })
    },
  }
}

/** What the recorder's tables take, as `Settings → Retention` shows it. */
async function sizeOf(store) {
  const [{ bytes }] = await store.query(`
    select (pg_total_relation_size('console.recordings') + (
      select sum(pg_total_relation_size(relid)) from pg_partition_tree('console.segments')))::float8 as bytes`)
  return bytes
}

async function insert(ours) {
  const id = randomUUID()
  await ours.insertRecording({
    ...{ id, workspace: WORKSPACE, deployment: 'one', assistant: 'agent', startedBy: 'bench', request: '{"input":{}}' },
    ...{ isStateless: false, isResumable: true, owner: INSTANCE },
  })
  return id
}

/**
 * Records 200 runs at once for some seconds, as if it were `at`. Returns their logs, and milliseconds from each chunk to its
 * commit. `look` is called with the logs when `SECONDS` are over.
 */
async function record(
  ours,
  eventOf,
  {
    seconds = SECONDS,
    at = new Date(),
    look,
  } = /** @type {{ seconds?: number, at?: Date, look?: (logs: any[]) => unknown }} */ ({}),
) {
  const waits = []
  const sent = new Map()
  const lost = []
  const writer = new ours.Writer(INSTANCE, {
    onStored: (id, last) => {
      const queue = sent.get(id) ?? []
      while (queue[0]?.last <= last) waits.push(performance.now() - queue.shift().at)
    },
    onLost: (id) => lost.push(id),
    hasOthers: () => false,
  })
  const logs = []
  for (let n = 0; n < RUNS; n += 1) {
    const id = await insert(ours)
    const log = new ours.RecordingLog({ id, workspace: WORKSPACE }, [], { phase: 'live', last: 0, totalBytes: 0 })
    sent.set(id, [])
    log.onChunk = (chunk) => {
      sent.get(id).push({ last: chunk.last, at: performance.now() })
      writer.add({ recording: id, chunk, lastEventId: String(chunk.last) })
    }
    logs.push(log)
  }
  let packing = Promise.resolve()
  const renewing = setInterval(() => {
    const live = logs.map(({ id, last, totalBytes }) => ({ id, entries: last, bytes: totalBytes, phase: 'live' }))
    void ours.renewLeases(INSTANCE, live)
    packing = packing.then(() => ours.packLive(logs, { at }))
  }, 4000)
  const looking = sleep(SECONDS * 1000).then(() => look?.(logs))
  const events = Math.round(RATE * seconds)
  const began = performance.now()
  await Promise.all(
    logs.map(async (log, index) => {
      for (let n = 1; n <= events; n += 1) {
        const due = began + ((n - 1 + index / RUNS) * 1000) / RATE
        await sleep(Math.max(0, due - performance.now()))
        const [event, data] = eventOf(n, log.id)
        log.append({ at: Date.now(), kind: 'event', event, id: String(n), data })
      }
    }),
  )
  clearInterval(renewing)
  await Promise.all([packing, looking])
  for (const log of logs) {
    log.seal()
    await writer.flushed(log.id)
  }
  if (lost.length > 0) throw new Error(`${lost.length} recordings were lost.`)
  return { logs, waits: waits.toSorted((a, b) => a - b) }
}

async function end(ours, store, logs, at = new Date()) {
  for (const { id, last, totalBytes } of logs) {
    const done = { phase: 'ended', outcome: 'success', endedAt: at, entries: last, bytes: totalBytes, owner: null }
    await ours.updateRecording(id, done, { instance: INSTANCE, isOwner: true })
    await ours.packSegments(id, at)
    await store.query('update console.recordings set lease_until = $2 where id = $1', [id, at])
  }
}

const bytesOf = (logs) => logs.reduce((sum, { totalBytes }) => sum + totalBytes, 0)

async function sizes(ours, store, kind, eventOf) {
  const empty = await sizeOf(store)
  const at = new Date(Date.now() - 40 * DAY_MS)
  let recorded = 0
  let [young, live] = [0, 0]
  for (let wave = 0; wave < WAVES; wave += 1) {
    const share = async (/** @type {any[]} */ logs) => ((await sizeOf(store)) - empty) / bytesOf(logs)
    const isFirst = wave === 0
    const { logs } = await record(ours, eventOf, {
      ...{ at, seconds: isFirst ? LONG_SECONDS : SECONDS },
      look: async (first) => {
        if (isFirst) young = await share(first)
      },
    })
    if (isFirst) live = await share(logs)
    recorded += bytesOf(logs)
    await end(ours, store, logs, at)
    // Otherwise the server does so by itself, within a minute.
    await store.query('vacuum console.segments_live')
    await store.query('vacuum console.recordings')
  }
  const packed = (await sizeOf(store)) / recorded
  const [{ lost }] = await store.query(
    'select (select sum(entries) from console.recordings)::int - sum(last_seq - first_seq + 1)::int as lost from console.segments',
  )
  await ours.deleteExpired()
  await store.query('vacuum console.recordings')
  const left = ((await sizeOf(store)) - empty) / recorded
  const recorded_mb = Math.round(recorded / 1e6)
  const figure = (name, value, more = {}) =>
    row(`growth ${name}, ${kind}`, 'bytes stored per recorded byte', { rounds: [{ ours: value }] }, more)
  return [
    figure(`in the first ${SECONDS} s of a recording`, young),
    figure(`while recording, after ${LONG_SECONDS} s`, live, { goal: '<= 1.3' }),
    figure('after packing', packed, { goal: '<= 1.3', recorded_mb, lost }),
    figure('after retention', left),
  ]
}

/** Recordings that have expired: half in a week of their own, half among others that have not. */
async function fillExpired(ours, store) {
  const at = (days) => new Date(Date.now() - days * DAY_MS)
  for (let n = 0; n <= EXPIRED; n += 1) {
    const days = n % 2 ? 80 : 50
    const id = await insert(ours)
    await store.query(
      `insert into console.segments (recording, first_seq, last_seq, body)
       select $1, n, n, 'event ' || n || ' ' || md5(n::text) || repeat(' and more', 10) from generate_series(1, $2::int) n`,
      [id, EXPIRED_EVENTS],
    )
    await ours.packSegments(id, at(days))
    // The last one is kept, so its week is.
    const endedAt = n === EXPIRED ? new Date() : at(days)
    await store.query(
      `update console.recordings set phase = 'ended', ended_at = $2, lease_until = $2, owner = null where id = $1`,
      [id, endedAt],
    )
  }
  await store.query('vacuum analyze console.segments_live')
}

async function cost(ours, store) {
  const quantile = (waits, share) => waits[Math.floor(waits.length * share)]
  let deleted = 0
  const sides = { without: false, ours: true }
  const seen = await byTurns(
    sides,
    { count: 3, canary: 'without', read: ({ mean }) => mean, slack: 1 },
    async (isOn) => {
      if (isOn) await fillExpired(ours, store)
      const recording = record(ours, KINDS.messages)
      await sleep(SECONDS * 300)
      const began = performance.now()
      if (isOn) deleted += await ours.deleteExpired()
      const took = performance.now() - began
      const { logs, waits } = await recording
      await end(ours, store, logs)
      return {
        mean: waits.reduce((sum, one) => sum + one, 0) / waits.length,
        p99: quantile(waits, 0.99),
        most: waits.at(-1),
        took,
      }
    },
  )
  return row(`growth: storing ${RUNS} runs x ${RATE}/s while ${EXPIRED} recordings expire`, 'ms to commit', seen, {
    ...{ peer: 'without', name: 'without retention', of: ({ mean }) => mean, goal: '<= 1.25 x' },
    p99: median(seen.rounds.map((round) => Math.round(round.ours.p99))),
    peer_p99: median(seen.rounds.map((round) => Math.round(round.without.p99))),
    retention_ms: median(seen.rounds.map((round) => Math.round(round.ours.took))),
    deleted,
  })
}
