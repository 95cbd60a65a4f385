import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { root } from '../bootstrap.mjs'

// Like the console: open requests hold it up after SIGTERM.
const PROGRAM = `
process.on('SIGTERM', () => {})
process.send('started')
await globalThis.pilothouseSecrets
`
const LAUNCHER = `
import { supervise } from './scripts/launch/supervise.mjs'
const { add } = supervise()
const args = ['--import', './scripts/inherit-secrets.mjs', process.argv.at(-1)]
const child = add('the program', args, { secrets: { SECRET: new Promise(() => {}) } })
await child.first
console.log('started')
`
let folder
let launcher
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-supervise-'))
})
afterEach(() => {
  launcher.kill('SIGKILL')
  rmSync(folder, { recursive: true })
})

test('a program that still waits for its secrets ends at once', async () => {
  const program = path.join(folder, 'program.mjs')
  writeFileSync(program, PROGRAM)
  const args = ['--input-type=module', '-e', LAUNCHER, program]
  launcher = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  await once(launcher.stdout, 'data')
  const began = Date.now()
  launcher.kill('SIGTERM')
  await once(launcher, 'exit')
  expect(Date.now() - began).toBeLessThan(4000) // killed after 7 s
})

test('a program that is kept if it is killed ends everything when it gives up', async () => {
  const program = path.join(folder, 'program.mjs')
  const starts = path.join(folder, 'starts')
  writeFileSync(
    program,
    `import { appendFileSync, readFileSync } from 'node:fs'
    appendFileSync(${JSON.stringify(starts)}, 'x')
    process.send('started', () => {
      if (readFileSync(${JSON.stringify(starts)}).length < 3) process.kill(process.pid, 'SIGKILL')
      process.exit(1)
    })`,
  )
  const code = `import { supervise } from './scripts/launch/supervise.mjs'
    supervise().add('the program', [process.argv.at(-1)], { isKept: 'if killed' })`
  launcher = spawn(process.execPath, ['--input-type=module', '-e', code, program], { cwd: root, stdio: 'ignore' })
  expect((await once(launcher, 'exit'))[0]).toBe(1)
  expect(readFileSync(starts, 'utf8')).toBe('xxx')
})

test('what the launcher makes can be read by the users of deployments, whatever its own umask is', async () => {
  const code = `import { launch } from './scripts/launch/launch.mjs'
    process.on('exit', () => console.log(process.umask().toString(8)))
    await launch({})`
  const args = ['-c', 'umask 077; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', code]
  launcher = spawn('/bin/sh', args, {
    cwd: root,
    env: { ...process.env, PORT: 'none' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  expect(String((await once(launcher.stdout, 'data'))[0])).toBe('22\n')
})
