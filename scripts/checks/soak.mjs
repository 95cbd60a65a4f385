// node scripts/checks/soak.mjs [MINUTES] [--only FAULT]: the production console for a long time (60 minutes) with 50 deployments, 200 live
// runs and 100 viewers, while streams break, the agent server and the database go away, acknowledgements are lost, and at
// first the console is killed. Exits with 1 if an event was lost or doubled, or if memory or handles grow.
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { deploymentId, scriptedConsole } from './scripted-console.mjs'

const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true })
const MINUTES = Number(positionals[0] ?? 60)
const DEPLOYMENTS = 50
const RUNS = 200
const VIEWERS = 100
/** Interval of one run's events. */
const EVERY_MS = 1000
/** Kills end here and figures begin: a process that has just started grows for a while. */
const WARM_UP_MS = Math.min(10, MINUTES / 3) * 60_000
const SAMPLE_MS = 2000
/** How far a fifth of the samples may be above the first one. */
const MOST_GROWTH = 1.1
/** Connections come and go with the faults. */
const HANDLES_SLACK = 20

const between = (least, most) => least + Math.random() * (most - least)
const pick = (list) => list[Math.floor(Math.random() * list.length)]
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1]

const ours = await scriptedConsole({ deployments: DEPLOYMENTS, hasProxy: true })
const serveControlPlane = ours.server.intercept
const began = Date.now()
const ends = began + MINUTES * 60_000
const isOver = () => Date.now() >= ends
const problems = []
const complain = (what) => {
  problems.push(what)
  console.error(`[soak] ${what}`)
}
const totals = { runs: 0, events: 0, viewed: 0, restarts: 0, faults: {} }

let isAgentDown = false
let isUp = true
ours.server.intercept = (request, response) => {
  if (serveControlPlane(request, response)) return true
  if (isAgentDown) request.socket.destroy()
  return isAgentDown
}

/** Followed by browsers of their own; what one saw must equal the recording. */
const live = new Map()
function follow() {
  const one = pick([...live.values()])
  if (!one) return
  /** @type {any} */
  const viewer = { entries: [], close: () => {} }
  viewer.close = ours.follow(one.recording, (entries) => {
    if (entries.at(0)?.seq === 1 && viewer.entries.length > 0) {
      viewer.entries = [] // the console had shown what it could not store
      totals.restarts += 1
    }
    viewer.entries.push(...entries)
  })
  one.viewers.push(viewer)
}

/** Starts a run, however long that takes: the console may be away. */
async function start(number) {
  for (;;) {
    try {
      return await ours.startRun({}, { stream_resumable: true }, deploymentId((number % DEPLOYMENTS) + 1))
    } catch {
      if (isOver()) return undefined
      await sleep(500)
    }
  }
}

let count = 0
/** One run after the other. */
async function lane(number) {
  while (!isOver()) {
    const started = await start(number)
    if (!started) return
    const one = { ...started, viewers: [] }
    live.set(one.recording, one)
    totals.runs += 1
    const until = Math.min(ends, Date.now() + between(30_000, 120_000))
    while (Date.now() < until) {
      one.run.emit('custom', { token: ++count, text: 'x'.repeat(200) })
      await sleep(EVERY_MS * (0.5 + Math.random()))
    }
    live.delete(one.recording)
    one.run.finish()
    await check(one).catch((error) => complain(`${one.recording}: ${error.message}`))
    ours.server.runs.delete(one.run.id)
  }
}

