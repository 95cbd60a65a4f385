import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
