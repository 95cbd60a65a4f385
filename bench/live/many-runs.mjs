// Many live runs, each watched by one viewer, on one console process and on two: how old an event is when its viewer has
// it, and how long a page takes meanwhile. Upstream, viewers and database share the machine with the console.
import { setTimeout as sleep } from 'node:timers/promises'
import { startConsole } from './console.mjs'
import { WORKSPACE } from './events.mjs'
import { cpuSeconds, startReader, startUpstream } from './processes.mjs'
import { row, SCALE } from './rounds.mjs'
import { watchStolen } from './stolen.mjs'

const PROCESSES = [1, 2]
const COUNTS = [200, 400, 800]
const RATE = 25
const SECONDS = 15 * SCALE
/** Runs started at the same moment. */
const AT_ONCE = 10

/** @returns two rows for each number of processes and runs. */
export async function measure() {
  const rows = []
  for (const processes of PROCESSES) {
    const upstream = await startUpstream()
    const reader = await startReader()
    const ours = await startConsole(upstream, {
      PILOTHOUSE_PROCESSES: String(processes),
      PILOTHOUSE_STREAMS: String(Math.max(...COUNTS)),
    })
    try {
      const stage = { upstream, reader, ours }
      await load(stage, 50, 3) // compiles what is measured
      for (const count of COUNTS) rows.push(...rowsOf(processes, count, await load(stage, count, SECONDS)))
    } finally {
      await ours.end()
      await reader.end()
      await upstream.end()
    }
  }
  return rows
}

async function load({ upstream, reader, ours }, count, seconds) {
  const events = Math.round(RATE * seconds)
  const gate = `many-${count}`
  const plan = { events: String(events), rate: String(RATE), gate }
  const ids = []
  while (ids.length < count) ids.push(...(await Promise.all(Array.from({ length: AT_ONCE }, () => start(ours, plan)))))
  const { opened, result } = reader.read(
    ids.map((id) => ours.live(id)),
    events,
    { timeoutMs: (seconds + 60) * 1000 },
  )
  await opened
  await sleep(1000)
  const stolen = watchStolen()
  const pids = { upstream: upstream.pid, viewers: reader.pid, console: ours.pid }
  const before = Object.values(pids).map((pid) => cpuSeconds([pid]))
  await upstream.release(gate)
  let isOver = false
  const seen = result.finally(() => {
    isOver = true
  })
  const pages = []
  while (!isOver) {
    const began = performance.now()
    const response = await ours.cookies.fetch(`${ours.url}/${WORKSPACE}/deployments`)
    await response.text()
    if (!response.ok) throw new Error(`The page was answered with ${response.status}.`)
    pages.push(performance.now() - began)
    await sleep(500)
  }
  const cores = Object.entries(pids).map(
    ([who, pid], index) => `${who} ${((cpuSeconds([pid]) - (before[index] ?? 0)) / seconds).toFixed(2)}`,
  )
  return { ...(await seen), pages: pages.toSorted((a, b) => a - b), cores, stolen: stolen() }
}

/** A person may start only so many in half a minute. */
async function start(ours, plan) {
  for (;;) {
    try {
      return (await ours.startRun(plan)).id
    } catch (error) {
      if (!String(error).includes('rate_limited')) throw error
      await sleep(2000)
    }
  }
}

function rowsOf(processes, count, { p50, p99, lost, doubled, damaged, completed, events, pages, cores, stolen }) {
  const isMost = count === Math.max(...COUNTS) && processes === Math.max(...PROCESSES)
  const name = `${count} runs x ${RATE}/s, each watched, ${processes === 1 ? '1 process' : `${processes} processes`}`
  const of = (/** @type {number} */ share) => pages[Math.min(pages.length - 1, Math.floor(pages.length * share))]
  const short = (/** @type {number} */ value) => Number(value.toPrecision(3))
  return [
    row(
      `${name}: events, p99`,
      'ms',
      { rounds: [{ ours: p99 }], stolen },
      {
        ...(isMost && { goal: '<= 150 ms' }),
        ...{ p50: short(p50), lost: lost + damaged, doubled, completed, events },
        cores: cores.join(', '),
      },
    ),
    row(
      `${name}: pages meanwhile, p95`,
      'ms',
      { rounds: [{ ours: of(0.95) }], stolen },
      {
        ...(isMost && { goal: '<= 300 ms' }),
        ...{ p50: short(of(0.5)), pages: pages.length },
      },
    ),
  ]
}
