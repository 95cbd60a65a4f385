// node scripts/checks/kill-platform.mjs [KILLS] [--seed NUMBER] [--agent real]: kills the platform at random moments of
// a team's work; each time it must come back, finish or fail what was in progress, serve what served, and leave nothing
// behind. Exits with 1 and the seed at the first problem; timing differs, so a seed may need several tries.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { findProblems, processesOf } from '../../platform/testing/chaos-checks.mjs'
import { createJourney, createRandom } from '../../platform/testing/chaos-journey.mjs'
import { startProgram } from '../../platform/testing/program.mjs'
import { tickerFiles } from '../../platform/testing/ticker.mjs'
import { root, run } from '../bootstrap.mjs'
import { startTestDatabase } from '../start-test-database.mjs'

const options = /** @type {const} */ ({
  seed: { type: 'string' },
  agent: { type: 'string', default: 'stand-in' },
  quiet: { type: 'boolean' },
  'no-build': { type: 'boolean' },
})
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const kills = Number(positionals[0] ?? 10)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const isReal = values.agent === 'real'
/** Longest time from a start to a consistent state: two builds with their waits, and draining what they replaced. */
const PATIENCE_MS = 60_000
const LONGEST_WALK_MS = isReal ? 6000 : 2500

const random = createRandom(seed)
const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-kill-'))
const dataDir = path.join(folder, 'data')
const mark = path.join(folder, 'tmp')
mkdirSync(mark)
const standInFiles = (note) => ({
  'graph.json': '{"graphs":{"main":"./main.mjs:graph"}}',
  'main.mjs': `export const graph = { text: ${JSON.stringify(note)} }\n`,
})
const journey = createJourney({ folder, random, files: isReal ? tickerFiles : standInFiles })
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const say = (line) => values.quiet || console.log(`[kill] ${line}`)
const killed = { platform: 0, reaper: 0, agent: 0, work: 0 }
/** @type {Record<'back' | 'consistent', number[]>} */
const took = { back: [], consistent: [] }

const kill = (one) => {
  try {
    process.kill(one.pid, 'SIGKILL')
    killed[one.kind] += 1
  } catch {
    // gone in the meantime
  }
}

/** Kills another process too at times, shortly before the platform. */
async function strike(program) {
  const way = random()
  const running = processesOf(mark)
  const some = (kind) => running.filter((one) => one.kind === kind)
  if (way < 0.12) {
    for (const one of [...some('reaper'), { pid: program.child.pid, kind: 'platform' }]) kill(one)
    return
  }
  if (way < 0.3) {
    const victims = way < 0.2 ? some('agent') : some('work')
    const victim = victims[Math.floor(random() * victims.length)]
    if (victim) kill(victim)
    await pause(random() * 400)
  }
  kill({ pid: program.child.pid, kind: 'platform' })
}

async function waitUntilDone(ready, database) {
  let problems = ['it was never looked']
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(100)) {
    problems = await findProblems({ ready, mark, journey, dataDir, database })
    if (!problems.length) return
  }
  throw new Error(`still not consistent after ${PATIENCE_MS / 1000} s:\n  ${problems.join('\n  ')}`)
}
async function nothingLeft(what, patienceMs) {
  for (const end = Date.now() + patienceMs; processesOf(mark).length && Date.now() < end; ) await pause(50)
  const left = processesOf(mark)
  if (left.length) throw new Error(`${what} left ${left.map(({ pid, kind, command }) => `${kind} ${pid} ${command}`)}`)
}

if (!values['no-build'])
  run(process.execPath, ['scripts/build-platform.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] })
const server = process.env.DATABASE_URL ? undefined : startTestDatabase()
const databaseUrl = process.env.DATABASE_URL ?? (await server?.url)
const database = new pg.Client({ connectionString: databaseUrl })
await database.connect()
const start = async () => {
  const began = Date.now()
  const program = await startProgram({
    dataDir,
    databaseUrl,
    ...(!isReal && { agentServer: path.join(root, 'platform/testing/stand-in-agent.mjs') }),
    settings: { LC_MARK: mark, TMPDIR: mark, PILOTHOUSE_DRAIN_SECONDS: '2' },
  })
  took.back.push(Date.now() - began)
  return program
}

console.log(`[kill] ${kills} kills, seed ${seed}, ${values.agent} agent servers`)
const began = Date.now()
let program
let status = 0
try {
  program = await start()
  while (killed.platform < kills) {
    let isOver = false
    const walking = journey.walk(program.ready, () => isOver)
    await pause(20 + random() * LONGEST_WALK_MS)
    await strike(program)
    isOver = true
    await Promise.all([walking, program.ended])
    // Immediately, while the killed one's processes are ending, or later.
    await pause(random() < 0.7 ? random() * 300 : random() * 5000)
    program = await start()
    const since = Date.now()
    await waitUntilDone(program.ready, database)
    took.consistent.push(Date.now() - since)
    say(`${killed.platform}: consistent after ${took.consistent.at(-1)} ms, ${journey.deployments.size} deployments`)
  }
  program.child.kill('SIGTERM')
  if ((await program.ended) !== 0) throw new Error('SIGTERM did not end the platform cleanly')
  await nothingLeft('SIGTERM', 1000)
  program = await start()
  await waitUntilDone(program.ready, database)
  program.child.kill('SIGKILL')
  await nothingLeft('kill -9 with no start after it', 10_000)
} catch (error) {
  status = 1
  console.error(`[kill] after ${killed.platform} kills with seed ${seed}: ${error.message}`)
  console.error(`[kill] what was there: ${folder}, ${readdirSync(folder)}`)
}
program?.child.kill('SIGKILL')
for (const { pid } of processesOf(mark)) process.kill(pid, 'SIGKILL')
await database.end()
await server?.stop()
if (status === 0) rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

const middle = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]
console.log(
  JSON.stringify({
    seed,
    seconds: Math.round((Date.now() - began) / 1000),
    killed,
    steps: journey.counts,
    back_ms: { median: middle(took.back), longest: Math.max(...took.back) },
    consistent_ms: { median: middle(took.consistent), longest: Math.max(...took.consistent) },
  }),
)
process.exitCode = status
