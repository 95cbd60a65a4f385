import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { transformSync } from 'esbuild'
import { expect, test } from 'vitest'
import { isAlive } from '../platform-fixture'
import { runBound } from './bound-process'

test('a program ends with a parent that was killed', async () => {
  const source = readFileSync('platform/testing/kubernetes/bound-process.ts', 'utf8')
  const code = `${transformSync(source, { loader: 'ts' }).code}
    const child = runBound('sleep', ['600'], '/').once('spawn', () => console.log(child.pid))`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(createInterface(parent.stdout), 'line')
  expect(isAlive(Number(line))).toBe(true)
  parent.kill('SIGKILL')
  await expect.poll(() => isAlive(Number(line)), { timeout: 10_000 }).toBe(false)
})

test('its output, its exit and a kill are those of the program', async () => {
  const child = runBound('sh', ['-c', 'echo "$1"; exit 3', 'sh', 'with a space'], '/')
  const [[code], [text]] = await Promise.all([once(child, 'exit'), once(child.stdout, 'data')])
  expect([code, String(text)]).toEqual([3, 'with a space\n'])
  const other = runBound('sleep', ['600'], '/')
  other.kill('SIGKILL')
  expect(await once(other, 'exit')).toEqual([null, 'SIGKILL'])
})
