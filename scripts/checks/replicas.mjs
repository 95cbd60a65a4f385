// node scripts/checks/replicas.mjs [--processes 4] [--threads 500] [--runs 2000] [--kill-every 5] [--seconds 15]
// [--pauses] [--quick] [--problems FILE]: several agent servers of one deployment behind round-robin, one of them killed again
// and again. With `--pauses`, every second one is stopped with its connections open instead, and goes on when its runs are
// elsewhere. Problems are printed as they come, and written to the file.
// With DATABASE_URL and PILOTHOUSE_AGENT_POOLER_URL the servers connect through that pooler, as a role whose search_path is agent_replicas.
// Every run is read, through whichever process answers. Exits with 1 unless every run has ended once and in its
// thread's order, with all its events in order and none twice, no checkpointed step done twice, every thread stream
// complete, and runs of a killed process continued within ten seconds. Then measures the throughput of 1, 2 and 4.
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { run } from '../bootstrap.mjs'
import { startTestDatabase } from '../start-test-database.mjs'
import { countsOf, problemsOfPausedSteps, problemsOfSteps } from './clients/counted-run.mjs'
import { startCluster } from './clients/replica-cluster.mjs'
import { disturb } from './servers/disturbance.mjs'
import { createProblems } from './servers/problems.mjs'

const options = /** @type {const} */ ({
  processes: { type: 'string', default: '4' },
  threads: { type: 'string', default: '500' },
  runs: { type: 'string', default: '2000' },
  'kill-every': { type: 'string', default: '5' },
  kills: { type: 'string', default: '1000' },
  pauses: { type: 'boolean' },
  readers: { type: 'string', default: '200' },
  seconds: { type: 'string', default: '15' },
  /** Without the throughput, beside other tests. */
  quick: { type: 'boolean' },
  problems: { type: 'string' },
  'no-build': { type: 'boolean' },
  program: { type: 'string', default: '.build/agent-server.mjs' },
})
const { values } = parseArgs({ options })
const processes = Number(values.processes)
const program = String(values.program)
const threadCount = Number(values.threads)
const runCount = Number(values.runs)
/** A killed process is noticed, and its runs continue, within this time; twice that beside other tests. */
const TAKEOVER_MS = 10_000 * (values.quick ? 2 : 1)
/** Later for a paused one, which may be silent for so long. Beside others, starting processes take the cores for seconds. */
const HANG_SECONDS = 5

const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-replicas-'))
const say = (line) => console.error(`[replicas] ${line}`)
const problemsFile = values.problems ? String(values.problems) : ''
if (problemsFile) writeFileSync(problemsFile, '')
const problems = createProblems((line) => {
  say(line)
  if (problemsFile) appendFileSync(problemsFile, `${new Date().toISOString()} ${line}\n`)
})

if (!values['no-build'])
  run(process.execPath, ['scripts/build-platform.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] })
const keeper = process.env.DATABASE_URL ? undefined : startTestDatabase()
const databaseUrl = process.env.DATABASE_URL ?? (await keeper?.url)

/** The script's own connections, which may be lost like those of the servers. */
function openStore(schema) {
  const pool = new pg.Pool({ connectionString: databaseUrl, options: `-c search_path=${schema}`, max: 4 })
  pool.on('error', () => {})
  return {
    /** @returns {Promise<any[]>} */
    query: async (text, parameters = []) => {
      for (const end = Date.now() + 60_000; ; await sleep(200)) {
        try {
          return (await pool.query(text, parameters)).rows
        } catch (error) {
          if (Date.now() > end) throw error
        }
      }
    },
    close: () => pool.end(),
  }
}

/** Works through `items`, `width` at a time. */
async function inParallel(items, width, work) {
  const queue = [...items]
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item)
    }),
  )
}

const bodyOf = (number, until, delay) => ({
  assistant_id: 'counter',
  input: { until, delay, count: 0, file: path.join(folder, `run-${number}`) },
  metadata: { number },
  stream_mode: 'custom',
  stream_resumable: true,
  multitask_strategy: 'enqueue',
  config: { recursion_limit: 100 },
})

/** @param {{ n: number, id?: string }} run */
const told = ({ n, id = 'not created' }, expected, seen) => `run ${n} (${id}): expected ${expected}; seen ${seen}`

