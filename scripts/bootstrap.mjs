// Node only, no dependencies: start.mjs and test.mjs import this before node_modules exists.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { takeLock } from './data-folder.mjs'

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..')

/** A published package holds the finished programs and all packages, and may be read-only. */
export const isPackaged = existsSync(path.join(root, 'server.js'))

/**
 * The environment without what npm and a caller's shell would leak into npm, next, vitest and the agents.
 * @param {Record<string, string | undefined>} extra
 * @returns {NodeJS.ProcessEnv} NODE_ENV is left to the program that is started
 */
export function cleanEnv(extra = {}) {
  const kept = Object.entries(process.env).filter(([key]) => !/^(npm_.*|INIT_CWD|NODE_ENV|NODE_OPTIONS)$/i.test(key))
  /** @type {any} */
  const env = { ...Object.fromEntries(kept), NEXT_TELEMETRY_DISABLED: '1', ...extra }
  return env
}

/** For the programs of a command: they end if this process is killed. A URL has no spaces, which would have to be quoted. */
const END_WITH_PARENT = `--import=${pathToFileURL(path.join(root, 'scripts/launch/end-with-parent.mjs'))}?${process.pid}`

/** Runs a command to its end and prints what it does. Returns whether it succeeded. */
export function run(command, args, options = {}) {
  const began = Date.now()
  const { status, signal, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    ...options,
    env: { ...(options.env ?? cleanEnv()), NODE_OPTIONS: END_WITH_PARENT },
  })
  const took = ((Date.now() - began) / 1000).toFixed(1)
  console.log(
    `[boot] ${path.basename(command)} ${args.join(' ')}: ${status === 0 ? 'done' : (error?.message ?? `ended with ${status ?? signal}`)} in ${took} s`,
  )
  return status === 0
}

/** Runs a package's script with this Node, without npx. */
export const tool = (script, args = [], options) => run(process.execPath, [`node_modules/${script}`, ...args], options)

const filesIn = (folder) =>
  existsSync(path.join(root, folder))
    ? readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
        .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)))
        .sort()
    : []
const hashOf = (files) =>
  files
    .filter((file) => existsSync(path.join(root, file)))
    .reduce((hash, file) => hash.update(file).update(readFileSync(path.join(root, file))), createHash('sha256'))
    .digest('hex')
const isStamped = (file, value) =>
  existsSync(path.join(root, file)) && readFileSync(path.join(root, file), 'utf8') === value
function stamp(file, value) {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  writeFileSync(path.join(root, file), value)
}

/**
 * Makes all builds from here on serve the console below the path of its public address. A packaged console keeps the path
 * that it was built for.
 * @param {string | undefined} address
 */
export function buildBelow(address) {
  const { pathname } = URL.canParse(address ?? '') ? new URL(address ?? '') : { pathname: '/' }
  process.env.PILOTHOUSE_BASE_PATH = isPackaged
    ? JSON.parse(readFileSync(path.join(root, '.next/routes-manifest.json'), 'utf8')).basePath
    : pathname.replace(/\/+$/, '')
}
const basePath = () => process.env.PILOTHOUSE_BASE_PATH ?? ''

function waitForLock(lock) {
  mkdirSync(path.dirname(lock), { recursive: true })
  let told
  for (let holder = takeLock(lock); holder; holder = takeLock(lock)) {
    if (holder !== told) console.log(`[boot] waiting for process ${holder}, which builds in this folder`)
    told = holder
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200) // work is synchronous here
  }
}

/**
 * Does work whose result has this stamp, unless it is done. Of several starts in this folder, one at a time works. Returns
 * whether it is done now.
 */
function ensureStamped(file, want, work) {
  if (isStamped(file, want)) return true
  const lock = path.join(root, '.build/lock.json')
  try {
    waitForLock(lock)
  } catch ({ message }) {
    console.error(`[boot] ${root} has to be built, and cannot be written to: ${message}`)
    process.exit(1)
  }
  try {
    if (isStamped(file, want)) return true
    if (!work()) return false
    stamp(file, want)
    return true
  } finally {
    rmSync(lock, { force: true })
  }
}

export function ensureNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major > 20 || (major === 20 && minor >= 19)) return
  console.error(`Pilothouse needs Node 22 or 24 (20.19 also works); this is ${process.version}.`)
  process.exit(1)
}

/** Installs the dependencies if they are missing or the lock file changed. Only then needs the npm registry. */
export function ensureDependencies() {
  ensureNode()
  if (isPackaged) return
  const want = hashOf(['package.json', 'package-lock.json']) + process.version + process.platform + process.arch
  const isDone = ensureStamped('node_modules/.stamp', want, () => {
    console.log('[boot] installing dependencies (once; half a minute with a warm npm cache)')
    return run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
  })
  if (isDone) return
  console.error(
    '[boot] npm ci failed; its error is above. Check the network and the npm registry. If package.json and package-lock.json disagree, run npm install and node scripts/complete-lock.mjs.',
  )
  process.exit(1)
}

const SHARED = ['tsconfig.json', 'package-lock.json']

/** Bundles the platform's two programs into .build/ in a tenth of a second. */
export function ensurePlatform() {
  if (isPackaged) return
  const want = hashOf([
    ...['platform', 'lib/contracts', 'lib/format', 'lib/json', 'lib/traces'].flatMap(filesIn),
    'lib/errors.ts',
    'scripts/build-platform.mjs',
    'scripts/launch/json-console.mjs',
    'scripts/launch/lost-output.mjs',
    ...SHARED,
  ])
  if (!ensureStamped('.build/.stamp', want, () => run(process.execPath, ['scripts/build-platform.mjs'])))
    process.exit(1)
}

/** What the documentation site is made of. */
const docsStamp = () =>
  hashOf([
    ...['docs', 'scripts/docs', 'lib/contracts', 'lib/server/http-api'].flatMap(filesIn),
    ...['.env.example', 'lib/server/process/env.ts', 'platform/kernel/env.ts'],
    ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'package-lock.json'],
  ]) + basePath()

const DOCS_STAMP = '.build/docs/.stamp'
export const areDocsStale = () => !isPackaged && !isStamped(DOCS_STAMP, docsStamp())

/** Builds the documentation site if its sources changed. Returns whether it worked. */
export function ensureDocs() {
  return isPackaged || ensureStamped(DOCS_STAMP, docsStamp(), () => run(process.execPath, ['scripts/docs/build.mjs']))
}

/** Builds the console if its sources or its path changed since the last build. */
export function ensureBuild() {
  if (isPackaged) return
  const config = [
    ...['proxy.ts', 'instrumentation.ts', 'instrumentation-client.ts'],
    ...['next.config.mjs', 'scripts/pack/compress.mjs', 'tailwind.config.ts', 'postcss.config.mjs'],
  ]
  const want = hashOf([...['app', 'components', 'lib', 'public'].flatMap(filesIn), ...config, ...SHARED]) + basePath()
  const isDone = ensureStamped('.next/.stamp', want, () => {
    console.log('[boot] building the console (once per change of its sources or path)')
    return tool('next/dist/bin/next', ['build'], { env: cleanEnv({ NODE_ENV: 'production' }) })
  })
  if (isDone) return
  console.error('[boot] The console could not be built. See the errors above.')
  process.exit(1)
}
