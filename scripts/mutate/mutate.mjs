// `npm run mutate -- [ROOM|FILE]... [--fresh] [--sample PERCENT [--seed WORD]]`: changes the code of a room in thousands of
// small ways, and lists the changes that its tests let pass. Without a name: all rooms, which takes hours; a sample takes its
// share, another seed another one. A second run tests only what has changed since, unless it is `--fresh`. Not in CI.
// `docs/mutation.md` has scores and survivors.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { cleanEnv, ensureDependencies, ensurePlatform, root } from '../bootstrap.mjs'
import { startTestDatabase } from '../start-test-database.mjs'

/** Each room with the tests of other rooms that exercise it, and the slow tests that mutation runs leave out. */
const ROOMS = {
  // Its data is nested a million levels deep, which takes a minute where every step is counted.
  'lib/stream': { tests: ['components/runs/**/*.test.ts'], without: ['lib/stream/hostile.test.ts'] },
  'lib/contracts': { tests: [] },
  'lib/server/edits': {
    tests: ['lib/actions/resource-spec.test.ts', 'lib/actions/prices.test.ts'],
    needsDatabase: true,
  },
  'lib/server/access': {
    tests: [
      'lib/actions/console-actions.test.ts',
      'lib/server/audit/{invitations,passkeys,sign-in-by-link}.test.ts',
      'lib/server/records/{members,records}.test.ts',
      'lib/server/start/attach.test.ts',
    ],
    needsDatabase: true,
  },
  'lib/server/upstream': { tests: ['lib/server/relay/*.test.ts'], needsDatabase: true },
  'lib/server/recorder': {
    tests: ['lib/server/live/live.test.ts'],
    // They take a minute each: the first two run other processes, whose code is unchanged, and the last has its own room.
    without: ['lib/server/recorder/{crash,real-agent}.test.ts', 'lib/server/live/exactness.test.ts'],
    needsDatabase: true,
  },
  'lib/server/live': {
    tests: ['lib/server/recorder/recorder.test.ts'],
    without: ['lib/server/live/exactness.test.ts'],
    needsDatabase: true,
  },
  'platform/agent-server': { tests: ['platform/gateway/*.test.ts'], needsDatabase: true },
}

const IS_CODE = /(?<!\.test|\.d)\.tsx?$/
const IS_FOR_TESTS = /(^|\/)(testing|fixtures)(\.ts$|\/)/
/** Lines that a sample takes or leaves together. */
const SAMPLE_LINES = 12

const here = import.meta.dirname
const folder = path.join(root, 'test-results/mutation')
const { values, positionals } = parseArgs({
  options: {
    fresh: { type: 'boolean' },
    sample: { type: 'string', default: '100' },
    seed: { type: 'string', default: '' },
  },
  allowPositionals: true,
})
const percent = Number(values.sample)
if (!(percent > 0 && percent <= 100)) {
  console.error(`--sample ${values.sample}: give the percentage to test, above 0 and up to 100.`)
  process.exit(2)
}
const given = positionals.map((name) => name.replace(/\/$/, ''))
const roomOf = (name) => Object.keys(ROOMS).find((room) => name === room || name.startsWith(`${room}/`))
const unknown = given.filter((name) => !roomOf(name) || !existsSync(path.join(root, name)))
if (unknown.length > 0) {
  console.error(
    `There is no room ${unknown.join(', ')}. Choose from: ${Object.keys(ROOMS).join(', ')}, or a file in one.`,
  )
  process.exit(2)
}

ensureDependencies()
ensurePlatform()
const stryker = ensureStryker()
mkdirSync(folder, { recursive: true })
const names = given.length > 0 ? given : Object.keys(ROOMS)
const database = names.some((name) => ROOMS[roomOf(name)].needsDatabase) ? startTestDatabase() : undefined
const url = await database?.url
const scores = names.map((name) => mutate(name))
await database?.stop()
process.exit(scores.every(Boolean) ? 0 : 1)