/** What a reader of one run saw: ids ascend, no step is missing, and each attempt goes back at most once. */
async function checkEvents({ query }, run, until, events) {
  const ids = events.map(({ id }) => id)
  if (ids.some((id, index) => index > 0 && id <= ids[index - 1]))
    problems.add('events out of order or twice', told(run, 'ascending ids', ids))
  const end = events.at(-1)
  if (end?.event !== 'end' || end.data.status !== 'success')
    problems.add('an end other than success', told(run, 'success', JSON.stringify(end)))
  const { counts, attempts, back } = countsOf(events)
  if (back > attempts - 1)
    problems.add('events of steps came again', told(run, `${attempts - 1} times at most`, `steps ${counts}`))
  const steps = Array.from({ length: until }, (_, index) => index + 1)
  const lost = steps.filter((step) => !counts.includes(step))
  if (!lost.length) return
  // Whether it is stored tells which side lost it.
  const rows = await query('select id::float8 as id, event, data from run_events where run_id = $1 order by id', [
    run.id,
  ])
  const stored = countsOf(rows).counts
  const seen = `${ids}; stored are ${rows.map(({ id }) => id)}`
  for (const step of lost)
    problems.add(
      stored.includes(step) ? 'an event is stored and was not sent' : 'an event is lost',
      told(run, `an event of step ${step}`, seen),
    )
}

function checkSteps(run, until, attempts) {
  const text = readFileSync(path.join(folder, `run-${run.n}`), 'utf8')
  const steps = text.trim().split('\n').map(Number)
  const problemsOf = values.pauses ? problemsOfPausedSteps : problemsOfSteps
  for (const what of problemsOf(steps, until, attempts))
    problems.add('steps missed or done again', told(run, `1 to ${until}, ${attempts - 1} times back at most`, what))
  return steps.length - new Set(steps).size
}

async function survive() {
  const schema = 'agent_replicas'
  const hangSeconds = values.pauses ? HANG_SECONDS : undefined
  const cluster = await startCluster({ databaseUrl, schema, program, count: processes, hangSeconds })
  const { client } = cluster
  const store = openStore(schema)
  const { query } = store
  const began = Date.now()
  const threads = []
  await inParallel(
    Array.from({ length: threadCount }, (_, n) => n),
    20,
    async (n) => {
      threads[n] = (await client.call('POST', '/threads', {})).thread_id
    },
  )
  say(`${threadCount} threads after ${Date.now() - began} ms`)
  const untilOf = (n) => 3 + (n % 4)
  const runs = Array.from({ length: runCount }, (_, n) => n)
  const disturbance = disturb({
    ...{ cluster, processes, query, problems, hangSeconds },
    mostKills: Number(values.kills),
    everyMs: Number(values['kill-every']) * 1000,
    takeoverMs: TAKEOVER_MS,
  })
  const { done } = disturbance
  // A stream of every tenth thread, which must show all its runs.
  const streams = threads.filter((_, n) => n % 10 === 0).map((id) => client.followThread(id))
  await Promise.all(streams.map((stream) => stream.isOpen))
  let ended = 0
  await inParallel(runs, Number(values.readers), async (n) => {
    const thread = threads[n % threadCount]
    /** @type {{ n: number, id?: string }} */
    const run = { n }
    try {
      run.id = (await client.createRun(thread, bodyOf(n, untilOf(n), 20 + (n % 7) * 30), n)).run_id
      await checkEvents(store, run, untilOf(n), await client.readRun(thread, run.id))
    } catch (error) {
      problems.add(
        'a run that could not be created or read to its end',
        told(run, 'its end', error.cause?.message ?? error.message),
      )
    }
    ended += 1
    if (ended % 500 === 0) say(`${ended} runs, ${done.kills} kills, ${done.pauses} pauses, ${problems.count} problems`)
  })
  const seconds = (Date.now() - began) / 1000
  const { takeoverMs, afterPauseMs } = await disturbance.stop()
  const rows = await query(
    `select (metadata ->> 'number')::int as n, run_id as id, thread_id, status, attempt, crashes, started_at, updated_at
     from runs order by seq`,
  )
  const stored = new Set(rows.map((row) => row.n))
  for (const n of runs) if (!stored.has(n)) problems.add('a run that is not stored', `run ${n}`)
  if (stored.size !== rows.length) problems.add('a run that was created twice', `${rows.length - stored.size} of them`)
  const last = new Map()
  let again = 0
  for (const row of rows) {
    if (row.status === 'success') again += checkSteps(row, untilOf(row.n), row.attempt)
    else
      problems.add(
        `a run that is ${row.status}`,
        told(row, 'success', `${row.attempt} attempts, ${row.crashes} crashes`),
      )
    const before = last.get(row.thread_id)
    if (before && before.updated_at > row.started_at)
      problems.add(
        'a run began before the one before it in its thread ended',
        told(
          row,
          `after the end of run ${before.n} (${before.id})`,
          `${before.updated_at.toISOString()} after ${row.started_at.toISOString()}`,
        ),
      )
    last.set(row.thread_id, row)
  }
  for (const [index, stream] of streams.entries()) {
    const expected = rows.filter((row) => row.thread_id === threads[index * 10]).length
    const runsSeen = () => new Set(stream.ended()).size
    for (const end = Date.now() + 10_000; runsSeen() < expected && Date.now() < end; ) await sleep(50)
    if (runsSeen() !== expected)
      problems.add('a thread stream misses ends', `stream ${index}: ${runsSeen()} of ${expected}`)
    const again = stream.ended().filter((id, at, all) => all.indexOf(id) < at)
    if (again.length) problems.add('a thread stream sent an end twice', `stream ${index}: ${again}`)
    stream.close()
  }
  if (cluster.ownEnds) problems.add('an agent server ended without being killed', `${cluster.ownEnds} times`)
  await store.close()
  await cluster.stop()
  return {
    processes,
    runs: runCount,
    threads: threadCount,
    ...done,
    seconds: Math.round(seconds),
    runs_per_second: Math.round(runCount / seconds),
    continued: rows.filter((row) => row.attempt > 1).length,
    steps_done_again: again,
    reconnects: client.reconnects,
    longest_takeover_ms: Math.max(0, ...takeoverMs),
    longest_after_pause_ms: Math.max(0, ...afterPauseMs),
    problems: problems.count,
    kinds: problems.kinds,
  }
}

