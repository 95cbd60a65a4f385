// node bench/scale-model.mjs [--seconds 15] [--rounds 2]: what a run costs in processor time at one agent server and at
// two, what that predicts for three and four, and whether it holds. Exits with 1 if a prediction is off by over 25 %.
// Processor time is compared, so that other work on the machine decides less; nothing is kept from one call to the next.
import { parseArgs } from 'node:util'
import pg from 'pg'
import { ensurePlatform } from '../scripts/bootstrap.mjs'
import { startCluster } from '../scripts/checks/clients/replica-cluster.mjs'
import { startTestDatabase } from '../scripts/start-test-database.mjs'
import { cpuSeconds } from './live/processes.mjs'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '15' }, rounds: { type: 'string', default: '2' } },
})
const SECONDS = Number(values.seconds)
const STEPS = 5
const THREADS = 40
/** Runs per process before measuring: connections, compiled code. Processes that are still cold would seem dearer. */
const WARM_UP = 300
const TOLERANCE = 0.25

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
  const before = { agents: cpuSeconds(cluster.pids), database: cpuSeconds(pids), client: process.cpuUsage() }
  const began = Date.now()
  await load(() => Date.now() - began < SECONDS * 1000)
  const seconds = (Date.now() - began) / 1000
  const { user, system } = process.cpuUsage(before.client)
  const agents = cpuSeconds(cluster.pids) - before.agents
  const stored = cpuSeconds(pids) - before.database
  const idleBefore = cpuSeconds(cluster.pids)
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const idle = (cpuSeconds(cluster.pids) - idleBefore) / 3 / count
  await database.end()
  await cluster.stop()
  return { runs: done, events, seconds, agents, stored, client: (user + system) / 1e6, idle }
}

const round = (number) => Math.round(number * 100) / 100

ensurePlatform()
const keeper = startTestDatabase()
const databaseUrl = await keeper.url
const seen = {}
try {
  for (let turn = 0; turn < Number(values.rounds); turn += 1)
    for (const count of [1, 2, 3, 4]) {
      seen[count] ??= []
      seen[count].push(await measure(databaseUrl, count, turn))
    }
} finally {
  await keeper.stop()
}
/** Of all rounds together: how much was done and used. */
const sum = (count, key) => seen[count].reduce((total, one) => total + one[key], 0)
const msPerRun = (count, key) => (sum(count, key) * 1000) / sum(count, 'runs')
const coresOf = (n) => (sum(n, 'agents') + sum(n, 'stored') + sum(n, 'client')) / sum(n, 'seconds')

// With `n` processes, a run is read through another one than the one that executes it in (n - 1) / n of all cases, which costs the
// database more. Each of the others hears all notices, which costs the agent servers more for each process.
const SHARES = { agents: (n) => n - 1, stored: (n) => (n - 1) / n }
const constants = Object.fromEntries(
  Object.entries(SHARES).map(([key, share]) => {
    const local = msPerRun(1, key)
    return [key, { local, more: (msPerRun(2, key) - local) / share(2) }]
  }),
)
const costOf = (n) =>
  Object.entries(SHARES).reduce(
    (total, [key, share]) => total + constants[key].local + constants[key].more * share(n),
    msPerRun(1, 'client'),
  )
let isOff = false
const rows = [1, 2, 3, 4].map((n) => {
  const predicted = (coresOf(n) * 1000) / costOf(n)
  const measured = sum(n, 'runs') / sum(n, 'seconds')
  isOff ||= Math.abs(predicted / measured - 1) > TOLERANCE
  return {
    processes: n,
    runs: sum(n, 'runs'),
    cores_used: round(coresOf(n)),
    agent_ms: round(msPerRun(n, 'agents')),
    database_ms: round(msPerRun(n, 'stored')),
    predicted_runs_per_second: round(predicted),
    measured_runs_per_second: round(measured),
    ratio: round(predicted / measured),
    events_per_second: Math.round(sum(n, 'events') / sum(n, 'seconds')),
    idle_percent: round((sum(n, 'idle') * 100) / seen[n].length),
  }
})
console.table(rows)
const told = ({ local, more }) => ({ local: round(local), more: round(more) })
console.log(
  JSON.stringify({
    agent_ms: told(constants.agents),
    database_ms: told(constants.stored),
    client_ms: round(msPerRun(1, 'client')),
    rows,
  }),
)
if (isOff) {
  console.error(`[scale-model] a prediction is off by over ${TOLERANCE * 100} %`)
  process.exitCode = 1
}
