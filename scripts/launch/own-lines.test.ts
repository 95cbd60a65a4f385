import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { root } from '../bootstrap.mjs'

const LAUNCH = `import { launch } from './scripts/launch/launch.mjs'
  await launch({})`
const PROGRAMS = {
  launcher: ['--input-type=module', '-e', LAUNCH],
  database: ['scripts/database.mjs', '/dev/null/none'],
}

function printed(args: readonly string[], format: string): string {
  const env = { ...process.env, PORT: 'none', PILOTHOUSE_LOG_FORMAT: format }
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' })
  return stdout + stderr
}

test.each([
  ['launcher', '[start] PORT is "none"'],
  ['database', '[database] '],
] as const)('lines of the %s are for people, or objects of the log', (program, text) => {
  expect(printed(PROGRAMS[program], 'text')).toContain(text)
  const lines = printed(PROGRAMS[program], 'json')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines.at(-1)).toMatchObject({ level: 'error', event: 'console', message: expect.stringContaining(text) })
})

test('another format is refused', () => {
  expect(printed(PROGRAMS.launcher, 'xml')).toContain('PILOTHOUSE_LOG_FORMAT is "xml": give text or json.')
})