/** Runs per second that `count` processes take without kills: each is created, streamed and read to its end. */
async function throughput(count) {
  const cluster = await startCluster({
    ...{ databaseUrl, schema: `agent_throughput_${count}` },
    ...{ program, count },
  })
  const { client } = cluster
  const end = Date.now() + Number(values.seconds) * 1000
  const waits = []
  let number = 1_000_000
  let done = 0
  let events = 0
  const began = Date.now()
  await Promise.all(
    Array.from({ length: 60 }, async () => {
      const { thread_id } = await client.call('POST', '/threads', {})
      while (Date.now() < end) {
        number += 1
        const at = Date.now()
        const body = { ...bodyOf(number, 5, 0), input: { until: 5, delay: 0, count: 0 } }
        const { run_id } = await client.createRun(thread_id, body, number)
        const read = await client.readRun(thread_id, run_id)
        events += read.length
        waits.push(Date.now() - at)
        done += 1
      }
    }),
  )
  const seconds = (Date.now() - began) / 1000
  await cluster.stop()
  waits.sort((a, b) => a - b)
  return {
    processes: count,
    runs_per_second: Math.round(done / seconds),
    events_per_second: Math.round(events / seconds),
    p50_ms: waits[Math.floor(waits.length / 2)],
    p99_ms: waits[Math.floor(waits.length * 0.99)],
  }
}

/** @type {{ survive?: Awaited<ReturnType<typeof survive>>, throughput?: object[] }} */
const result = {}
try {
  result.survive = await survive()
  if (!values.quick) {
    result.throughput = []
    for (const count of [1, 2, 4]) result.throughput.push(await throughput(count))
  }
} catch (error) {
  problems.add('the check itself failed', error.stack)
}
await keeper?.stop()
if (problems.count) {
  process.exitCode = 1
  console.error(`[replicas] files in ${folder}:\n  ${problems.lines().join('\n  ')}`)
} else rmSync(folder, { recursive: true, force: true })
console.log(JSON.stringify(result))
