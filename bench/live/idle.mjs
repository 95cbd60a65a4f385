// What the console pays for people who only look: processor time and memory for each browser that follows a deployment where
// nothing happens, and processor time for each deployment that it reads for them. Each browser has its own session.
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startTestDatabase } from '../../scripts/start-test-database.mjs'
import { startConsole } from './console.mjs'
import { DEPLOYMENT } from './events.mjs'
import { cpuSeconds, startReader, startUpstream } from './processes.mjs'
import { byTurns, row, SCALE } from './rounds.mjs'

const VIEWERS = Math.max(2, Math.round(200 * Math.min(1, SCALE)))
const SECONDS = 20 * SCALE
/** Until connections, first reads and their garbage are past. */
const SETTLE_MS = 5000

const deploymentOf = (index) => DEPLOYMENT.slice(0, -4) + String(index + 1).padStart(4, '0')
/**
 * The deployment that each viewer follows.
 * @type {Record<string, ((viewer: number) => number) | undefined>}
 */
const SIDES = { nobody: undefined, one: () => 0, each: (viewer) => viewer }

/** @returns a row for each cost. */
export async function measure() {
  const database = startTestDatabase()
  const [upstream, reader] = [await startUpstream(), await startReader()]
  let onBytes = (/** @type {number | undefined} */ _bytes) => {}
  const onLine = (line) => {
    const [, bytes] = /"bytes_in_use":(\d+)/.exec(line) ?? []
    if (bytes) onBytes(Number(bytes))
  }
  const env = { DATABASE_URL: await database.url, NEXTAUTH_SECRET: 'x'.repeat(32) }
  const preload = path.join(import.meta.dirname, 'report-memory.mjs')
  const ours = await startConsole(upstream, env, preload, { onLine })
  const bytesInUse = () =>
    new Promise((resolve) => {
      onBytes = resolve
      process.kill(Number(ours.pid), 'SIGUSR2')
    })
  try {
    const sessions = []
    while (sessions.length < VIEWERS) sessions.push(await ours.signIn())

    const turn = async (deploymentFor) => {
      const streams = sessions.map((cookies, viewer) => {
        const deployment = deploymentOf(deploymentFor?.(viewer) ?? 0)
        return ours.follow([{ id: 'd', kind: 'deployment', deployment }], cookies)
      })
      const seconds = SECONDS + SETTLE_MS / 1000
      const job = deploymentFor && reader.read(streams, 0, { timeoutMs: (seconds + 60) * 1000 })
      if ((await job?.opened)?.includes(undefined)) throw new Error('A viewer was refused.')
      await sleep(SETTLE_MS)
      const pids = { console: ours.pid, database: database.pid }
      const before = Object.values(pids).map((pid) => cpuSeconds([pid]))
      await sleep(SECONDS * 1000)
      const used = Object.values(pids).map((pid, index) => ((cpuSeconds([pid]) - before[index]) * 60_000) / SECONDS)
      const bytes = await bytesInUse()
      job?.stop()
      await job?.result
      return { console: used[0], database: used[1], bytes }
    }
    for (const side of Object.values(SIDES)) await turn(side) // compiles what is measured
    return rowsOf(await byTurns(SIDES, {}, turn))
  } finally {
    await ours.end()
    await reader.end()
    await upstream.end()
    await database.stop()
  }
}

function rowsOf(seen) {
  const cost = (what, unit, ours, peer, read, count = VIEWERS) =>
    row(what, unit, seen, { ours, of: (figure, figures) => (read(figure) - read(figures[peer])) / count })
  return [
    cost('idle viewer: console', 'ms of processor time per minute', 'one', 'nobody', (one) => one.console),
    cost('idle viewer: database', 'ms of processor time per minute', 'one', 'nobody', (one) => one.database),
    cost('idle viewer: memory of the console', 'kB', 'one', 'nobody', (one) => one.bytes / 1000),
    cost(
      'watched deployment: console',
      'ms of processor time per minute',
      'each',
      'one',
      (one) => one.console,
      VIEWERS - 1,
    ),
    cost(
      'watched deployment: database',
      'ms of processor time per minute',
      'each',
      'one',
      (one) => one.database,
      VIEWERS - 1,
    ),
    cost('watched deployment: memory of the console', 'kB', 'each', 'one', (one) => one.bytes / 1000, VIEWERS - 1),
  ]
}
