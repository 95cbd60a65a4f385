// The deployments list with many deployments: milliseconds from a navigation to its first rows on screen, the page's
// elements, and its requests and bytes, as a cold load and from another page. The control plane is a stub,
// `BENCH_LATENCY_MS` away (20); `BENCH_DEPLOYMENTS` sets how many (10,000).
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { build } from 'esbuild'
import { root } from '../../scripts/bootstrap.mjs'
import { launchChromium, signIn, startConsole } from '../console.mjs'

const COUNT = Number(process.env.BENCH_DEPLOYMENTS ?? 10_000)
const LATENCY_MS = Number(process.env.BENCH_LATENCY_MS ?? 20)
const ROUNDS = 9
const PAGES = { 'first page': '', 'page of 50': '?limit=50', 'deep page': `?offset=${COUNT - 40}` }

/** @returns one row per page and navigation. */
export async function measure() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-bench-'))
  const bundle = path.join(folder, 'fleet.mjs')
  const entry = path.join(root, 'e2e/support/fleet.ts')
  await build({ entryPoints: [entry], outfile: bundle, bundle: true, platform: 'node', format: 'esm' })
  const { startFleet } = await import(bundle)
  const fleet = await startFleet(COUNT, { latencyMs: LATENCY_MS })
  const ours = await startConsole({ CONTROL_PLANE_URL: fleet.url, CONTROL_PLANE_API_KEY: 'key' })
  const browser = await launchChromium()
  try {
    const context = await browser.newContext({ baseURL: ours.url, viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.addInitScript(watchRows)
    await signIn(page)
    const list = `${new URL(page.url()).pathname}/deployments`
    const { cookies } = await context.storageState()
    const rows = []
    for (const [name, query] of Object.entries(PAGES)) {
      const looks = []
      for (let round = -1; round < ROUNDS; round++) {
        const look = await cold(browser, { baseURL: ours.url, cookies, at: list + query, fleet })
        if (round >= 0) looks.push(look)
      }
      rows.push(rowOf(`${name}, cold`, looks))
    }
    const looks = []
    for (let round = -1; round < ROUNDS; round++) {
      const look = await fromElsewhere(page, { list, fleet })
      if (round >= 0) looks.push(look)
    }
    rows.push(rowOf('first page, from another page', looks))
    return rows
  } finally {
    await browser.close()
    await Promise.all([ours.end(), fleet.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs in the page: `rowsAt` is when rows were first ready to be painted, since the navigation or the last press. */
function watchRows() {
  const look = () => {
    const row = document.querySelector('table[aria-label=Deployments] a[data-row]')
    if (window.rowsAt !== undefined || !row?.checkVisibility()) return // a page comes hidden and is shown as a whole
    window.rowsAt = 0
    requestAnimationFrame(() => {
      const channel = new MessageChannel() // a task after the frame, so it is painted by then
      channel.port1.onmessage = () => {
        window.rowsAt = performance.now() - (window.pressedAt ?? 0)
      }
      channel.port2.postMessage(null)
    })
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
}
const rowsAt = async (page) => (await page.waitForFunction(() => window.rowsAt)).jsonValue()

/** In a browser that has only the console's session. */
async function cold(browser, { baseURL, cookies, at, fleet }) {
  const context = await browser.newContext({ baseURL, viewport: { width: 1440, height: 900 } })
  await context.addCookies(cookies)
  const page = await context.newPage()
  await page.addInitScript(watchRows)
  const traffic = await trafficOf(page, fleet)
  await page.goto(at)
  const ms = await rowsAt(page)
  const look = { ms, ...(await traffic()) }
  await context.close()
  return look
}

async function fromElsewhere(page, { list, fleet }) {
  await page.goto(list.replace(/deployments$/, 'audit'))
  const link = page.getByRole('link', { name: 'Deployments', exact: true }).first()
  await link.waitFor()
  await quiet(page)
  const traffic = await trafficOf(page, fleet)
  await link.evaluate((one) => {
    one.addEventListener('click', () => Object.assign(window, { pressedAt: performance.now() }), { capture: true })
  })
  await link.click()
  const ms = await rowsAt(page)
  return { ms, ...(await traffic()) }
}

/** Waits until nothing more is loading, except for the live connection. */
const quiet = (page) => page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined)

/** Counts from now on; returns the figures once the network is quiet. */
async function trafficOf(page, fleet) {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.enable')
  let requests = 0
  let bytes = 0
  session.on('Network.requestWillBeSent', () => requests++)
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  const before = fleet.requests()
  return async () => {
    await quiet(page)
    await page.waitForTimeout(500)
    const elements = await page.locator('*').count()
    await session.detach()
    return { elements, requests, kB: bytes / 1000, upstream: fleet.requests() - before }
  }
}

function rowOf(id, looks) {
  const sorted = (name) => looks.map((look) => look[name]).toSorted((a, b) => a - b)
  const median = (name) => sorted(name)[Math.floor(looks.length / 2)]
  const ms = sorted('ms').map(Math.round)
  return {
    id: `list-scale ${id}`,
    ours: median('ms') | 0,
    min: ms[0],
    max: ms.at(-1),
    unit: 'ms',
    goal: '<= 300 ms',
    elements: median('elements'),
    requests: median('requests'),
    kB: Number(median('kB').toFixed(1)),
    upstream: median('upstream'),
    rounds: looks.length,
    of: COUNT,
  }
}
