// `node processes.mjs COUNT [--import FILE]... PROGRAM ARGS...`: runs the console in several processes that share its port.
// One that ends is started again; their metrics are gathered for the one that is asked (lib/server/start/gathered-metrics.ts).
import cluster from 'node:cluster'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { handOver, SECRETS_FD } from '../secrets.mjs'
import './own-lines.mjs'

/** Most processes that ended in a row before they served, and the pause before the next is started. */
const MOST_FAILURES = 3
const RESTART_MS = 250
/** A process that hangs must not hold up the metrics of the others. */
const GATHER_MS = 1000

const [count, ...rest] = process.argv.slice(2)
const program = rest.findIndex((arg, index) => arg !== '--import' && rest[index - 1] !== '--import')
const secrets = JSON.parse(readFileSync(SECRETS_FD, 'utf8'))

cluster.setupPrimary({
  execArgv: rest.slice(0, program),
  exec: rest[program],
  args: rest.slice(program + 1),
  stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
  serialization: 'advanced', // JSON has no NaN, which metrics use
})

// Where they meet (lib/server/recorder/instances/neighbours.ts). Only this user can enter it.
const neighbours = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-'))
process.on('exit', () => rmSync(neighbours, { recursive: true, force: true }))

let isStopping = false
let failures = 0

/** @param {number} number */
function start(number) {
  failures++
  const worker = cluster.fork({
    PILOTHOUSE_PROCESSES: count,
    PILOTHOUSE_PROCESS: String(number),
    PILOTHOUSE_NEIGHBOURS: neighbours,
    PILOTHOUSE_SECRETS_FD: SECRETS_FD,
  })
  void handOver(worker.process, secrets)
  worker.once('listening', () => {
    failures = 0
  })
  worker.once('exit', (status, signal) => {
    if (isStopping) return
    console.error(`[start] a process of the console ended unexpectedly (${status ?? signal})`)
    if (failures > MOST_FAILURES) process.exit(status || 1)
    setTimeout(() => isStopping || start(number), RESTART_MS * 2 ** failures)
  })
}

/** @type {Map<number, (part: unknown) => void>} */
const asked = new Map()
let asks = 0
cluster.on('message', (worker, { gather, part, ask, hasStarted } = {}) => {
  if (hasStarted) return void process.send?.({ hasStarted })
  if (gather === undefined) return void asked.get(ask)?.(part)
  const id = ++asks
  const others = Object.values(cluster.workers ?? {}).filter((one) => one && one !== worker && one.isConnected())
  const parts = []
  const answer = () => {
    clearTimeout(late)
    if (asked.delete(id) && worker.isConnected()) worker.send({ gathered: gather, parts })
  }
  const late = setTimeout(answer, GATHER_MS)
  asked.set(id, (one) => {
    if (parts.push(one) === others.length) answer()
  })
  for (const one of others) one?.send({ ask: id })
  if (others.length === 0) answer()
})

async function stop() {
  if (isStopping) return
  isStopping = true
  const running = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  await Promise.all(
    running.map((worker) => {
      const ended = new Promise((resolve) => worker.once('exit', resolve))
      worker.process.kill('SIGTERM')
      return ended
    }),
  )
  process.exit(0)
}
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => void stop())
process.on('disconnect', () => void stop()) // the launcher died

for (let number = 1; number <= Number(count); number++) start(number)
