// The trace page in Chromium with a trace of many runs: milliseconds from a navigation to the first rows and to the
// whole tree, the longest block, and the document's elements. `BENCH_TREE` sets how many. Blocks are measured by wall
// clock and by CPU time in separate loads, because others' work counts in the first and tracing slows down the second.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../scripts/bootstrap.mjs'
import { launchChromium, signIn, startConsole } from './console.mjs'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)

/** Each of `log` and `logLarge` logs a trace to a project of the platform and returns its id and size. */
export async function tracePage(log, logLarge, row) {
  const ours = await startConsole()
  const browser = await launchChromium()
  try {
    const data = readFileSync(path.join(root, 'test-results/e2e-data.txt'), 'utf8').trim()
    const { url, api_key: apiKey } = JSON.parse(readFileSync(path.join(data, 'platform.json'), 'utf8'))
    const platform = { url, apiKey }
    const deployment = await sampleOf(platform)
    const { trace, size } = await log(platform, deployment.name)
    const context = await browser.newContext({ baseURL: ours.url, viewport: { width: 1440, height: 900 } })
    const page = await context.newPage()
    await page.addInitScript(watchTree)
    await signIn(page)
    const looks = []
    for (let round = -1; round < ROUNDS; round++) {
      const at = `/local/deployments/${deployment.id}/traces/${trace}`
      const traced = await open(page, at, size, browser)
      const look = await open(page, at, size)
      if (round >= 0) looks.push({ ...look, longestCpu: traced.longest, searchCpu: traced.search })
    }
    const large = await logLarge(platform, deployment.name)
    const contents = []
    for (let round = -1; round < ROUNDS; round++) {
      const at = `/local/deployments/${deployment.id}/traces/${large.trace}`
      const cpu = await openLarge(page, at, browser)
      const wall = await openLarge(page, at)
      if (round >= 0) contents.push({ ...wall, longestCpu: cpu.longest, jsonCpu: cpu.json })
    }
    const ofLarge = (name) => contents.map((look) => look[name])
    const largeName = `page of a run of ${large.size}`
    const of = (name) => looks.map((look) => look[name])
    const name = `page of a tree of ${size}`
    return [
      { ...row(`${name}: first rows`, 'ms', of('first')), goal: '< 1000 ms' },
      row(`${name}: all of it`, 'ms', of('whole')),
      { ...row(`${name}: longest block while it loads`, 'ms', of('longest')), goal: '<= 50 ms' },
      { ...row(`${name}: longest block of a search in it`, 'ms', of('search')), goal: '<= 50 ms' },
      { ...row(`${name}: longest block while it loads, processor`, 'ms', of('longestCpu')), goal: '<= 50 ms' },
      { ...row(`${name}: longest block of a search in it, processor`, 'ms', of('searchCpu')), goal: '<= 50 ms' },
      row(`${name}: elements`, 'elements', of('elements')),
      row(`${largeName}: its messages`, 'ms', ofLarge('shown')),
      { ...row(`${largeName}: longest block while it loads`, 'ms', ofLarge('longest')), goal: '<= 50 ms' },
      {
        ...row(`${largeName}: longest block while it loads, processor`, 'ms', ofLarge('longestCpu')),
        goal: '<= 50 ms',
      },
      { ...row(`${largeName}: longest block of its JSON`, 'ms', ofLarge('json')), goal: '<= 50 ms' },
      { ...row(`${largeName}: longest block of its JSON, processor`, 'ms', ofLarge('jsonCpu')), goal: '<= 50 ms' },
    ]
  } finally {
    await browser.close()
    await ours.end()
  }
}

