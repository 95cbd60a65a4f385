// node scripts/checks/servers/try-servers.mjs [--write] [--shots FOLDER] [NAME... | URL...]: attaches the console to agent servers that are not
// ours, each installed and started in a folder of its own, and drives its main pages. Prints a table for docs/compatibility.md, where
// --write keeps the columns of servers that were not tried. A URL names a server that already serves these graphs.
// Needs the npm registry, PyPI, a browser, and Redis for langhost. PYTHON names the Python to use.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { launchChromium } from '../../../bench/console.mjs'
import { startConsole } from '../../../bench/live/console.mjs'
import { readSection, readTable, table, writeSection } from '../clients/compatibility.mjs'
import { JOURNEYS } from './journeys.mjs'
import { SERVERS, startServer } from './servers.mjs'
import { startStores } from './stores.mjs'

const words = process.argv.slice(2)
const shotsAt = words.indexOf('--shots')
const shots = shotsAt === -1 ? undefined : path.resolve(words.splice(shotsAt, 2)[1] ?? 'shots')
const asked = words.filter((word) => word !== '--write')
const running = words.filter((word) => word.startsWith('http'))
const chosen =
  running.length > 0
    ? []
    : SERVERS.filter(({ name, packages }) => {
        const text = `${name} ${packages[0]}`
        return !asked.length || asked.some((word) => text.includes(word))
      })
if (shots) mkdirSync(shots, { recursive: true })

/** Asks the server itself, past the console. */
const asker = (url) => async (method, resource, body) => {
  const response = await fetch(url + resource, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${resource} answered ${response.status}`)
  return await response.json()
}

async function journey(browser, label, { url, version }) {
  const found = new Map()
  const { url: base, cookies, end } = await startConsole({ url: '' }, { CONTROL_PLANE_URL: '', AGENT_SERVER_URL: url })
  const context = await browser.newContext({
    baseURL: base,
    reducedMotion: 'reduce',
    viewport: { width: 1440, height: 900 },
  })
  context.setDefaultTimeout(20_000)
  await context.addCookies(cookies.list.map((cookie) => ({ ...cookie, url: base })))
  const page = await context.newPage()
  try {
    await page.goto('/default/deployments')
    await page
      .getByRole('table', { name: 'Deployments' })
      .getByRole('link', { name: new URL(url).host })
      .click()
    await page.waitForURL(/\/deployments\/[0-9a-f-]{36}/)
    const home = /^\/[^/]+\/deployments\/[0-9a-f-]{36}/.exec(new URL(page.url()).pathname)?.[0] ?? ''
    for (const [name, check] of Object.entries(JOURNEYS)) {
      try {
        found.set(name, (await check({ page, home, version, ask: asker(url) })) ?? 'works')
      } catch (error) {
        found.set(name, `fails: ${short(error.message)}`)
        console.error(`${label}, ${name}: ${error.message}`)
        const file = `${label} ${name}.png`.replaceAll(/[^\w.-]+/g, '-')
        if (shots) await page.screenshot({ path: path.join(shots, file) }).catch(() => {})
      }
    }
  } finally {
    await context.close()
    await end()
  }
  return found
}

/** The first sentence of an error, without the colours of a terminal. */
const short = (text) => stripVTControlCharacters(text).split('\n').filter(Boolean)[0]?.slice(0, 160) ?? 'no reason'

const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-servers-'))
const stores = await startStores(folder)
const browser = await launchChromium()
const today = new Date().toISOString().slice(0, 10)
/** @type {{ label: string, found: Map<string, string> }[]} */
const results = []
const missing = []
try {
  for (const url of running) {
    const { version } = await asker(url)('GET', '/info')
    results.push({ label: url, found: await journey(browser, url, { url, version }) })
  }
  for (const [index, server] of chosen.entries()) {
    try {
      const place = path.join(folder, String(index))
      const started = await startServer(server, place, await stores.forServer(index))
      try {
        const label = `${server.name} ${started.version}, ${today}`
        results.push({ label, found: await journey(browser, label, started) })
        console.error(`${label}: tried`)
      } finally {
        await started.stop()
      }
    } catch (error) {
      missing.push(`${server.name}: not tried, because ${short(error.message)}.`)
      console.error(missing.at(-1), error)
    }
  }
} finally {
  await browser.close()
  await stores.stop()
  if (!process.env.KEEP) rmSync(folder, { recursive: true, force: true })
}

const rows = Object.keys(JOURNEYS).map((name) => ({
  Feature: name,
  ...Object.fromEntries(results.map(({ label, found }) => [label, found.get(name)])),
}))
const labels = results.map(({ label }) => label)
const text = [table(['Feature', ...labels], rows), ...missing.map((line) => `- ${line}`)].join('\n\n')
console.log(text)
if (words.includes('--write')) writeSection('servers', withOthers())
process.exit(results.length > 0 && !text.includes('fails:') ? 0 : 1)

/** The table with the columns of earlier runs, in the order of the servers. */
function withOthers() {
  const before = readTable(readSection('servers'))
  const serverOf = (label) =>
    SERVERS.findIndex(({ name, version, packages }) => label.startsWith(`${name} ${majorOf(packages, version)}`))
  const others = Object.keys(before[0] ?? {}).filter(
    (label) => label !== 'Feature' && !labels.some((own) => serverOf(own) === serverOf(label)),
  )
  const all = [...labels, ...others].sort((left, right) => serverOf(left) - serverOf(right))
  const merged = rows.map((row) => ({ ...before.find(({ Feature }) => Feature === row.Feature), ...row }))
  return [table(['Feature', ...all], merged), ...missing.map((line) => `- ${line}`)].join('\n\n')
}

/** The version that a server's package was asked for; empty for the newest. */
function majorOf(packages, version) {
  const found = packages.find((one) => one.startsWith(`${version}@`))
  return found ? found.slice(version.length + 1) : ''
}
