import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { root } from '../bootstrap.mjs'
import { handOver } from '../secrets.mjs'

// Reports its process, and what the others answer.
const PROGRAM = `
import { createServer } from 'node:http'
let asks = 0
const waiting = new Map()
process.on('message', ({ ask, gathered, parts }) => {
  if (ask !== undefined) process.send({ ask, part: { pid: process.pid, number: process.env.PILOTHOUSE_PROCESS, unknown: NaN } })
  else waiting.get(gathered)?.(parts)
})
createServer((request, response) => {
  response.setHeader('connection', 'close')
  const own = { pid: process.pid, secret: process.env.SECRET, count: process.env.PILOTHOUSE_PROCESSES, number: process.env.PILOTHOUSE_PROCESS, meet: process.env.PILOTHOUSE_NEIGHBOURS }
  if (request.url !== '/all') return response.end(JSON.stringify(own))
  waiting.set(++asks, (parts) => response.end(JSON.stringify({ ...own, parts: parts.map((one) => ({ ...one, unknown: String(one.unknown) })) })))
  process.send({ gather: asks })
}).listen(Number(process.argv[2]), '127.0.0.1')
`

let folder
let port
let child
beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-processes-'))
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  port = /** @type {import('node:net').AddressInfo} */ (probe.address()).port
  await new Promise((resolve) => probe.close(resolve))
})
afterEach(async () => {
  if (child?.exitCode === null) await end('SIGKILL')
  rmSync(folder, { recursive: true })
})

function start(program) {
  const file = path.join(folder, 'program.mjs')
  writeFileSync(file, program)
  const args = ['scripts/launch/processes.mjs', '2', '--import', './scripts/inherit-secrets.mjs', file, String(port)]
  child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'] })
  void handOver(child, { SECRET: 'told over a pipe' })
  return child
}
async function end(signal) {
  child.kill(signal)
  const [code] = await once(child, 'exit')
  return code
}
/** Undefined if there is no answer: a connection that was given to a process as it ended gets none. */
const ask = (url = '/') =>
  fetch(`http://127.0.0.1:${port}${url}`, { signal: AbortSignal.timeout(3000) }).then(
    (response) => response.json(),
    () => undefined,
  )
/** The processes that answer, once there are two other than `gone`. */
async function pids(gone) {
  const seen = new Set()
  await expect
    .poll(
      async () => {
        const pid = (await ask())?.pid
        if (pid && pid !== gone) seen.add(pid)
        return seen.size
      },
      { timeout: 15_000, interval: 20 },
    )
    .toBe(2)
  return [...seen]
}

test('several processes share the port, get secrets over a pipe, and are started again', async () => {
  start(PROGRAM)
  const [first, second] = await pids()
  expect(await ask()).toMatchObject({ secret: 'told over a pipe', count: '2' })
  for (const pid of [child.pid, first, second])
    if (existsSync(`/proc/${pid}/environ`))
      expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain('told over a pipe')
  const { pid, parts, number } = await ask('/all')
  expect(parts).toEqual([{ pid: pid === first ? second : first, number: number === '1' ? '2' : '1', unknown: 'NaN' }])
  process.kill(first, 'SIGKILL')
  expect(await pids(first)).toContain(second)
  // The new process has the number of the one that ended.
  const after = await ask('/all')
  expect([after.number, ...after.parts.map((part) => part.number)].sort()).toEqual(['1', '2'])
  expect(await end('SIGTERM')).toBe(0)
  expect(await ask()).toBeUndefined()
})

test('the processes have a folder to meet in, which others cannot enter and which goes with them', async () => {
  start(PROGRAM)
  await pids()
  const { meet } = await ask()
  expect(statSync(meet).mode & 0o777).toBe(0o700)
  await end('SIGTERM')
  expect(existsSync(meet)).toBe(false)
})

test('a process that hangs holds no others up', async () => {
  start(PROGRAM)
  const [first, second] = await pids()
  process.kill(second, 'SIGSTOP')
  // Each second request is given to the stopped process.
  const answers = (await Promise.all([ask('/all'), ask('/all')])).filter(Boolean)
  expect(answers).toEqual([expect.objectContaining({ pid: first, parts: [] })])
  process.kill(second, 'SIGCONT')
})

test('a program that ends before it serves is given up', async () => {
  start('process.exit(3)')
  const [code] = await once(child, 'exit')
  expect(code).toBe(3)
})
