// node scripts/checks/chaos.mjs [MINUTES] [--only FAULT]: two consoles and three agent servers of one deployment, for 10 minutes, while
// consoles and agent servers are killed, the database restarts and fails over to a standby, hosts leave the network, and
// connections are cut or fall silent (./servers/chaos/faults.mjs). Every run is watched through a console. Exits with 1 if an
// event is lost, doubled or out of order, if a viewer saw something else than what is recorded, or if a status was shown that the
// agent server does not confirm. With CHAOS_LOG=1, each fault is told when it begins.
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startConsole } from '../../bench/live/console.mjs'
import { run } from '../bootstrap.mjs'
import { countsOf, problemsOfSteps } from './clients/counted-run.mjs'
import { startCluster } from './clients/replica-cluster.mjs'
import { loadSources } from './load-sources.mjs'
import { followerOf, SOURCES, serveControlPlane } from './scripted-console.mjs'
import { startDatabase } from './servers/chaos/database.mjs'
import { breakThings, faultsOf, pick } from './servers/chaos/faults.mjs'
import { startNetwork } from './servers/chaos/network.mjs'

const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true })
const MINUTES = Number(positionals[0] ?? 10)
const CONSOLES = 2
const REPLICAS = 3
/** Runs at once. */
const LANES = 12
const SCHEMA = 'agent_chaos'
/** Everything has recovered from the last fault, and every run has ended, after this. */
const SETTLE_MS = 120_000

let ends = Number.POSITIVE_INFINITY
const isOver = () => Date.now() >= ends
const problems = []
const complain = (what) => {
  problems.push(what)
  console.error(`[chaos] ${what}`)
}
const totals = { starts: 0, refused: 0, runs: 0, unrecorded: 0, events: 0, viewed: 0, restarts: 0 }

