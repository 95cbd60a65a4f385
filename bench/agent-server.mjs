// Our agent server against the bare npm server (`bench/rivals/langgraph-api`, ten workers unless a row says otherwise):
// same graphs and requests, alternating in the same run; a ratio is ours divided by the rival's. Settings:
// `BENCH_ROUNDS` (3), `BENCH_ONLY` (part of a row's name), `BENCH_RUNS` (10,000).
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../scripts/postgres.mjs'
import { startDeployed, treeMb } from './agent-server/deployed.mjs'
import {
  ask,
  makeDocuments,
  memoryMb,
  newThread,
  peakMb,
  streamRun,
  watchOk,
  writtenBytes,
} from './agent-server/load.mjs'
import { startOurs, startRival } from './agent-server/servers.mjs'
import { ensureRival } from './rivals/ensure.mjs'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const EVENTS = 50_000
const LARGE_THREADS = 6
const LARGE_BYTES = 5_000_000

/** @returns rows with ours, the rival's and their ratio; `goal` where the project holds itself to one. */
export async function measure() {
  ensureRival('langgraph-api')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-bench-'))
  const databaseFolder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-bench-')) // separate, because the server may run as another user
  const database = await startPostgres(databaseFolder, { say: () => {} })
  const start = {
    ours: () => startOurs(folder, database.url),
    rival: (workers) => startRival(folder, workers),
    deployed: () => startDeployed(folder, database.url),
    /** Of all processes of the database. */
    databaseMb: () => treeMb(database.pid),
  }
  try {
    const rows = []
    for (const [name, part] of Object.entries({ speed, gateway, large, lists }))
      if (!process.env.BENCH_ONLY || name === process.env.BENCH_ONLY) rows.push(...(await part(start, database.url)))
    return rows
  } finally {
    await database.stop()
    for (const one of [folder, databaseFolder]) rmSync(one, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Each round on one side, then on the other. */
async function byTurns(sides, rounds, work) {
  const seen = { ours: [], rival: [] }
  for (let round = 0; round < rounds; round += 1)
    for (const side of round % 2 ? ['rival', 'ours'] : ['ours', 'rival']) seen[side].push(await work(sides[side], side))
  return seen
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const short = (value) => Number(value.toPrecision(4))
function row(id, unit, { ours, rival }, more = {}) {
  const made = {
    id: `agent-server ${id}`,
    ours: short(median(ours)),
    peer: short(median(rival)),
    peer_name: 'langgraph-api 1.5.1',
    unit,
    ratio: short(median(ours) / median(rival)),
    rounds: ours.length,
    ...more,
  }
  console.error(`[bench] ${made.id}: ${made.ours} ${unit}, ${made.peer} there, ratio ${made.ratio}`)
  return made
}

async function pair(start, workers) {
  const [ours, rival] = [await start.ours(), await start.rival(workers)]
  return { ours, rival, stop: () => Promise.all([ours.stop(), rival.stop()]) }
}

async function speed(start) {
  const rows = []
  const sides = await pair(start)
  rows.push(row('start', 'ms', { ours: [sides.ours.startMs], rival: [sides.rival.startMs] }))
  await sleep(3000)
  const idle = { ours: [memoryMb(sides.ours.pid)], rival: [memoryMb(sides.rival.pid)] }
  rows.push(row('memory idle', 'MB', idle, { ours_with_database: Math.round(idle.ours[0] + start.databaseMb()) }))
  const custom = (input) => ({ assistant_id: 'burst', input, stream_mode: 'custom' })
  const burst = async (server) => {
    const { events, lastMs } = await streamRun(server, await newThread(server), custom({ events: EVENTS }))
    if (events !== EVENTS) throw new Error(`${events} of ${EVENTS} events came.`)
    return (events / lastMs) * 1000
  }
  await byTurns(sides, 1, burst)
  rows.push(row('50,000 small custom events', 'events/s', await byTurns(sides, ROUNDS, burst), { goal: '>= 1.0 x' }))
  const first = async (server, side) => {
    const thread = await newThread(server)
    await sleep(100)
    const seen = await streamRun(server, thread, custom({ events: 1 }))
    firstOfGraph[side].push(seen.lastMs)
    return seen.firstMs
  }
  const firstOfGraph = { ours: [], rival: [] }
  rows.push(row('first event, idle', 'ms', await byTurns(sides, 30, first), { goal: '<= 15 ms' }))
  rows.push(row('first event of the graph, idle', 'ms', firstOfGraph))
  const wait = async (server) => {
    const began = performance.now()
    await ask(server, 'POST', '/runs/wait', { assistant_id: 'burst', input: {} })
    return performance.now() - began
  }
  rows.push(row('wait for a run of nothing', 'ms', await byTurns(sides, 20, wait)))
  const fifty = async (server) => {
    const threads = await Promise.all(Array.from({ length: 50 }, () => newThread(server)))
    const began = performance.now()
    const seen = await Promise.all(threads.map((thread) => streamRun(server, thread, custom({ wait: 1000 }))))
    if (seen.some(({ events }) => events !== 1)) throw new Error('A run said nothing.')
    return (performance.now() - began) / 1000
  }
  rows.push(row('50 runs of 1 s at once', 's', await byTurns(sides, ROUNDS, fifty), { goal: '<= 2.3 s' }))
  rows.push(
    row('memory at peak, after these', 'MB', { ours: [peakMb(sides.ours.pid)], rival: [peakMb(sides.rival.pid)] }),
  )
  await sides.stop()
  const wide = await pair(start, 50)
  rows.push(
    row('50 runs of 1 s at once', 's', await byTurns(wide, ROUNDS, fifty), {
      peer_name: 'langgraph-api 1.5.1, 50 workers',
    }),
  )
  await wide.stop()
  return rows
}

/** The same server as it is used: behind the gateway and with tracing on; `peer` is our own, bare. */
async function gateway(start) {
  const bare = await start.ours()
  const before = start.databaseMb()
  const deployed = await start.deployed()
  const sides = { ours: deployed, rival: bare }
  const peer = { peer_name: 'ours, bare and without tracing' }
  const custom = (events) => ({ assistant_id: 'burst', input: { events }, stream_mode: 'custom' })
  const exact = { lost: 0, doubled: 0 }
  const timed = (events, read) => async (server) => {
    const seen = await streamRun(server, await newThread(server), custom(events))
    exact.lost += Math.max(0, events - seen.events)
    exact.doubled += Math.max(0, seen.events - events)
    return read(seen)
  }
  const burst = timed(EVENTS, ({ events, lastMs }) => (events / lastMs) * 1000)
  await byTurns(sides, 1, burst)
  const speeds = await byTurns(sides, ROUNDS, burst)
  const firsts = await byTurns(
    sides,
    30,
    timed(1, ({ firstMs }) => firstMs),
  )
  const rows = [
    row('behind the gateway, traced: 50,000 small custom events', 'events/s', speeds, { ...peer, ...exact }),
    row('behind the gateway, traced: first event, idle', 'ms', firsts, { ...peer, ...exact }),
    row(
      'behind the gateway, traced: memory with platform and database',
      'MB',
      { ours: [treeMb(deployed.pid) + start.databaseMb()], rival: [memoryMb(bare.pid) + before] },
      { peer_name: 'ours, bare, with its database' },
    ),
  ]
  await Promise.all([bare.stop(), deployed.stop()])
  return rows
}

async function large(start, databaseUrl) {
  const rows = []
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const documents = makeDocuments(LARGE_BYTES)
  for (const [what, rewrite, goal] of [
    ['a little changed at each step', false, '<= 0.1 x'],
    ['all of it changed at each step', true, undefined],
  ]) {
    const body = JSON.stringify({ assistant_id: 'large', input: { documents, rewrite }, stream_mode: 'custom' })
    const seen = {
      bytes: { ours: [], rival: [] },
      stall: { ours: [], rival: [] },
      peak: { ours: [], rival: [] },
      time: { ours: [], rival: [] },
    }
    for (let round = 0; round < Math.min(3, ROUNDS); round += 1)
      for (const side of ['ours', 'rival']) {
        const server = await start[side]()
        const threads = await Promise.all(Array.from({ length: LARGE_THREADS }, () => newThread(server)))
        const written = await countBytes(side, server, client)
        const probe = watchOk(server)
        await sleep(300)
        const began = performance.now()
        await Promise.all(threads.map((thread) => streamRun(server, thread, body)))
        seen.time[side].push((performance.now() - began) / 1000)
        seen.bytes[side].push((await written()) / 1e6)
        seen.stall[side].push(await probe.stop())
        seen.peak[side].push(peakMb(server.pid))
        const { values } = await ask(server, 'GET', `/threads/${threads[0]}/state`)
        if (values.step !== 4 || values.documents.length !== documents.length)
          throw new Error('The state is not right.')
        await server.stop()
      }
    const name = `6 threads x 5 MB x 4 steps, ${what}`
    rows.push(row(`${name}: written`, 'MB', seen.bytes, { ...(goal && { goal }) }))
    rows.push(row(`${name}: longest wait for /ok`, 'ms', seen.stall, { goal: '<= 0.1 x' }))
    rows.push(row(`${name}: memory at peak`, 'MB', seen.peak))
    rows.push(row(`${name}: all done`, 's', seen.time))
  }
  await client.end()
  return rows
}

/**
 * Bytes written from now until all is stored: by the rival's process, or for ours by the database, with its log and a
 * checkpoint.
 */
async function countBytes(side, server, client) {
  if (side === 'rival') {
    const before = writtenBytes(server.pid)
    return async () => {
      // It writes its file three seconds after the last change or later, which takes seconds.
      let now = writtenBytes(server.pid)
      for (let quiet = 0, tries = 0; tries < 40 && (quiet < 4 || now - before < LARGE_BYTES); tries += 1) {
        await sleep(500)
        const next = writtenBytes(server.pid)
        quiet = next - now < 100_000 ? quiet + 1 : 0
        now = next
      }
      return now - before
    }
  }
  const read = async () => {
    await client.query('checkpoint')
    await sleep(1200) // The database's processes report their counts about once a second. Extending a file, or starting a log file, only reserves space; its content is counted when it is written.
    // Extending a file, or beginning one of the log's, only reserves the place; what comes there is counted when it is written.
    const { rows } = await client.query(
      `select sum(coalesce(write_bytes, 0))::float8 as bytes from pg_stat_io where context <> 'init'`,
    )
    return rows[0].bytes
  }
  const before = await read()
  return async () => (await read()) - before
}

const THREADS = 1000
const RUNS = Number(process.env.BENCH_RUNS ?? 10_000)
const LISTS = {
  'threads, newest 20': ['/threads/search', { limit: 20 }],
  'threads by metadata': ['/threads/search', { limit: 20, metadata: { team: 'b' } }],
  'threads by status': ['/threads/search', { limit: 20, status: 'busy' }],
  'threads by values': ['/threads/search', { limit: 20, values: { said: 1 } }],
  'threads, 100 at the end by time of change': ['/threads/search', { limit: 100, offset: 900, sort_by: 'updated_at' }],
  'threads counted by metadata': ['/threads/count', { metadata: { team: 'b' } }],
}

async function lists(start) {
  const sides = await pair(start)
  const threads = {}
  for (const [side, server] of Object.entries({ ours: sides.ours, rival: sides.rival })) {
    threads[side] = await inTurn(THREADS, (n) => newThread(server, { team: 'abcdefghij'[n % 10], number: n }))
    // One in five has run; all have waiting runs.
    await inTurn(THREADS / 5, (n) =>
      streamRun(server, threads[side][n * 5], { assistant_id: 'burst', input: {}, stream_mode: 'custom' }),
    )
    const waiting = { assistant_id: 'burst', input: {}, after_seconds: 86_400, multitask_strategy: 'enqueue' }
    await inTurn(RUNS - THREADS / 5, (n) => ask(server, 'POST', `/threads/${threads[side][n % THREADS]}/runs`, waiting))
  }
  const rows = []
  const timed = (work) => async (server, side) => {
    const began = performance.now()
    await work(server, side)
    return performance.now() - began
  }
  for (const [name, [path, body]] of Object.entries(LISTS)) {
    const work = timed((server) => ask(server, 'POST', path, body))
    await byTurns(sides, 2, work)
    rows.push(row(`1,000 threads, ${RUNS} runs: ${name}`, 'ms', await byTurns(sides, 20, work)))
  }
  for (const [name, query] of [
    ['runs of a thread', 'limit=10'],
    ['runs of a thread by status', 'limit=10&status=success'],
  ]) {
    const work = timed((server, side) => ask(server, 'GET', `/threads/${threads[side][500]}/runs?${query}`))
    rows.push(row(`1,000 threads, ${RUNS} runs: ${name}`, 'ms', await byTurns(sides, 20, work)))
  }
  rows.push(
    row('memory at peak, after these', 'MB', { ours: [peakMb(sides.ours.pid)], rival: [peakMb(sides.rival.pid)] }),
  )
  await sides.stop()
  return rows
}

/** The results of `count` calls, eight at a time. */
async function inTurn(count, work) {
  const results = []
  let next = 0
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (next < count) {
        const n = next++
        results[n] = await work(n)
      }
    }),
  )
  return results
}