/** What was sent, once and in order, is in the recording and was shown to each viewer. */
async function check({ recording, run, viewers }) {
  await ours.until(() => ours.isEnded(recording).catch(() => false), 120_000)
  const log = await ours.logOf(recording)
  const said = run.events.map(({ data }) => data)
  const kept = log.filter(({ kind }) => kind === 'event').map(({ data }) => data)
  const has = new Set(kept)
  const missing = [...said.keys()].filter((at) => !has.has(said[at]))
  const lost = missing.length
  if (lost > 0) complain(`${recording}: ${lost} of ${said.length} events are lost: ${missing.slice(0, 10).join(', ')}`)
  if (kept.length !== has.size) complain(`${recording}: ${kept.length - has.size} events are doubled`)
  else if (lost === 0 && kept.some((data, at) => data !== said[at])) complain(`${recording}: the order is wrong`)
  if (log.some(({ kind }) => kind === 'gap')) complain(`${recording}: a gap, though the server had kept it all`)
  if (log.some(({ seq }, at) => seq !== at + 1)) complain(`${recording}: the numbers have a hole`)
  totals.events += said.length
  const end = JSON.stringify(log.at(-1))
  for (const viewer of viewers) {
    // One that saw an end that was never stored starts over.
    await ours
      .until(() => JSON.stringify(viewer.entries.at(-1)) === end, 60_000)
      .catch(() => complain(`${recording}: a viewer that is ${viewer.close.state()} saw no end for a minute`))
    const at = log.findIndex((entry, index) => JSON.stringify(entry) !== JSON.stringify(viewer.entries[index]))
    if (at >= 0 || viewer.entries.length !== log.length) {
      const [stored, seen] = [log[at], viewer.entries[at]].map((entry) => JSON.stringify(entry)?.slice(0, 120))
      complain(
        `${recording}: a viewer saw ${viewer.entries.length} of ${log.length} entries; ${at}: ${seen} for ${stored}`,
      )
    }
    viewer.close()
    totals.viewed += 1
  }
}

const FAULTS = {
  'streams cut': () => {
    for (const { run } of live.values()) if (Math.random() < 0.2) run.cut()
  },
  'agent server away': async () => {
    isAgentDown = true
    for (const { run } of live.values()) run.cut()
    await sleep(between(1000, 5000))
    isAgentDown = false
  },
  'database away': async () => {
    ours.proxy.setDown(true)
    await sleep(between(1000, 5000))
    ours.proxy.setDown(false)
  },
  'reply lost': () => ours.proxy.failNext('lost reply', 'segments'),
  'statement cut': () => ours.proxy.failNext('cut statement', 'segments'),
  'console killed': async () => {
    isUp = false
    await ours.kill()
    await ours.start()
    isUp = true
  },
}
async function break_() {
  while (!isOver()) {
    await sleep(between(3000, 8000))
    const names = Object.keys(FAULTS).filter((name) => name !== 'console killed' || Date.now() - began < WARM_UP_MS)
    const name = pick(names.filter((one) => one === (values.only ?? one)))
    if (!name) continue
    totals.faults[name] = (totals.faults[name] ?? 0) + 1
    await FAULTS[name]()
  }
}

const samples = []
async function measure() {
  await sleep(WARM_UP_MS)
  while (!isOver()) {
    if (!isUp) {
      await sleep(SAMPLE_MS)
      continue
    }
    const pid = ours.pid()
    const memory = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
    samples.push({ pid, memory, handles: readdirSync(`/proc/${pid}/fd`).length })
    await sleep(SAMPLE_MS)
  }
}

async function watch() {
  while (!isOver()) {
    const open = [...live.values()].reduce((sum, { viewers }) => sum + viewers.length, 0)
    for (let missing = VIEWERS - open; missing > 0 && live.size > 0; missing -= 1) follow()
    await sleep(500)
  }
}

const lanes = Array.from({ length: RUNS }, (_, number) => lane(number))
await Promise.all([...lanes, break_(), measure(), watch()])
await ours.stop()

const fifths = Array.from({ length: 5 }, (_, n) =>
  samples.slice((n * samples.length) / 5, ((n + 1) * samples.length) / 5),
)
const of = (read) => fifths.map((some) => Math.round(median(some.map(read)) ?? Number.NaN))
const [memory, handles] = [of((one) => one.memory), of((one) => one.handles)]
if (new Set(samples.map(({ pid }) => pid)).size > 1) complain('the console ended by itself')
if (!memory.every((mb) => mb <= memory[0] * MOST_GROWTH)) complain(`memory grows: ${memory.join(', ')} MB`)
if (!handles.every((n) => n <= handles[0] * MOST_GROWTH + HANDLES_SLACK))
  complain(`handles grow: ${handles.join(', ')}`)
console.log(JSON.stringify({ minutes: MINUTES, ...totals, memory_mb: memory, handles, problems: problems.length }))
process.exit(problems.length === 0 ? 0 : 1)
