// `npm test`: everything CI does, from a fresh clone. `--no-browser` leaves the browser journeys out (`npm run verify`).
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { cleanEnv, ensureBuild, ensureChromium, ensureDependencies, ensurePlatform, root, tool } from './bootstrap.mjs'

const began = Date.now()
const hasBrowser = !process.argv.includes('--no-browser')
const counts = { passed: 0, failed: 0, skipped: 0 }

function finish() {
  const minutes = ((Date.now() - began) / 60_000).toFixed(1)
  console.log(`[test] ${minutes} minutes`)
  console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`)
  process.exit(counts.failed > 0 ? 1 : 0)
}
/** A step that is one check by itself, such as the type check. */
function check(name, isOk) {
  console.log(`[test] ${name}: ${isOk ? 'ok' : 'FAILED'}`)
  counts[isOk ? 'passed' : 'failed'] += 1
  if (!isOk) finish()
}
/** A runner with tests of its own: its exit code and its JSON report both count. */
function suite(name, args, report, read, options = {}) {
  const file = path.join(root, report)
  rmSync(file, { force: true })
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: cleanEnv(options.env) })
  let found = { passed: 0, failed: 0, skipped: 0 }
  try {
    found = read(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    console.error(`[test] ${name} left no report: ${error.message}`)
  }
  if (status !== 0 && found.failed === 0) found.failed = 1
  if (status === 0 && found.passed === 0) found.failed += 1 // a suite that ran nothing proves nothing
  for (const key of Object.keys(counts)) counts[key] += found[key]
  console.log(`[test] ${name}: ${found.passed} passed, ${found.failed} failed, ${found.skipped} skipped`)
  if (found.failed > 0) finish()
}

ensureDependencies()
const chromium = hasBrowser ? ensureChromium() : undefined
check('route types', tool('next/dist/bin/next', ['typegen']))
check('type check', tool('typescript/bin/tsc', ['--noEmit', '--incremental', 'false']))
check('type check of the scripts', tool('typescript/bin/tsc', ['-p', 'tsconfig.scripts.json']))
check('format and lint', tool('@biomejs/biome/bin/biome', ['check', '.']))
suite(
  'unit and contract tests',
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=json',
    '--outputFile.json=test-results/vitest.json',
  ],
  'test-results/vitest.json',
  (report) => ({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  }),
)
if (hasBrowser) {
  if (!chromium && !process.env.PLAYWRIGHT_OWN_BROWSER) {
    console.error(
      "[test] There is no Chromium. Debian: apt-get install chromium. Elsewhere: npx playwright install chromium, then PLAYWRIGHT_OWN_BROWSER=1 npm test; or set CHROMIUM to a browser's path.",
    )
    check('Chromium', false)
  }
  ensurePlatform()
  ensureBuild() // on a stale build a journey fails, or passes, falsely
  suite(
    'browser journeys',
    ['node_modules/@playwright/test/cli.js', 'test'],
    'test-results/playwright.json',
    ({ stats }) => ({ passed: stats.expected + stats.flaky, failed: stats.unexpected, skipped: stats.skipped }),
    { env: { ...(chromium && { CHROMIUM: chromium }), PLAYWRIGHT_JSON_OUTPUT_NAME: 'test-results/playwright.json' } },
  )
}
finish()
