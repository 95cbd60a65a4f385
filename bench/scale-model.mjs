// node bench/scale-model.mjs [--seconds 15] [--rounds 2]: what a run costs in processor time at one agent server, what that and
// the cost of sharing predict for two to four, and whether it holds. Exits with 1 if a prediction is off by over 25 %. Of what was
// measured with more processes, a prediction uses nothing but the cost of sharing, where it says so.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { ensurePlatform } from '../scripts/bootstrap.mjs'
import { startCluster } from '../scripts/checks/clients/replica-cluster.mjs'
import { startTestDatabase } from '../scripts/start-test-database.mjs'
import { msPerRun, runsPerSecond, sharingOf } from './live/capacity.mjs'
import { cpuSeconds, machineSeconds } from './live/processes.mjs'
import { missesOf } from './verdict.mjs'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '15' }, rounds: { type: 'string', default: '2' } },
})
const SECONDS = Number(values.seconds)
const STEPS = 5
const THREADS = 40
/** Runs per process before measuring: connections, compiled code. Processes that are still cold would seem dearer. */
const WARM_UP = 300
const GOAL = '<= 25'
/**
 * What sharing costs, as a share of what a run costs with one process: in agent servers as measured on 2026-11-27 (0.3 of 25.4 ms), in
 * the database on 2026-11-26 (4.1 of 19.1 ms).
 */
const STATED = { agents: 0.01, stored: 0.21 }
const COUNTS = [1, 2, 3, 4]

/** Runs of five steps, each created and read through any of `count` processes. */
async function measure(databaseUrl, count, round) {
  const schema = `scale_${count}_${round}`
  const cluster = await startCluster({ databaseUrl, schema, count })
  const { client } = cluster
  const database = new pg.Client({ connectionString: databaseUrl })
  await database.connect()
  const backends = async () => (await database.query('select pid from pg_stat_activity')).rows.map((row) => row.pid)
  let done = 0
  let events = 0
  const work = async (threadId, goesOn) => {
    for (let n = 0; goesOn(); n += 1) {
      const input = { until: STEPS, delay: 0, count: 0 }
      const body = { assistant_id: 'counter', input, stream_mode: 'custom', stream_resumable: true, metadata: { n } }
      const { run_id } = await client.createRun(threadId, body, n)
      const read = await client.readRun(threadId, run_id)
      events += read.length
      done += 1
    }
  }
  const threads = await Promise.all(
    Array.from({ length: THREADS }, async () => (await client.call('POST', '/threads', {})).thread_id),
  )
  const load = (goesOn) => Promise.all(threads.map((id) => work(id, goesOn)))
  await load(() => done < WARM_UP * count)
  done = 0
  events = 0
  const pids = await backends()
  const before = {
    agents: cpuSeconds(cluster.pids),
    database: cpuSeconds(pids),
    client: process.cpuUsage(),
    all: machineSeconds(),
  }
  const began = Date.now()
  await load(() => Date.now() - began < SECONDS * 1000)
  const seconds = (Date.now() - began) / 1000
  const { user, system } = process.cpuUsage(before.client)
  const agents = cpuSeconds(cluster.pids) - before.agents
  const stored = cpuSeconds(pids) - before.database
  const others = machineSeconds() - before.all - agents - stored - (user + system) / 1e6
  const idleBefore = cpuSeconds(cluster.pids)
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const idle = (cpuSeconds(cluster.pids) - idleBefore) / 3 / count
  await database.end()
  await cluster.stop()
  return { runs: done, events, seconds, agents, stored, client: (user + system) / 1e6, others, idle }
}

const round = (number) => Math.round(number * 100) / 100

ensurePlatform()
const keeper = startTestDatabase()
const databaseUrl = await keeper.url
const seen = {}
try {
  for (let turn = 0; turn < Number(values.rounds); turn += 1)
    for (const count of COUNTS) {
      seen[count] ??= []
      const one = await measure(databaseUrl, count, turn)
      seen[count].push(one)
      console.error(
        `[scale-model] round ${turn + 1}, ${count} processes: ${one.runs} runs in ${Math.round(one.seconds)} s`,
      )
    }
} finally {
  await keeper.stop()
}
/** Of all rounds together: how much was done and used. */
const useOf = (count) => {
  const sum = (key) => seen[count].reduce((total, one) => total + one[key], 0)
  const keys = ['runs', 'events', 'seconds', 'agents', 'stored', 'client', 'others', 'idle']
  return { ...Object.fromEntries(keys.map((key) => [key, sum(key)])), processors: availableParallelism() }
}
const uses = Object.fromEntries(COUNTS.map((count) => [count, /** @type {any} */ (useOf(count))]))
const [one, two] = [uses[1], uses[2]]
const found = sharingOf(one, two)
const rows = COUNTS.map((n) => {
  const use = uses[n]
  const measured = use.runs / use.seconds
  const ratioOf = (sharing) => round(runsPerSecond(one, sharing, n) / measured)
  return {
    processes: n,
    runs: use.runs,
    cores_used: round((use.agents + use.stored + use.client) / use.seconds),
    cores_of_others: round(use.others / use.seconds),
    agent_ms: round(msPerRun(use, 'agents')),
    database_ms: round(msPerRun(use, 'stored')),
    client_ms: round(msPerRun(use, 'client')),
    runs_per_second: round(measured),
    // Of one process nothing is predicted, and of two no cost that was measured with two.
    ...(n > 1 && { predicted_from_one: ratioOf(STATED) }),
    ...(n > 2 && { with_sharing_of_two: ratioOf(found) }),
    events_per_second: Math.round(use.events / use.seconds),
    idle_percent: round((use.idle * 100) / seen[n].length),
  }
})
console.table(rows)
console.log(JSON.stringify({ stated_sharing: STATED, sharing_of_two: found, processors: one.processors, rows }))
const percent = (ratio) => round(Math.abs(ratio - 1) * 100)
const misses = rows.flatMap(({ processes, predicted_from_one: first, with_sharing_of_two: second }) =>
  Object.entries({ 'from one process': first, 'with the sharing of two': second })
    .filter(([, ratio]) => ratio !== undefined)
    .flatMap(([how, ratio]) =>
      missesOf({ id: how, ours: percent(ratio), goal: GOAL }).map((miss) => ({ processes, how, miss })),
    ),
)
for (const { processes, how, miss } of misses)
  console.error(`[scale-model] MISSED ${processes} processes, predicted ${how}: off by ${miss} %`)
if (misses.length > 0) process.exitCode = 1
const share = Math.max(...rows.map((row) => row.cores_of_others)) / one.processors
if (share > 0.1)
  console.error(`[scale-model] other programs used ${Math.round(share * 100)} % of the machine, so nothing is proved`)