/** A sample deployment, once the platform has created it. */
async function sampleOf({ url, apiKey }) {
  for (let tries = 0; tries < 300; tries++) {
    const response = await fetch(`${url}/v2/deployments?name_contains=concierge`, { headers: { 'x-api-key': apiKey } })
    const [found] = (await response.json()).resources
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  throw new Error('The platform made no sample deployment.')
}

/** Runs in the page: when the tree's rows were painted, and the duration of each long task. */
function watchTree() {
  window.tasks = []
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) window.tasks.push({ startTime, duration })
  }).observe({ type: 'longtask', buffered: true })
  const look = () => {
    // Streamed content is in a hidden part until it is moved into place, so rows there are not visible.
    const line = document.querySelector('[role=tree] [role=treeitem]')
    if (window.rowsAt !== undefined || !line || line.closest('[hidden]')) return
    window.rowsAt = 0
    requestAnimationFrame(() => {
      const channel = new MessageChannel() // a task after the frame, so it is painted by then
      channel.port1.onmessage = () => {
        window.rowsAt = performance.now()
        performance.mark('counted') // for the trace, which has its own clock
      }
      channel.port2.postMessage(null)
    })
  }
  new MutationObserver(look).observe(document, { childList: true, subtree: true })
}

/**
 * Counts blocks from the first rows on; earlier ones belong to any page load. By wall clock, where browsers report only
 * tasks above 50 ms, or by CPU time if a tracing browser is given.
 */
async function open(page, at, size, tracing) {
  const categories = ['toplevel', '__metadata', 'blink.user_timing']
  await tracing?.startTracing(page, { categories })
  await page.goto(at)
  const first = await (await page.waitForFunction(() => window.rowsAt)).jsonValue()
  const runs = size.toLocaleString('en')
  await page.waitForFunction(
    (runs) => {
      const text = document.querySelector('main')?.textContent ?? ''
      return text.includes(runs) && !text.includes('so far')
    },
    runs,
    { timeout: 120_000, polling: 250 }, // each check is work for the page too
  )
  const whole = await page.evaluate(() => performance.now())
  const longestSince = async (since) =>
    tracing
      ? longestTask(await tracing.stopTracing())
      : await page.evaluate(
          (since) => Math.max(0, ...window.tasks.filter((one) => one.startTime >= since).map((one) => one.duration)),
          since,
        )
  await page.waitForTimeout(300)
  const longest = await longestSince(first)
  await tracing?.startTracing(page, { categories })
  const typed = await page.evaluate(() => performance.mark('counted').startTime)
  await page.getByLabel('Search name, model, tag or error').pressSequentially('m1', { delay: 60 })
  await page
    .getByText(/ found$/)
    .first()
    .waitFor()
  await page.waitForTimeout(300)
  const search = await longestSince(typed)
  return { first, whole, longest, search, elements: await page.locator('*').count() }
}

/** The page of one run with large contents: its messages, then its JSON. Blocks are counted as in `open`. */
async function openLarge(page, at, tracing) {
  const categories = ['toplevel', '__metadata', 'blink.user_timing']
  await tracing?.startTracing(page, { categories })
  await page.goto(at)
  const first = await (await page.waitForFunction(() => window.rowsAt)).jsonValue()
  await page.getByRole('button', { name: /Show earlier messages/ }).waitFor({ timeout: 120_000 })
  const shown = await page.evaluate(() => performance.now())
  await page.waitForTimeout(1500)
  const longestSince = async (since) =>
    tracing
      ? longestTask(await tracing.stopTracing())
      : await page.evaluate(
          (since) => Math.max(0, ...window.tasks.filter((one) => one.startTime >= since).map((one) => one.duration)),
          since,
        )
  const longest = await longestSince(first)
  await tracing?.startTracing(page, { categories })
  const clicked = await page.evaluate(() => performance.mark('counted').startTime)
  await page.getByRole('tab', { name: 'JSON' }).click()
  await page.waitForTimeout(4000)
  return { shown, longest, json: await longestSince(clicked) }
}

/** Milliseconds of CPU time of the longest task of any page's main thread that began after the mark. */
function longestTask(trace) {
  const { traceEvents } = JSON.parse(trace.toString())
  const threads = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args.name === 'CrRendererMain')
      .map(({ pid, tid }) => `${pid} ${tid}`),
  )
  const since = traceEvents.find(({ name }) => name === 'counted')?.ts ?? 0
  const tasks = traceEvents.filter(
    ({ pid, tid, ts, tdur }) => tdur !== undefined && ts >= since && threads.has(`${pid} ${tid}`),
  )
  return tasks.reduce((longest, { tdur }) => Math.max(longest, tdur / 1000), 0)
}
