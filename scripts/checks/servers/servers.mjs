// The agent servers that are not ours: how each is installed into a folder of its own and started there.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { freePort } from '../../../bench/next-app.mjs'
import { cleanEnv } from '../../bootstrap.mjs'

/**
 * @typedef {{ folder: string, port: number, databaseUrl: string, redisUrl: string | undefined }} Place
 * @typedef {{
 *   name: string,
 *   packages: string[],
 *   isPython?: boolean,
 *   needsRedis?: boolean,
 *   version: string,
 *   command: (place: Place) => string[],
 *   env?: (place: Place) => Record<string, string>,
 * }} Server
 * `version` is the package whose installed version belongs in the table.
 */

const GRAPHS = ['chat', 'approval', 'failing']
const LOOPBACK = '127.0.0.1'
/** How long a server may take to answer for the first time. */
const START_MS = 120_000

/** @returns {Server} */
const npmServer = (version) => ({
  name: 'npm server',
  packages: [
    `@langchain/langgraph-cli@${version}`,
    `@langchain/langgraph-api@${version}`,
    ...['@langchain/langgraph@1', '@langchain/core@1', 'zod@4'],
  ],
  version: '@langchain/langgraph-api',
  command: ({ port }) => [
    process.execPath,
    'node_modules/@langchain/langgraph-cli/dist/cli/cli.mjs',
    ...['dev', '--no-browser', '--no-reload', '--host', LOOPBACK, '--port', String(port)],
  ],
})

/** @type {Server[]} */
export const SERVERS = [
  npmServer('1.5.1'),
  npmServer('2.0'),
  {
    name: 'Python in-memory server',
    packages: ['langgraph-cli[inmem]'],
    isPython: true,
    version: 'langgraph-api',
    command: ({ port }) => [
      'venv/bin/langgraph',
      ...['dev', '--no-browser', '--no-reload', '--host', LOOPBACK, '--port', String(port)],
    ],
  },
  {
    name: 'Aegra',
    packages: ['aegra-cli', 'aegra-api'],
    isPython: true,
    version: 'aegra-api',
    command: ({ port }) => [
      'venv/bin/aegra',
      ...['serve', '--host', LOOPBACK, '--port', String(port), '--config', 'langgraph.json'],
    ],
    env: ({ databaseUrl, redisUrl }) => ({
      DATABASE_URL: databaseUrl,
      ...(redisUrl && { REDIS_URL: redisUrl }),
      AUTH_TYPE: 'noop',
    }),
  },
  {
    name: 'langhost',
    packages: ['langhost'],
    isPython: true,
    needsRedis: true,
    version: 'langhost',
    command: ({ port }) => ['venv/bin/langhost', 'serve', '--host', LOOPBACK, '--port', String(port)],
    env: ({ databaseUrl, redisUrl }) => ({ DATABASE_URI: databaseUrl, REDIS_URI: redisUrl ?? '' }),
  },
]

/** @param {Server} server */
function install({ packages, isPython }, folder) {
  mkdirSync(folder)
  const file = isPython ? 'agents.py' : 'agents.ts'
  copyFileSync(path.join(import.meta.dirname, 'graphs', file), path.join(folder, file))
  const graphs = Object.fromEntries(GRAPHS.map((name) => [name, `./${file}:${name}`]))
  writeFileSync(path.join(folder, 'langgraph.json'), JSON.stringify({ dependencies: ['.'], graphs }))
  /** @type {import('node:child_process').ExecFileSyncOptions} */
  const options = { cwd: folder, env: cleanEnv(), stdio: ['ignore', 'ignore', 'pipe'] }
  if (isPython) {
    writeFileSync(
      path.join(folder, 'setup.py'),
      "from setuptools import setup\nsetup(name='agents', py_modules=['agents'])\n",
    )
    execFileSync(process.env.PYTHON ?? 'python3', ['-m', 'venv', 'venv'], options)
    execFileSync('venv/bin/pip', ['install', '--quiet', ...packages], options)
    return
  }
  writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
  // Version 2.0 asks for an SDK that the graph runtime does not come with.
  const flags = ['--legacy-peer-deps', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, ...packages], options)
}

/** @param {Server} server */
function versionOf({ version: name, isPython }, folder) {
  const code = `import importlib.metadata as m; print(m.version(${JSON.stringify(name)}), end='')`
  const [command, args] = isPython
    ? ['venv/bin/python', ['-c', code]]
    : [process.execPath, ['-p', `require('./node_modules/${name}/package.json').version`]]
  return execFileSync(path.resolve(folder, command), args, { cwd: folder, encoding: 'utf8' }).trim()
}

/**
 * Installs and starts a server. Its output is in `FOLDER.log`.
 * @param {Server} server
 * @param {string} folder
 * @param {{ databaseUrl: string, redisUrl: string | undefined }} stores
 */
export async function startServer(server, folder, stores) {
  if (server.needsRedis && !stores.redisUrl) throw new Error('it needs Redis, and there is no redis-server')
  install(server, folder)
  const version = versionOf(server, folder)
  const port = await freePort()
  const place = { folder, port, ...stores }
  const [command = '', ...args] = server.command(place)
  const child = spawn(path.resolve(folder, command), args, {
    cwd: folder,
    env: cleanEnv({ ...server.env?.(place), PORT: String(port), LANGSMITH_TRACING: 'false' }),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const log = createWriteStream(`${folder}.log`)
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  const ended = once(child, 'exit')
  const stop = async () => {
    // The servers start programs of their own, which are in the same group.
    if (child.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGKILL')
    await ended
  }
  const url = `http://${LOOPBACK}:${port}`
  try {
    await untilUp(url, child)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, version, stop }
}

async function untilUp(url, child) {
  const isUp = (resource) =>
    fetch(url + resource, { signal: AbortSignal.timeout(2_000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  for (const end = Date.now() + START_MS; Date.now() < end; ) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`)
    for (const resource of ['/ok', '/health', '/info']) if (await isUp(resource)) return
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
  throw new Error(`it did not answer within ${START_MS / 1000} s`)
}
