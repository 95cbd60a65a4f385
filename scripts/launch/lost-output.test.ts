import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { afterEach, expect, test } from 'vitest'
import { root } from '../bootstrap.mjs'
import { SERVER } from '../build-platform.mjs'

/** Says what nobody has caught. The framework's server would print it, fail again, and serve nobody any more. */
const PROGRAM = `
const uncaught = []
process.on('uncaughtException', ({ message }) => uncaught.push(message))
process.on('message', () => {
  for (const output of [process.stdout, process.stderr]) output.write('a line')
  setImmediate(() => process.send(uncaught))
})
process.send('begun')
`
let program: ChildProcess | undefined
afterEach(() => void program?.kill('SIGKILL'))

function start(args: string[], env: Record<string, string> = {}) {
  const started = spawn(process.execPath, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  program = started
  return started
}

/** What the program says after the readers of its output have left. */
async function saysWithoutReaders(args: string[]): Promise<unknown> {
  const { stdout, stderr } = start(args)
  await once(program as ChildProcess, 'message')
  for (const output of [stdout, stderr]) {
    output?.destroy()
    if (output && !output.closed) await once(output, 'close')
  }
  program?.send('print')
  const [said] = await once(program as ChildProcess, 'message')
  return said
}

test.each(['launch/lost-output', 'launch/json-console', 'inherit-secrets'])(
  'a program with %s goes on when nobody reads its output any more',
  async (file) => {
    const args = ['--import', `./scripts/${file}.mjs`, '--input-type=module', '-e', PROGRAM]
    expect(await saysWithoutReaders(args)).toEqual([])
  },
)

test('so does a program of the platform', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-output-'))
  const outfile = path.join(folder, 'program.mjs')
  await build({ ...SERVER, outdir: undefined, outfile, stdin: { contents: PROGRAM, resolveDir: root } })
  expect(await saysWithoutReaders([outfile])).toEqual([])
  rmSync(folder, { recursive: true })
})

test('a command that follows a log ends with its reader', async () => {
  const line = { timestamp: '2026-01-01T00:00:00Z', level: 'INFO', message: 'a line' }
  const answers: Record<string, object> = {
    '/api/v1/token': { workspace: 'default' },
    '/api/v1/deployments': { deployments: [{ id: 'one', name: 'one' }] },
  }
  let lines = 0
  const console_ = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost')
    if (pathname.endsWith('/logs')) lines += 1
    const logs = { lines: Array.from({ length: lines }, () => line), next: null }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[pathname] ?? logs))
  }).listen(0, '127.0.0.1')
  await once(console_, 'listening')
  const url = `http://127.0.0.1:${(console_.address() as AddressInfo).port}`
  const env = { PILOTHOUSE_URL: url, PILOTHOUSE_TOKEN: 'any' }
  const command = start(['scripts/launch/pilothouse.mjs', 'logs', 'one', '--follow'], env)
  let errors = ''
  command.stderr?.on('data', (text) => {
    errors += text
  })
  await once(command.stdout as NonNullable<typeof command.stdout>, 'data')
  command.stdout?.destroy()
  const [code] = await once(command, 'exit')
  expect([code, errors]).toEqual([0, ''])
  console_.close()
})
