import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { cleanEnv, root } from '../bootstrap.mjs'
import { closingLines, countPlaywright, noCounts, settleSuite } from './test-counts.mjs'

vi.setConfig({ testTimeout: 120_000 })

const folder = mkdtempSync(path.join(root, 'node_modules/.counts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const write = (name, text) => writeFileSync(path.join(folder, name), text)
const report = path.join(folder, 'report.json')
/** Runs a test runner over the files written so far; returns its exit code and report. */
function runner(script, args, env = {}) {
  const { status } = spawnSync(process.execPath, [path.join(root, 'node_modules', script), ...args], {
    cwd: folder,
    env: cleanEnv({ VITEST: undefined, ...env }),
  })
  return { status, report: JSON.parse(readFileSync(report, 'utf8')) }
}
test('vitest: a test that needed a retry did not pass, and one that a failed hook prevented was not skipped', () => {
  write('vitest.config.mjs', `export default { test: { include: ['*.check.mjs'], exclude: [], retry: 1 } }`)
  write(
    'counts.check.mjs',
    `import { beforeAll, describe, expect, test } from 'vitest'
    let tries = 0
    test('passes', () => {})
    test('fails', () => { throw new Error('no') })
    test('flaky', () => { if (tries++ === 0) expect([1, 2]).toEqual([]) })
    test.skip('left out', () => {})
    describe('a', () => { beforeAll(() => { throw new Error('hook') }); test('one', () => {}); test('two', () => {}) })`,
  )
  write('broken.check.mjs', `throw new Error('cannot be loaded')`)
  const reporter = ['--reporter', path.join(root, 'scripts/counts/count-reporter.mjs'), '--outputFile', report]
  const ended = runner('vitest/vitest.mjs', ['run', ...reporter])
  expect(ended).toEqual({
    status: 1,
    report: {
      ...{ passed: 1, failed: 2, skipped: 1, notRun: 2 },
      failures: [
        expect.stringMatching(/^broken\.check\.mjs\n {4}cannot be loaded/),
        expect.stringMatching(/^counts\.check\.mjs: fails\n {4}no/),
      ],
      flaky: [expect.stringMatching(/^counts\.check\.mjs: flaky\n {4}expected \[ 1, 2 \] .*\n(.|\n)*\+ {3}1,/)],
    },
  })
})

test('Playwright: the same, and tests after a failure in a serial group did not run', () => {
  write(
    'playwright.config.mjs',
    `export default { testMatch: '*.journey.mjs', retries: 1, workers: 1, reporter: 'json' }`,
  )
  write(
    'counts.journey.mjs',
    `import { existsSync, writeFileSync } from 'node:fs'
    import { test } from '@playwright/test'
    test('passes', () => {})
    test('flaky', () => { if (!existsSync('tried')) { writeFileSync('tried', ''); throw new Error('once') } })
    test.skip('left out', () => {})
    test.describe.serial('a', () => { test('fails', () => { throw new Error('no') }); test('behind', () => {}) })`,
  )
  const ended = runner('@playwright/test/cli.js', ['test'], { PLAYWRIGHT_JSON_OUTPUT_NAME: report })
  expect(ended.status).toBe(1)
  expect(countPlaywright(ended.report)).toEqual({
    ...{ passed: 1, failed: 1, skipped: 1, notRun: 1 },
    failures: ['counts.journey.mjs: fails\n    Error: no'],
    flaky: ['counts.journey.mjs: flaky\n    Error: once'],
  })
})

test('a suite fails if it left no report, ran nothing, or ended badly without a failed test', () => {
  const passed = { ...noCounts(), passed: 3 }
  expect(settleSuite(undefined, 0)).toMatchObject({ failed: 1 })
  expect(settleSuite(noCounts(), 0)).toMatchObject({ failed: 1 })
  expect(settleSuite(passed, 1)).toMatchObject({ passed: 3, failed: 1 })
  expect(settleSuite(passed, 0)).toEqual(passed)
})

test('the closing lines list failed and flaky tests and those that did not run, and the last one always has the same form', () => {
  const counts = {
    passed: 5,
    failed: 1,
    skipped: 2,
    notRun: 3,
    failures: ['b.test.ts: always'],
    flaky: ['a.test.ts: now and then'],
  }
  const lines = closingLines(counts, 12.34, ['build', 'browser journeys'])
  expect(lines.slice(0, 3)).toEqual([
    '[test] failed: b.test.ts: always',
    '[test] flaky, passed only on a second try: a.test.ts: now and then',
    '[test] not run: build, browser journeys',
  ])
  expect(lines.at(-2)).toContain('1 flaky, counted as neither passed nor failed; 5 not run')
  expect(lines.at(-1)).toBe('5 passed, 1 failed, 7 skipped')
  expect(closingLines({ ...noCounts(), passed: 4 }, 1, []).at(-1)).toBe('4 passed, 0 failed, 0 skipped')
})