run(process.execPath, ['scripts/build-platform.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] })
const sources = await loadSources('chaos', [...SOURCES, "export { tcpProxy } from './scripts/proxies/tcp-proxy'"])
const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-chaos-'))
chmodSync(folder, 0o711) // as root, the database's own user passes through
const database = await startDatabase(folder)
const network = await startNetwork({ count: REPLICAS, databaseUrl: database.url, ...sources })
const cluster = await startCluster({ place: network.place, schema: SCHEMA, count: REPLICAS })
const balancer = await sources.tcpProxy(() => cluster.urls.map((url) => new URL(url)))
const agents = { url: `http://${balancer.host}` }
const control = createServer((request, response) => {
  if (!serveControlPlane(agents, 1, request, response)) response.writeHead(404).end()
})
await new Promise((resolve) => control.listen(0, '127.0.0.1', () => resolve(undefined)))
const controlUrl = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (control.address()).port}`

const shared = {
  NEXTAUTH_SECRET: 'x'.repeat(32),
  PILOTHOUSE_SEALING_KEY: randomBytes(32).toString('base64'),
  ALLOWED_UPSTREAMS: `${controlUrl} ${agents.url}`,
}
/** @type {any[]} */
const consoles = []
for (let n = 0; n < CONSOLES; n += 1) {
  const link = await sources.databaseProxy(database.url)
  const one = {
    link,
    isUp: true,
    console: await startConsole({ url: controlUrl }, { ...shared, DATABASE_URL: link.url }),
    kill: async () => {
      one.isUp = false
      const { pid } = one.console
      const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
      if (child) process.kill(Number(child), 'SIGKILL')
      await one.console.end()
      for (;;) {
        try {
          one.console = await startConsole({ url: controlUrl }, { ...shared, DATABASE_URL: link.url })
          break
        } catch {
          await sleep(500) // the database may be away
        }
      }
      one.isUp = true
    },
  }
  consoles.push(one)
}
const store = () => new pg.Client({ connectionString: database.url })
/**
 * Rows of one statement on the database itself, whatever state it is in.
 * @returns {Promise<any[]>}
 */
async function query(text, parameters = []) {
  for (const end = Date.now() + 60_000; ; await sleep(200)) {
    const client = store()
    client.on('error', () => {})
    try {
      await client.connect()
      return (await client.query(text, parameters)).rows
    } catch (error) {
      if (Date.now() > end) throw error
    } finally {
      await client.end().catch(() => {})
    }
  }
}

let number = 0
/** Whose person was told that the start failed: such a run may exist, and may be recorded or not. */
const refused = new Set()
const watched = []
/** Starts a run and watches it through the other console, as often as `lane` has time for. */
async function lane() {
  while (!isOver()) {
    const starter = pick(consoles)
    if (!starter.isUp) {
      await sleep(200)
      continue
    }
    number += 1
    const mine = { number, until: 20 + (number % 40) }
    totals.starts += 1
    const started = await starter.console
      .startRun(
        { until: mine.until, delay: 150, count: 0, file: path.join(folder, `run-${number}`) },
        {
          ...{ assistant_id: 'counter', stream_mode: 'custom', stream_resumable: true, metadata: { number } },
          config: { recursion_limit: 200 },
        },
      )
      .catch(() => undefined)
    if (!started) {
      totals.refused += 1 // or its answer was lost: the run is checked like the others if there is one
      refused.add(mine.number)
      await sleep(300)
      continue
    }
    const viewer = watch(started.id, mine)
    watched.push(viewer)
    await Promise.race([viewer.ended, sleep(60_000)])
  }
}

function watch(recording, { number: of, until }) {
  const other = pick(consoles)
  /** @type {any} */
  const viewer = { recording, number: of, until, entries: [], close: () => {} }
  viewer.ended = new Promise((resolve) => {
    viewer.close = followerOf(sources, () => other.console)(recording, (entries, { phase }) => {
      if (entries.at(0)?.seq === 1 && viewer.entries.length > 0) {
        viewer.entries = []
        totals.restarts += 1
      }
      viewer.entries.push(...entries)
      const last = viewer.entries.at(-1)
      if (last?.kind === 'final' || phase === 'ended') {
        void checkShownEnd(viewer, last)
        resolve(undefined)
      }
    })
  })
  return viewer
}

/** A shown end is true: the agent server has ended the run, and in the same way. */
async function checkShownEnd(viewer, last) {
  if (viewer.isChecked || last?.kind !== 'final') return
  viewer.isChecked = true
  const [found] = await query(`select status from ${SCHEMA}.runs where (metadata ->> 'number')::int = $1`, [
    viewer.number,
  ])
  if (found?.status !== last.outcome)
    complain(`run ${viewer.number} was shown as ${last.outcome}, while it is ${found?.status} (${last.reason ?? ''})`)
}

/** After the last fault: each run that exists has ended as a whole, and is recorded and shown as it was. */
async function checkAll() {
  const settled = Date.now() + SETTLE_MS
  for (;;) {
    const [{ open }] = await query(
      `select (select count(*) from ${SCHEMA}.runs where status in ('pending', 'running'))::int
         + (select count(*) from console.recordings where phase <> 'ended')::int as open`,
    )
    if (open === 0) break
    if (Date.now() > settled) {
      complain(`${open} runs or recordings have not ended ${SETTLE_MS / 1000} s after the last fault`)
      break
    }
    await sleep(500)
  }
  const runs = await query(`select run_id, status, (metadata ->> 'number')::int as number from ${SCHEMA}.runs`)
  const recordings = await query('select id, run, outcome, request from console.recordings')
  totals.runs = runs.length
  for (const one of runs) {
    if (one.status !== 'success') complain(`run ${one.number} is ${one.status}`)
    const file = path.join(folder, `run-${one.number}`)
    const steps = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').map(Number) : []
    const expected = 20 + (one.number % 40)
    // A server that was cut off may still be in a step that another one repeats, so only the events say how often.
    for (const what of problemsOfSteps(steps, expected, Number.POSITIVE_INFINITY)) complain(`run ${one.number} ${what}`)
    const kept = recordings.filter(({ run: id }) => id === one.run_id)
    if (kept.length === 0 && refused.has(one.number)) totals.unrecorded += 1
    else if (kept.length !== 1) complain(`run ${one.number} has ${kept.length} recordings`)
    for (const { id, outcome } of kept) await checkRecording(one, id, outcome, expected)
  }
  const known = new Set(runs.map(({ run_id }) => run_id))
  for (const { id, run: of, outcome } of recordings)
    if (!known.has(of) && outcome === 'success') complain(`recording ${id} says success without a run`)
}

async function checkRecording({ number: of }, id, outcome, expected) {
  if (outcome !== 'success') complain(`run ${of} is listed as ${outcome}`)
  const rows = await query('select body from console.segments where recording = $1 order by first_seq', [id])
  const log = sources.decodeEntries(rows.map(({ body }) => body).join(','))
  if (log.some(({ seq }, at) => seq !== at + 1)) complain(`run ${of}: the recording's numbers have a hole`)
  if (log.some(({ kind }) => kind === 'gap')) complain(`run ${of}: a gap, though the agent server had kept it all`)
  const events = log.filter(({ kind }) => kind === 'event')
  totals.events += events.length
  const { counts, attempts, back } = countsOf(events)
  for (let step = 1; step <= expected; step += 1)
    if (!counts.includes(step)) complain(`run ${of}: the event of step ${step} is lost`)
  if (back > attempts - 1) complain(`run ${of}: events came again: ${counts} in ${attempts} attempts`)
  const ids = events.flatMap((event) => (event.id === undefined ? [] : [Number(event.id)]))
  if (ids.some((one, at) => at > 0 && one <= ids[at - 1])) complain(`run ${of}: events out of order or twice: ${ids}`)
  for (const viewer of watched.filter(({ recording }) => recording === id)) {
    await sources.until(() => viewer.entries.at(-1)?.kind === 'final', 30_000).catch(() => {})
    const at = log.findIndex((entry, index) => JSON.stringify(entry) !== JSON.stringify(viewer.entries[index]))
    if (at >= 0 || viewer.entries.length !== log.length)
      complain(
        `run ${of}: a viewer saw ${viewer.entries.length} of ${log.length} entries; the first other one is ${at}`,
      )
    viewer.close()
    totals.viewed += 1
  }
}

