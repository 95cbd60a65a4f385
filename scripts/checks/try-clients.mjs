// node scripts/checks/try-clients.mjs [NAME...]: which versions of the official clients work with the agent server. Installs each
// one in a folder of its own, runs its checks against a server that is really started, and prints a table for
// docs/compatibility.md. Python is left out where it is not installed. Needs the npm registry, and PyPI for Python.
import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cleanEnv, root, run } from '../bootstrap.mjs'
import { startTestDatabase } from '../start-test-database.mjs'

const SDK = '@langchain/langgraph-sdk'
/** The oldest that still finds users, the newest before protocol 2, two with it, and the one tagged `latest`. */
const SDK_VERSIONS = ['0.0.70', '0.1.10', '1.12.0', '1.15.0', '2.0.0']
const CLIENTS = [
  ...SDK_VERSIONS.map((version) => ({
    name: `JavaScript SDK ${version}`,
    packages: [`${SDK}@${version}`, version.startsWith('0.0.') ? '@langchain/core@0.3' : '@langchain/core@1'],
    script: 'sdk.mjs',
  })),
  {
    name: '@langchain/react 1.1.0',
    packages: ['@langchain/react@1.1.0', `${SDK}@1.15.0`, 'react@19', 'react-dom@19', 'jsdom@29'],
    script: 'react.mjs',
  },
  { name: 'Python SDK', packages: ['langgraph-sdk'], script: 'python.py' },
]
/** For a check that hangs. */
const TIME_LIMIT_MS = 180_000

const asked = process.argv.slice(2)
const chosen = CLIENTS.filter(({ name }) => !asked.length || asked.some((word) => name.includes(word)))
if (!run(process.execPath, ['scripts/build-platform.mjs'])) process.exit(1)
const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-clients-'))
const database = startTestDatabase()
const server = fork(path.join(root, '.build/agent-server.mjs'), {
  env: cleanEnv({
    PILOTHOUSE_AGENT_DATABASE_URL: await database.url,
    PILOTHOUSE_AGENT_SCHEMA: 'clients',
    PILOTHOUSE_AGENT_CONFIG: path.join(root, 'platform/agent-server/fixtures/graph.json'),
    PILOTHOUSE_AGENT_OWNER: 'try-clients',
  }),
  silent: true,
})

/** Installs a client and gives the command that runs its checks. */
function install({ packages, script }, place) {
  mkdirSync(place)
  /** @type {import('node:child_process').ExecFileSyncOptions} */
  const options = { cwd: place, stdio: ['ignore', 'ignore', 'pipe'] }
  for (const file of ['report.mjs', script])
    copyFileSync(path.join(root, 'scripts/checks/clients', file), path.join(place, file))
  if (script.endsWith('.py')) {
    execFileSync('python3', ['-m', 'venv', 'venv'], options)
    execFileSync('venv/bin/pip', ['install', '--quiet', ...packages], options)
    return [path.join(place, 'venv/bin/python'), script]
  }
  writeFileSync(path.join(place, 'package.json'), '{"type":"module"}')
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, ...packages], { ...options, env: cleanEnv() })
  return [process.execPath, script]
}

/** Runs a client's checks: what each of them found, `undefined` for nothing. */
async function check(client, url) {
  const place = path.join(folder, String(CLIENTS.indexOf(client)))
  const [command, ...args] = install(client, place)
  const child = spawn(command, args, {
    cwd: place,
    env: cleanEnv({ AGENT_SERVER_URL: url }),
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: TIME_LIMIT_MS,
  })
  let text = ''
  child.stdout.on('data', (data) => {
    text += data
  })
  await once(child, 'close')
  const lines = text.split('\n').filter((line) => line.startsWith('{'))
  return new Map(lines.map((line) => JSON.parse(line)).map(({ name, problem }) => [name, problem]))
}

const NONE = 'not in this version'
const cell = (/** @type {Map<string, string | null>} */ found, name) => {
  if (!found.has(name)) return ''
  const problem = found.get(name)
  return problem === null ? 'works' : problem === NONE ? '–' : `fails: ${problem}`
}

let hasFailed = false
try {
  const [message] = await once(server, 'message')
  const url = `http://127.0.0.1:${message.ready.port}`
  const results = new Map()
  for (const client of chosen) {
    try {
      results.set(client.name, await check(client, url))
      console.error(`${client.name}: checked`)
    } catch (error) {
      hasFailed ||= client.script !== 'python.py'
      console.error(`${client.name}: not installed (${error.message.split('\n')[0]})`)
    }
  }
  const names = [...new Set([...results.values()].flatMap((found) => [...found.keys()]))]
  const clients = [...results.keys()]
  console.log(`| Feature | ${clients.join(' | ')} |\n|---|${clients.map(() => '---|').join('')}`)
  for (const name of names) {
    const cells = clients.map((client) => cell(results.get(client), name))
    hasFailed ||= cells.some((text) => text.startsWith('fails'))
    console.log(`| ${name} | ${cells.join(' | ')} |`)
  }
  hasFailed ||= [...results.values()].some((found) => found.size === 0)
} finally {
  const ended = once(server, 'exit')
  server.kill()
  await ended
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(hasFailed ? 1 : 0)
