// `npm test`: everything CI does, from a fresh clone. `--no-browser` skips the browser tests (`npm run verify`). Every
// step runs even if an earlier one failed, so that one run shows all failures.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, openSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cleanEnv, ensureBuild, ensureDependencies, ensurePlatform, root, tool } from './bootstrap.mjs'
import { ensureChromium, HOW_TO_GET_CHROMIUM } from './chromium.mjs'
import { closingLines, countPlaywright, noCounts, settleSuite } from './counts/test-counts.mjs'

const began = Date.now()
const hasBrowser = !process.argv.includes('--no-browser')
const UNIT = 'unit and contract tests'
const JOURNEYS = 'browser journeys'
const counts = noCounts()
const waiting = new Set([
  ...(hasBrowser ? ['Chromium'] : []),
  ...[
    'dependencies',
    'route types',
    'type check',
    'type check of the scripts',
    'format and lint',
    'documentation',
    UNIT,
  ],
  ...(hasBrowser ? ['build', JOURNEYS] : []),
])
/** The current step. */
let current = ''

// Also if a step exits by itself, like a failed installation.
process.on('exit', () => {
  if (current) counts.failed++
  for (const line of closingLines(counts, (Date.now() - began) / 60_000, [...waiting])) console.log(line)
  if (counts.failed > 0) process.exitCode = 1
})

function begin(name) {
  current = name
  waiting.delete(name)
}
/** A step with a single check, such as the type check. */
function check(name, work) {
  begin(name)
  const isOk = work()
  current = ''
  console.log(`[test] ${name}: ${isOk ? 'ok' : 'FAILED'}`)
  counts[isOk ? 'passed' : 'failed'] += 1
  if (!isOk) counts.failures.push(name)
  return isOk
}
/** Builds the documentation from now on, which keeps one processor busy. Returns what waits for it and prints its output. */
function buildDocs() {
  const file = path.join(root, 'test-results/documentation.log')
  mkdirSync(path.dirname(file), { recursive: true })
  const output = openSync(file, 'w') // not a pipe: nobody reads one while another step runs
  const child = spawn(process.execPath, ['scripts/docs/ensure.mjs'], {
    cwd: root,
    env: cleanEnv(),
    stdio: ['ignore', output, output],
  })
  const ended = once(child, 'exit').catch((error) => [error.message])
  return async () => {
    const [code] = await ended
    process.stdout.write(readFileSync(file))
    return code === 0
  }
}
/** A test runner: its exit code and its report both count. */
function suite(name, args, report, read, env = {}) {
  begin(name)
  const file = path.join(root, report)
  rmSync(file, { force: true })
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit', env: cleanEnv(env) })
  let found
  try {
    found = read(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    console.error(`[test] ${name} left no report: ${error.message}`)
  }
  const { passed, failed, skipped, notRun, failures, flaky } = settleSuite(found, status)
  current = ''
  counts.passed += passed
  counts.failed += failed
  counts.skipped += skipped
  counts.notRun += notRun
  counts.failures.push(...failures)
  counts.flaky.push(...flaky)
  console.log(
    `[test] ${name}: ${passed} passed, ${failed} failed, ${flaky.length} flaky, ${skipped} skipped, ${notRun} not run`,
  )
}

let chromium
if (hasBrowser) {
  const found = check('Chromium', () => {
    chromium = ensureChromium()
    return Boolean(chromium ?? process.env.PLAYWRIGHT_OWN_BROWSER)
  })
  if (!found) {
    console.error(`[test] ${HOW_TO_GET_CHROMIUM} npm run verify needs no browser.`)
    process.exit(1)
  }
}
check('dependencies', () => {
  ensureDependencies()
  return true
})
const docs = buildDocs()
check('route types', () => tool('next/dist/bin/next', ['typegen']))
// Each checker makes the shared types once more, so more of them than processors only cost time.
const checkers = ['--checkers', String(Math.min(4, os.availableParallelism()))]
check('type check', () => tool('typescript/bin/tsc', ['--noEmit', '--incremental', 'false', ...checkers]))
check('type check of the scripts', () => tool('typescript/bin/tsc', ['-p', 'tsconfig.scripts.json', ...checkers]))
check('format and lint', () => tool('@biomejs/biome/bin/biome', ['check', '.']))
const areDocsBuilt = await docs()
check('documentation', () => areDocsBuilt)
suite(
  UNIT,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--reporter=default',
    '--reporter=./scripts/counts/count-reporter.mjs',
    '--outputFile=test-results/vitest.json',
  ],
  'test-results/vitest.json',
  (counted) => counted,
)
if (hasBrowser) {
  check('build', () => {
    ensurePlatform()
    ensureBuild() // on a stale build, browser tests fail or pass falsely
    return true
  })
  suite(JOURNEYS, ['node_modules/@playwright/test/cli.js', 'test'], 'test-results/playwright.json', countPlaywright, {
    ...(chromium && { CHROMIUM: chromium }),
    PLAYWRIGHT_JSON_OUTPUT_NAME: 'test-results/playwright.json',
  })
}
