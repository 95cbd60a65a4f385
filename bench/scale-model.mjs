// node bench/scale-model.mjs [--seconds 15] [--rounds 2]: what a run costs in processor time at one agent server and at
// two, what that predicts for three and four, and whether it holds. Exits with 1 if a prediction is off by over 25 %.
// Processor time is compared, so that other work on the machine does not decide.
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
  const work = async (threadId, until) => {
    for (let n = 0; Date.now() < until; n += 1) {
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
  const load = (seconds) => {
    const until = Date.now() + seconds * 1000
    return Promise.all(threads.map((id) => work(id, until)))
  }
  await load(3) // connections, compiled code
  done = 0
  events = 0
  const pids = await backends()
  const before = { agents: cpuSeconds(cluster.pids), database: cpuSeconds(pids), client: process.cpuUsage() }
  const began = Date.now()
  await load(SECONDS)
  const seconds = (Date.now() - began) / 1000
  const { user, system } = process.cpuUsage(before.client)
  const agents = cpuSeconds(cluster.pids) - before.agents
  const stored = cpuSeconds(pids) - before.database
  const idleBefore = cpuSeconds(cluster.pids)
  await new Promise((resolve) => setTimeout(resolve, 3000))
  const idle = (cpuSeconds(cluster.pids) - idleBefore) / 3 / count
  await database.end()
  await cluster.stop()
  const ms = (cpu) => (cpu * 1000) / done
  return {
    count,
    runs: done,
    runs_per_second: done / seconds,
    events_per_second: events / seconds,
    agent_ms: ms(agents),
    database_ms: ms(stored),
    client_ms: ms((user + system) / 1e6),
    /** Cores that all of them got. */
    cores: (agents + stored + (user + system) / 1e6) / seconds,
    idle_percent: idle * 100,
  }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor((numbers.length - 1) / 2)]
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
const of = (count, key) => median(seen[count].map((one) => one[key]))

// With `n` processes, a run is read through another one than the one that executes it in (n - 1) / n of all cases, which costs the
// database more. Each of the others hears all notices, which costs the agent servers more for each process.
const SHARES = { agent_ms: (n) => n - 1, database_ms: (n) => (n - 1) / n }
const constants = Object.fromEntries(
  Object.entries(SHARES).map(([key, share]) => {
    const local = of(1, key)
    return [key, { local, more: (of(2, key) - local) / share(2) }]
  }),
)
const costOf = (n) =>
  Object.entries(SHARES).reduce(
    (sum, [key, share]) => sum + constants[key].local + constants[key].more * share(n),
    of(1, 'client_ms'),
  )
let isOff = false
const rows = [1, 2, 3, 4].map((n) => {
  const predicted = (of(n, 'cores') * 1000) / costOf(n)
  const measured = of(n, 'runs_per_second')
  const error = predicted / measured - 1
  isOff ||= Math.abs(error) > TOLERANCE
  return {
    processes: n,
    cores_used: round(of(n, 'cores')),
    agent_ms: round(of(n, 'agent_ms')),
    database_ms: round(of(n, 'database_ms')),
    predicted_runs_per_second: round(predicted),
    measured_runs_per_second: round(measured),
    events_per_second: Math.round(of(n, 'events_per_second')),
    error_percent: Math.round(error * 100),
    idle_percent: round(of(n, 'idle_percent')),
  }
})
console.table(rows)
const rounded = Object.fromEntries(
  Object.entries(constants).map(([key, { local, more }]) => [key, { local: round(local), more: round(more) }]),
)
console.log(JSON.stringify({ constants: rounded, client_ms: round(of(1, 'client_ms')), rows }))
if (isOff) {
  console.error(`[scale-model] a prediction is off by over ${TOLERANCE * 100} %`)
  process.exitCode = 1
}
