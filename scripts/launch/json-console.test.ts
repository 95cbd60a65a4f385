import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../bootstrap.mjs'

const run = (code: string) => {
  const file = path.resolve('scripts/launch/json-console.mjs')
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', file, '--eval', code], { encoding: 'utf8' })
  const lines = (text: string) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return { out: lines(stdout), error: lines(stderr) }
}

test('each print of a library is one line of JSON in the format of the log', () => {
  const { out, error } = run(`
    console.log('\\u001b[32m✓\\u001b[0m Ready in %dms', 87)
    console.log('')
    console.warn('two\\nlines')
    console.error(' ⨯', new TypeError('broken'))
    console.info('x'.repeat(9000))`)
  expect(out).toMatchObject([
    { level: 'info', event: 'console', message: '✓ Ready in 87ms' },
    { level: 'info', message: expect.stringMatching(/^x{2000}…$/) },
  ])
  expect(error).toMatchObject([
    { level: 'warn', message: 'two lines' },
    { level: 'error', message: expect.stringMatching(/^⨯ TypeError: broken at /) },
  ])
  expect(Date.parse(out[0].at)).not.toBeNaN()
})

test('a warning of Node.js or a library has the level of one', () => {
  expect(run(`process.emitWarning('NodeVersionSupportWarning: The SDK will require\\nnode >=22.')`)).toMatchObject({
    out: [],
    error: [
      {
        level: 'warn',
        event: 'console',
        message: 'Warning: NodeVersionSupportWarning: The SDK will require node >=22.',
      },
    ],
  })
})

/** Warns before it exits, which these programs do at once: their settings are wrong. */
const WARNS = `const { exit } = process
process.exit = (code) => {
  process.emitWarning('odd')
  setImmediate(exit, code)
}`

test.each(['platform', 'gateway', 'listener'])('the %s prints a warning of Node.js as a line of its log', (program) => {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(WARNS)}`, `.build/${program}.mjs`],
    { cwd: root, env: { ...process.env, PLATFORM_PORT: 'none' }, encoding: 'utf8' },
  )
  expect(stdout).toBe('')
  const lines = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([
    { level: 'error', event: program, message: expect.stringMatching(/cannot (start|run)/) },
    { level: 'warn', event: 'console', message: 'Warning: odd' },
  ])
})
