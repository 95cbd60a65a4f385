// node scripts/pack/try-package.mjs [--without-reference]: the packed `pilothouse` command as a stranger uses it, in clean
// folders: from one npx line to the first token, from a registry and from the file, then attached to running agent servers from
// a folder with a space that cannot be written to. Run `npm run package` first. Needs a browser and the npm registry.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { chromium } from '@playwright/test'
import { cleanEnv, root } from '../bootstrap.mjs'
import { requireChromium } from '../chromium.mjs'

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))
const own = readJson(path.join(root, 'package.json'))
/** In seconds; the size in MB. The times of an installation are those with a warm cache of npm. */
const LIMITS = { signIn: 20, firstStart: 5, firstToken: 60, interactions: 4, attach: 20, size: 40 }
const browserPath = requireChromium()
const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-package-'))
/** @type {import('node:child_process').ChildProcess[]} */
const started = []
const seconds = (since) => (Date.now() - since) / 1000
const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
      probe.close(() => resolve(port))
    })
  })

/** Starts a program; `seen` resolves with the first match in its output. */
function start(command, args, { cwd = folder, env = {} } = {}) {
  const child = spawn(command, args, { cwd, env: cleanEnv(env), detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  started.push(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  const ended = once(child, 'exit')
  const seen = async (pattern, patienceMs = 300_000) => {
    for (const began = Date.now(); Date.now() - began < patienceMs; ) {
      const found = pattern.exec(output)
      if (found) return found
      if (child.exitCode !== null) break
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    throw new Error(`${command} ${args.join(' ')} did not print ${pattern}:\n${output}`)
  }
  const stop = async () => {
    if (child.pid && child.exitCode === null && child.signalCode === null) process.kill(-child.pid, 'SIGTERM')
    await ended
  }
  return { seen, stop }
}

const LINK = /Sign in \(works once\): (\S+)/

/** Opens the link, says something and waits for the first token. Resolves to the number of interactions. */
async function talk(browser, link, agent) {
  const page = await browser.newPage({ reducedMotion: 'reduce' })
  const field = page.getByRole('textbox', { name: 'Message', exact: true })
  let interactions = 0
  /** Something that a person does. */
  const act = async (work) => {
    await work
    interactions += 1
  }
  await act(page.goto(link))
  await page.getByRole('combobox', { name: agent }).and(page.locator(':enabled')).waitFor({ timeout: 60_000 })
  if (!(await field.evaluate((element) => element === document.activeElement))) await act(field.click())
  await act(page.keyboard.type('hello'))
  await act(page.keyboard.press('Enter'))
  await page.getByRole('article', { name: 'AI message' }).filter({ hasText: /\w/ }).first().waitFor({ timeout: 30_000 })
  await page.close()
  return interactions
}

/** Sizes and times of everything below a folder. */
const stateOf = (at) =>
  readdirSync(at, { recursive: true, encoding: 'utf8' })
    .map((name) => `${name} ${statSync(path.join(at, name)).mtimeMs}`)
    .sort()
    .join('\n')

/** The public server of the vendor's command line, with one small graph. Returns its address. */
async function startReference() {
  const at = path.join(folder, 'reference')
  mkdirSync(at)
  cpSync(path.join(root, 'scripts/pack/reference-agent.mjs'), path.join(at, 'agent.mjs'))
  writeFileSync(path.join(at, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  const graphs = { agent: './agent.mjs:graph' }
  writeFileSync(path.join(at, 'langgraph.json'), JSON.stringify({ node_version: '20', dependencies: ['.'], graphs }))
  const packages = ['@langchain/langgraph', '@langchain/core', '@langchain/langgraph-checkpoint']
  install(
    at,
    packages.map((name) => `${name}@${own.dependencies[name]}`),
  )
  const port = await freePort()
  const args = ['--yes', '@langchain/langgraph-cli@latest', 'dev', '--host', '127.0.0.1', '--no-browser']
  const env = { LANGGRAPH_CLI_NO_ANALYTICS: '1', BROWSER: 'none' }
  await start('npx', [...args, '--port', `${port}`], { cwd: at, env }).seen(/Server running at/)
  return `http://127.0.0.1:${port}`
}

function install(at, packages, more = []) {
  const flags = ['--no-audit', '--no-fund', '--loglevel=error', '--legacy-peer-deps', ...more]
  const { status, stderr } = spawnSync('npm', ['install', ...flags, ...packages], {
    cwd: at,
    env: cleanEnv(),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`npm could not install ${packages.join(' ')}. ${stderr}`)
}

/**
 * A registry of npm that has the packed file under the tag, and sends npm elsewhere for all other packages.
 * @param {string} file
 */
async function startRegistry(file, tag) {
  const packed = readFileSync(file)
  const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`
  const others = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim().replace(/\/$/, '')
  const server = createHttpServer(({ url, headers }, response) => {
    if (url === '/packed.tgz') response.end(packed)
    else if (url !== `/${own.name}`) response.writeHead(302, { location: `${others}${url}` }).end()
    else {
      const manifest = readJson(path.join(root, '.build/package/package.json'))
      const dist = { tarball: `http://${headers.host}/packed.tgz`, integrity }
      const versions = { [own.version]: { ...manifest, dist } }
      response.end(JSON.stringify({ name: own.name, 'dist-tags': { [tag]: own.version }, versions }))
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  return { url: `http://127.0.0.1:${port}`, stop: () => server.close() }
}

/** From one npx line to the first token. Resolves to the running program and its folder of data. */
async function fromNpx(what, args) {
  const began = Date.now()
  const data = path.join(folder, `my data from ${what}`)
  const program = start('npx', ['--yes', ...args, '--no-open', '--port', `${await freePort()}`, '--data', data])
  const link = (await program.seen(LINK))[1]
  note(`npx from ${what}, to the sign-in link`, seconds(began), LIMITS.signIn)
  const [, ready] = await program.seen(/Pilothouse is ready: \S+ +\((\S+) s\)/)
  note('of these, the first start', Number(ready), LIMITS.firstStart)
  const interactions = 1 + (await talk(browser, link, 'Agent')) // the command itself
  note(`npx from ${what}, to the first token`, seconds(began), LIMITS.firstToken)
  note('interactions until then', interactions, LIMITS.interactions, '')
  const stop = async () => {
    await program.stop()
    // npx ends before the launcher does.
    while (existsSync(path.join(data, 'lock.json'))) await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { data, stop }
}

const results = []
const note = (what, value, limit = Infinity, unit = ' s') => {
  // Not `>`: what could not be measured is a miss.
  const isMet = value <= limit
  results.push(isMet)
  const text = `${Number(value.toFixed(1))}${unit}${limit < Infinity ? ` (limit ${limit}${unit})` : ''}`
  console.log(`[package] ${what}: ${text}${isMet ? '' : ', MISSED'}`)
}

const tarball = path.join(root, `.build/${own.name}-${own.version}.tgz`)
const packed = path.join(folder, 'packed.tgz') // another path is another folder in npx's cache
let browser
try {
  cpSync(tarball, packed)
  note('size', statSync(packed).size / 1e6, LIMITS.size, ' MB')
  browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox', '--disable-gpu'] })

  // Of the tag, because npx keeps what it has installed for a line.
  const tag = `try-${Date.now()}`
  const registry = await startRegistry(packed, tag)
  await (await fromNpx('a registry', [`--registry=${registry.url}`, `${own.name}@${tag}`])).stop()
  registry.stop()
  // npm unpacks a file three times: twice to learn what is in it.
  const first = await fromNpx('the file', [`file:${packed}`])

  const { url, api_key: key } = readJson(path.join(first.data, 'platform.json'))
  const response = await fetch(`${url}/v2/deployments`, { headers: { 'x-api-key': key } })
  const { resources } = await response.json()
  const agent = resources.find(({ name }) => name === 'concierge').source_config.custom_url

  const place = path.join(folder, 'a folder')
  mkdirSync(place)
  install(place, [packed], ['--global', `--prefix=${place}`])
  const modules = path.join(place, 'lib/node_modules')
  const command = path.join(place, 'bin/pilothouse')
  spawnSync('chmod', ['-R', 'a-w', modules])
  const before = stateOf(path.join(modules, own.name))
  const attach = async (what, address, env) => {
    const since = Date.now()
    const args = ['--no-open', '--port', `${await freePort()}`, '--data', path.join(folder, what), address]
    const attached = start(command, args, { cwd: place, env })
    await talk(browser, (await attached.seen(LINK))[1], 'Assistant')
    note(`attach to ${what}, to the first token`, seconds(since), LIMITS.attach)
    await attached.stop()
  }
  await attach('the embedded server', agent, { AGENT_SERVER_API_KEY: key })
  if (!process.argv.includes('--without-reference')) await attach('the reference server', await startReference(), {})
  if (stateOf(path.join(modules, own.name)) !== before) throw new Error('The package wrote into its own folder.')

  await first.stop()
  const began = Date.now()
  const again = start(command, ['--no-open', '--port', `${await freePort()}`, '--data', first.data])
  await again.seen(LINK)
  note('second start', seconds(began))
  await again.stop()
} finally {
  await browser?.close()
  for (const child of started)
    if (child.pid && child.exitCode === null && child.signalCode === null) {
      process.kill(-child.pid, 'SIGTERM')
      await once(child, 'exit')
    }
  spawnSync('chmod', ['-R', 'u+w', folder])
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = results.every(Boolean) ? 0 : 1
