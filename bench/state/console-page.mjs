// The console's own thread page with large states and long conversations, from an upstream stub through the real relay.
import { signedIn, startChromium } from '../live/chromium.mjs'
import { startConsole } from '../live/console.mjs'
import { DEPLOYMENT, deploymentPath, WORKSPACE } from '../live/events.mjs'
import { startUpstream } from '../live/processes.mjs'
import { median, row } from '../live/rounds.mjs'
import { watchDrawn } from './drawn.mjs'

const MESSAGES = 500
const TYPED = 'festival begins'
const GIVE_UP_MS = 120_000

/** @returns rows of the thread page: a conversation, and one state per size. */
export async function measureConsole(sizes, rounds) {
  const upstream = await startUpstream()
  const ours = await startConsole(upstream)
  const browser = await startChromium()
  try {
    const context = await signedIn(browser, ours)
    await context.addInitScript(watchDrawn)
    // The plain page has the console's address, whose policy would not let it fetch anything.
    const plain = await signedIn(browser, ours, { bypassCSP: true })
    const rows = await conversation(context, ours)
    for (const size of sizes) rows.push(...(await state({ context, plain, ours }, size, rounds)))
    return rows
  } finally {
    await browser.close()
    await ours.end()
    await upstream.end()
  }
}

const pageOf = ({ url }, thread, tab = '') => `${url}${deploymentPath}/threads/${thread}${tab && `?tab=${tab}`}`

async function conversation(context, ours) {
  const page = await context.newPage()
  await page.goto(pageOf(ours, `messages-${MESSAGES}`))
  await page.getByRole('region', { name: 'Conversation' }).locator('[data-index]').first().waitFor()
  await page.waitForTimeout(1000)
  const nodes = await page.evaluate(() => document.querySelectorAll('*').length)
  await page.getByRole('tab', { name: 'State' }).click()
  await page.getByRole('searchbox', { name: 'Search keys and values' }).focus()
  await page.waitForTimeout(500)
  // A key's work until its effect is drawn, without the wait for the next frame.
  await page.evaluate(() => {
    window.keyTimes = []
    addEventListener(
      'keydown',
      () => {
        const began = performance.now()
        requestAnimationFrame(() => {
          const waited = performance.now() - began
          const drawing = performance.now()
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = () => window.keyTimes.push({ waited, drawn: performance.now() - drawing })
          port2.postMessage(null)
        })
      },
      true,
    )
  })
  for (const key of TYPED) {
    await page.keyboard.press(key)
    await page.waitForTimeout(120)
  }
  const times = await page.evaluate(() => window.keyTimes.map(({ drawn }) => drawn))
  const delays = await page.evaluate(() => window.inputDelays)
  await page.close()
  const id = `thread of ${MESSAGES} messages`
  return [
    row(`${id}: DOM nodes of the page`, 'nodes', { rounds: [{ ours: nodes }] }, { goal: '<= 2000' }),
    row(
      `${id}: drawing after a key in the search`,
      'ms',
      { rounds: times.map((ours) => ({ ours })) },
      {
        goal: '<= 16 ms',
        longest_ms: Math.round(Math.max(...times)),
        event_median_ms: median(delays),
      },
    ),
  ]
}

async function state({ context, plain, ours }, size, count) {
  const thread = `state-${size}`
  const path = `/api/relay/${WORKSPACE}/agents/${DEPLOYMENT}/threads/${thread}/state`
  const rounds = []
  // The stub creates a state on its first request.
  for (let round = -1; round < count; round += 1) {
    const parse = await parsed(plain, ours, path)
    if (round >= 0) rounds.push({ parse, ours: await shown(context, ours, thread) })
  }
  const id = `thread page, state ${size} MB`
  const longest = rounds.map(({ ours }) => ({ ours: ours.longest }))
  return [
    row(
      `${id}: State tab to first rows`,
      'ms',
      { rounds },
      {
        peer: 'parse',
        name: 'fetch and JSON.parse',
        of: ({ ms }) => ms,
        goal: '<= 1.3',
      },
    ),
    row(`${id}: longest block`, 'ms', { rounds: longest }, { goal: '<= 50 ms' }),
    // On a busy machine a task also waits for the processor; this is its CPU time.
    row(
      `${id}: most processor time of a task`,
      'ms',
      { rounds: rounds.map(({ ours }) => ({ ours: ours.cpu })) },
      {
        goal: '<= 50 ms',
      },
    ),
    row(`${id}: DOM nodes of the page`, 'nodes', { rounds: rounds.map(({ ours }) => ({ ours: ours.nodes })) }, {}),
  ]
}

/** The same response read by a plain page at the same address. */
async function parsed(context, ours, path) {
  const page = await context.newPage()
  await page.goto(`${ours.url}/healthz`)
  const ms = await page.evaluate(async (path) => {
    const began = performance.now()
    window.parsed = JSON.parse(await (await fetch(path)).text())
    return performance.now() - began
  }, path)
  await page.close()
  return { ms }
}

/** From the idle page on another tab to the state's first rows, and to its complete load. */
async function shown(context, ours, thread) {
  const page = await context.newPage()
  await page.goto(pageOf(ours, thread, 'history'))
  await page.getByRole('tab', { name: 'State' }).waitFor()
  await page.waitForTimeout(1500)
  const browser = context.browser()
  await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', '__metadata'] })
  const ms = await page.evaluate(async (timeoutMs) => {
    window.longTasks.length = 0
    /** @type {any} */
    const tab = [...document.querySelectorAll('[role=tab]')].find((one) => one.textContent === 'State')
    const began = performance.now()
    tab?.dispatchEvent(new MouseEvent('mousedown', { bubbles: true, button: 0 }))
    tab?.click()
    return (await window.drawn('[role=treeitem]', timeoutMs)) - began
  }, GIVE_UP_MS)
  await page.waitForFunction(() => !document.querySelector('[aria-busy]'), null, { timeout: GIVE_UP_MS })
  await page.waitForTimeout(300)
  const seen = await page.evaluate(() => ({
    longest: Math.max(0, ...window.longTasks.map(({ duration }) => duration)),
    nodes: document.querySelectorAll('*').length,
  }))
  const cpu = longestTask(await browser.stopTracing())
  await page.close()
  return { ms, cpu, ...seen }
}

/** The most CPU time, in milliseconds, of one task of a page's main thread in a trace. */
function longestTask(trace) {
  const { traceEvents } = JSON.parse(trace)
  const pages = new Set(
    traceEvents.flatMap(({ name, args, pid, tid }) =>
      name === 'thread_name' && args.name === 'CrRendererMain' ? [`${pid} ${tid}`] : [],
    ),
  )
  const tasks = traceEvents.filter(({ name, pid, tid }) => name.endsWith('RunTask') && pages.has(`${pid} ${tid}`))
  return Math.max(0, ...tasks.map(({ tdur = 0 }) => tdur / 1000))
}