/** @type {Record<string, number>} */
let faults = {}
try {
  ends = Date.now() + MINUTES * 60_000
  const all = faultsOf({ consoles, cluster, agents: balancer, network, database, replicas: REPLICAS })
  const breaking = breakThings(all, { only: values.only, isOver })
  ;[faults] = await Promise.all([breaking, ...Array.from({ length: LANES }, lane)])
  await checkAll()
  if (totals.viewed === 0) complain('no run was watched to its end')
} catch (error) {
  complain(error.stack)
}
for (const { console: one, link } of consoles) {
  await one.end()
  await link.close()
}
await cluster.stop()
await balancer.close()
control.close()
await network.close()
await database.stop()
if (problems.length === 0) rmSync(folder, { recursive: true, force: true })
else console.error(`[chaos] files in ${folder}`)
for (const [name, count] of Object.entries(faults)) console.log(`${String(count).padStart(4)} ${name}`)
const { starts, refused: refusals, runs, unrecorded, events, viewed, restarts } = totals
console.log(
  `${MINUTES} minutes on ${network.kind}: ${starts} starts, of which ${refusals} refused; ${runs} runs, of which ${unrecorded} unrecorded after
a refused start; ${events} events; ${viewed} runs watched, ${restarts} times from the start again; ${cluster.ownEnds} agent servers ended by themselves`.replace(
    '\n',
    ' ',
  ),
)
console.log(problems.length === 0 ? 'Passed: nothing lost, no wrong status.' : `Failed: ${problems.length} problems.`)
process.exit(problems.length === 0 ? 0 : 1)