/** Installs the mutation tester, whose packages nothing else needs, unless that was done with the same lock file. */
function ensureStryker() {
  const lock = readFileSync(path.join(here, 'package-lock.json'))
  const want = createHash('sha256').update(lock).update(process.version).digest('hex')
  const stamp = path.join(here, 'node_modules/.stamp')
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== want) {
    const flags = ['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error']
    const { status } = spawnSync('npm', flags, { cwd: here, env: cleanEnv(), stdio: 'inherit' })
    if (status !== 0) throw new Error('The mutation tester could not be installed; it needs the npm registry once.')
    writeFileSync(stamp, want)
  }
  return path.join(here, 'node_modules/@stryker-mutator/core/bin/stryker.js')
}

/** The files to change; of a sample, blocks of their lines, the same ones for the same seed. */
function codeOf(name) {
  const { stdout } = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', name], { cwd: root })
  const files = stdout
    .toString()
    .split('\n')
    .filter((file) => IS_CODE.test(file) && !IS_FOR_TESTS.test(file))
  return percent === 100 ? files : files.flatMap(blocksOf)
}

function blocksOf(file) {
  const count = Math.ceil(readFileSync(path.join(root, file), 'utf8').split('\n').length / SAMPLE_LINES)
  const isTaken = (block) =>
    createHash('sha256').update(`${values.seed}${file} ${block}`).digest().readUInt32BE() % 10_000 < percent * 100
  const blocks = Array.from({ length: count }, (_, index) => index).filter(isTaken)
  return blocks.map((block) => `${file}:${block * SAMPLE_LINES + 1}-${(block + 1) * SAMPLE_LINES}`)
}

/** Returns whether the score is reached. */
function mutate(name) {
  const room = roomOf(name)
  const { tests, without = [], needsDatabase = false } = ROOMS[room]
  const id = [name.replaceAll('/', '-'), ...(percent < 100 ? [percent, values.seed] : [])].filter(Boolean).join('-')
  const report = path.join(folder, `${id}.json`)
  const config = path.join(folder, `${id}.config.json`)
  const settings = {
    plugins: [path.join(here, 'runner.mjs')],
    testRunner: 'keeping-vitest',
    vitest: { configFile: 'scripts/mutate/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    mutate: codeOf(name),
    // What is evaluated when a module is loaded needs all tests for each change; with a database that takes minutes.
    ignoreStatic: needsDatabase,
    // It would read all files of the project to switch off checks that nothing makes here.
    disableTypeChecks: false,
    // Wording of errors and logs is tested where it matters.
    mutator: { excludedMutations: ['StringLiteral'] },
    ignorePatterns: [
      '.next',
      '.build/cache',
      '.data',
      'test-results',
      'playwright-report',
      'docs',
      'scripts/mutate/node_modules',
      'bench/rivals/*/node_modules',
    ],
    // It would rewrite ours through an interface that TypeScript 7 does not have.
    tsconfigFile: 'none.json',
    incremental: true,
    incrementalFile: path.join(folder, `${id}.incremental.json`),
    force: values.fresh ?? false,
    concurrency: Math.max(1, Math.min(2, os.availableParallelism())),
    // A change to a schema needs all tests of its room, which a busy machine does not finish in twenty seconds.
    timeoutMS: 60_000,
    dryRunTimeoutMinutes: 30,
    tempDirName: 'test-results/mutation/sandbox',
    reporters: ['clear-text', 'progress-append-only', 'json', 'html'],
    clearTextReporter: { allowColor: false, allowEmojis: false, logTests: false, reportTests: false },
    jsonReporter: { fileName: report },
    htmlReporter: { fileName: path.join(folder, `${id}.html`) },
    thresholds: { high: 90, low: 85, break: 85 },
    allowConsoleColors: false,
  }
  writeFileSync(config, JSON.stringify(settings, null, 2))
  console.log(`[mutate] ${name}`)
  const { status } = spawnSync(process.execPath, [stryker, 'run', config], {
    cwd: root,
    stdio: 'inherit',
    env: cleanEnv({
      MUTATE_TESTS: [`${room}/**/*.test.{ts,tsx}`, ...tests].join(' '),
      MUTATE_WITHOUT: without.join(' '),
      ...(url && { TEST_DATABASE_URL: url }),
    }),
  })
  console.log(`[mutate] ${name}: the report is ${path.relative(root, path.join(folder, `${id}.html`))}`)
  return status === 0
}
