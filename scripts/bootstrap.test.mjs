import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { root } from './bootstrap.mjs'

/** Instead of the real one: notes when it begins and ends, and lasts until the file `go` exists. */
const BUILD = `
import { appendFileSync, existsSync } from 'node:fs'
appendFileSync('record', 'begin ')
while (!existsSync('go')) await new Promise((resolve) => setTimeout(resolve, 20))
appendFileSync('record', 'end ')
`
const START = "import('./scripts/bootstrap.mjs').then((boot) => boot.ensurePlatform())"
let clone
let starts
beforeEach(() => {
  clone = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-clone-'))
  starts = []
  mkdirSync(path.join(clone, 'scripts/launch'), { recursive: true })
  for (const name of ['bootstrap.mjs', 'data-folder.mjs', 'launch/end-with-parent.mjs'])
    cpSync(path.join(root, 'scripts', name), path.join(clone, 'scripts', name))
  writeFileSync(path.join(clone, 'scripts/build-platform.mjs'), BUILD)
})
afterEach(() => {
  for (const { end } of starts) end()
  rmSync(clone, { recursive: true, force: true })
})

function start() {
  // In its own group, so that its build ends with it.
  const child = spawn(process.execPath, ['-e', START], {
    cwd: clone,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const one = { said: '', pid: child.pid ?? 0, ended: once(child, 'exit'), closed: once(child, 'close'), end: () => {} }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      one.said += text
    })
  one.end = () => {
    if (child.exitCode === null && child.signalCode === null) process.kill(-one.pid, 'SIGKILL')
  }
  starts.push(one)
  return one
}
const record = () => (existsSync(path.join(clone, 'record')) ? readFileSync(path.join(clone, 'record'), 'utf8') : '')
const go = () => writeFileSync(path.join(clone, 'go'), '')
const soon = (check) => vi.waitFor(check, { timeout: 10_000, interval: 20 })

test('of two starts in one folder one builds, and the other says that it waits', async () => {
  const first = start()
  await soon(() => expect(record()).toBe('begin '))
  const second = start()
  await soon(() => expect(second.said).toBe(`[boot] waiting for process ${first.pid}, which builds in this folder\n`))
  go()
  expect(await Promise.all([first.ended, second.ended])).toEqual([
    [0, null],
    [0, null],
  ])
  expect(record()).toBe('begin end ')
  expect(existsSync(path.join(clone, '.build/lock.json'))).toBe(false)
})

test('a start builds after one that was killed', async () => {
  const killed = start()
  await soon(() => expect(record()).toBe('begin '))
  const second = start()
  await soon(() => expect(second.said).toContain('waiting'))
  killed.end()
  await soon(() => expect(record()).toBe('begin begin '))
  go()
  expect(await second.ended).toEqual([0, null])
  expect(record()).toBe('begin begin end ')
})

test('a build ends with a start that is killed, and so do the programs of the build', async () => {
  const inner = "setTimeout(() => require('fs').writeFileSync('go', ''), 8000)"
  writeFileSync(
    path.join(clone, 'scripts/build-platform.mjs'),
    `import { spawn } from 'node:child_process'\nspawn(process.execPath, ['-e', ${JSON.stringify(inner)}], { stdio: 'inherit' })\n${BUILD}`,
  )
  const killed = start()
  await soon(() => expect(record()).toBe('begin '))
  process.kill(killed.pid, 'SIGKILL')
  // Its output is theirs too.
  await killed.closed
  expect([record(), existsSync(path.join(clone, 'go'))]).toEqual(['begin ', false])
})

test('a start in a folder that it cannot write to says so in one line', async () => {
  writeFileSync(path.join(clone, '.build'), 'in the way')
  const one = start()
  expect(await one.ended).toEqual([1, null])
  await soon(() => expect(one.said).toMatch(/^\[boot\] \S+ has to be built, and cannot be written to: [^\n]+\n$/))
})

test('the console and its documentation are built again when the path of the public address changes', async () => {
  const build =
    "import { appendFileSync } from 'node:fs'; appendFileSync('record', process.env.PILOTHOUSE_BASE_PATH + ' ')"
  for (const file of ['node_modules/next/dist/bin/next', 'scripts/docs/build.mjs']) {
    mkdirSync(path.join(clone, path.dirname(file)), { recursive: true })
    writeFileSync(path.join(clone, file), build)
  }
  const { buildBelow, ensureBuild, ensureDocs, areDocsStale } = await import(path.join(clone, 'scripts/bootstrap.mjs'))
  vi.stubEnv('PILOTHOUSE_BASE_PATH', '')
  for (const address of [undefined, 'http://localhost:3000/', 'https://a.example/ops/', 'https://b.example/ops']) {
    buildBelow(address)
    ensureBuild()
    ensureDocs()
  }
  expect(record()).toBe('  /ops /ops ')
  expect(areDocsStale()).toBe(false)
  buildBelow('not an address')
  expect(areDocsStale()).toBe(true)
  vi.unstubAllEnvs()
})
