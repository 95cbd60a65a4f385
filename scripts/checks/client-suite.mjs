// What the checks of other people's clients share: each client is installed in a folder of its own, its script prints a line of
// JSON per feature, and the results become a table.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cleanEnv, root } from '../bootstrap.mjs'
import { table } from './clients/compatibility.mjs'

/**
 * @typedef {{ name: string, packages: string[], script: string, versions?: string[] }} Client
 * `script` is a path below scripts/checks; `versions` names the packages whose installed versions belong in the table.
 */

/** For a check that hangs. */
const TIME_LIMIT_MS = 180_000
const NONE = 'not in this version'

/** Installs a client and gives the command that runs its checks. */
function install({ packages, script }, place) {
  mkdirSync(place)
  /** @type {import('node:child_process').ExecFileSyncOptions} */
  const options = { cwd: place, stdio: ['ignore', 'ignore', 'pipe'] }
  for (const file of ['clients/report.mjs', script])
    copyFileSync(path.join(root, 'scripts/checks', file), path.join(place, path.basename(file)))
  if (script.endsWith('.py')) {
    execFileSync('python3', ['-m', 'venv', 'venv'], options)
    execFileSync('venv/bin/pip', ['install', '--quiet', ...packages], options)
    return [path.join(place, 'venv/bin/python'), path.basename(script)]
  }
  writeFileSync(path.join(place, 'package.json'), '{"type":"module"}')
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, ...packages], { ...options, env: cleanEnv() })
  return [process.execPath, path.basename(script)]
}

/** The installed version of a package, which its name may leave open. */
function versionOf(place, name, isPython) {
  const code = `import importlib.metadata as m; print(m.version(${JSON.stringify(name)}), end='')`
  if (isPython) return execFileSync(path.join(place, 'venv/bin/python'), ['-c', code], { encoding: 'utf8' })
  const list = execFileSync('npm', ['ls', name, '--json', '--depth=0'], {
    cwd: place,
    env: cleanEnv(),
    encoding: 'utf8',
  })
  return JSON.parse(list).dependencies[name].version
}

/** Runs a client's checks: what each of them found, `null` for nothing. */
async function check(client, place, env) {
  const [command, ...args] = install(client, place)
  const isPython = client.script.endsWith('.py')
  const versions = (client.versions ?? []).map((name) => `${name} ${versionOf(place, name, isPython)}`)
  const child = spawn(command, args, {
    cwd: place,
    env: cleanEnv(env),
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: TIME_LIMIT_MS,
  })
  let text = ''
  child.stdout.on('data', (data) => {
    text += data
  })
  const [code, signal] = await once(child, 'close')
  const lines = text.split('\n').filter((line) => line.startsWith('{'))
  /** @type {Map<string, string | null>} */
  const found = new Map(lines.map((line) => JSON.parse(line)).map(({ name, problem }) => [name, problem]))
  if (code !== 0) found.set('all checks were run', `ended with ${signal ?? code}`)
  return { label: versions.length > 0 ? `${client.name}: ${versions.join(', ')}` : client.name, found }
}

const cell = (/** @type {Map<string, string | null>} */ found, name) => {
  if (!found.has(name)) return ''
  const problem = found.get(name)
  return problem === null ? 'works' : problem === NONE ? '–' : `fails: ${problem}`
}

/**
 * Checks the clients one after the other and prints their table. A Python client is left out where Python or its packages are
 * missing. Resolves to the table, and whether all worked.
 * @param {Client[]} clients
 * @param {Record<string, string>} env
 */
export async function checkClients(clients, env) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-clients-'))
  let hasFailed = false
  const results = []
  try {
    for (const client of clients) {
      try {
        const result = await check(client, path.join(folder, String(clients.indexOf(client))), env)
        results.push(result)
        hasFailed ||= result.found.size === 0
        console.error(`${result.label}: checked`)
      } catch (error) {
        hasFailed ||= !client.script.endsWith('.py')
        console.error(`${client.name}: not installed (${error.message.split('\n')[0]})`)
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const names = [...new Set(results.flatMap(({ found }) => [...found.keys()]))]
  const columns = ['Feature', ...results.map(({ label }) => label)]
  const rows = names.map((name) => ({
    Feature: name,
    ...Object.fromEntries(results.map(({ label, found }) => [label, cell(found, name)])),
  }))
  hasFailed ||= rows.some((row) => Object.values(row).some((text) => text.startsWith('fails')))
  const text = table(columns, rows)
  console.log(text)
  return { hasWorked: !hasFailed, text }
}
