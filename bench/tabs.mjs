// Twenty tabs of one browser, each on a run that is live: how many streams they hold to the console, and how long another
// request of theirs takes; beside twenty tabs that open an EventSource each, as pages do that do not share.
import { signedIn, startChromium } from './live/chromium.mjs'
import { row } from './live/rounds.mjs'
import { startStage } from './live/sides.mjs'

const TABS = 20
const ASKED = 10
const GIVE_UP_MS = 3000
const PLAN = { rate: '25', events: '1000000' }

/** @returns one row for connections and one for the wait of another request. */
export async function measure() {
  const stage = await startStage({ needsNginx: false })
  const browser = await startChromium()
  try {
    const ours = await ourTabs(stage, await signedIn(browser, stage.console))
    const naive = await naiveTabs(stage, await browser.newContext())
    return [
      row(`tabs: streams held by ${TABS} tabs`, 'connections', figures([ours.streams], [naive.streams]), {
        peer: 'naive',
        name: 'EventSource in each',
        goal: '1',
        tabs_with_news: `${ours.moving} of ${TABS}`,
        peer_tabs_with_news: `${naive.moving} of ${TABS}`,
      }),
      row(`tabs: another request from one of ${TABS} tabs`, 'ms', figures(ours.waits, naive.waits), {
        peer: 'naive',
        name: `EventSource in each (${GIVE_UP_MS} = never)`,
        goal: '< 100 ms',
        longest: Math.round(Math.max(...ours.waits)),
      }),
    ]
  } finally {
    await browser.close()
    await stage.end()
  }
}

const figures = (ours, naive) => ({ rounds: ours.map((value, index) => ({ ours: value, naive: naive[index] })) })

/** Milliseconds of a request to `path` from a page, its connection included. */
const askFrom = (page, path) =>
  page.evaluate(
    async ([path, giveUpMs]) => {
      const began = performance.now()
      await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(giveUpMs) })
        .then((answer) => answer.text())
        .catch(() => {})
      return performance.now() - began
    },
    [path, GIVE_UP_MS],
  )

const hasEvents = () => /Events\s*[1-9]/.test(document.querySelector('[role=tablist]')?.textContent ?? '')
const eventsShown = () => {
  const shown = /Events\s*([\d.,\s]+)/.exec(document.querySelector('[role=tablist]')?.textContent ?? '')
  return Number(shown?.[1].replace(/\D/g, '') ?? 0)
}

async function ourTabs({ console: ours }, context) {
  const open = new Set()
  context.on('request', (request) => request.url().endsWith('/api/live') && open.add(request))
  for (const name of ['requestfinished', 'requestfailed']) context.on(name, (request) => open.delete(request))
  const pages = []
  for (let tab = 0; tab < TABS; tab += 1) {
    const { id } = await ours.startRun(PLAN)
    const page = await context.newPage()
    await page.goto(ours.pageOf(id), { waitUntil: 'domcontentloaded', timeout: 60_000 })
    pages.push(page)
  }
  // Without animation frames, which a browser may hold back in a tab that nobody sees.
  const patience = { polling: 250, timeout: 60_000 }
  await Promise.all(pages.map((page) => page.waitForFunction(hasEvents, undefined, patience).catch(() => {})))
  const before = await Promise.all(pages.map((page) => page.evaluate(eventsShown)))
  await pages[0].waitForTimeout(2000)
  const after = await Promise.all(pages.map((page) => page.evaluate(eventsShown)))
  const waits = []
  await askFrom(pages[0], '/healthz')
  for (let asked = 0; asked < ASKED; asked += 1) waits.push(await askFrom(pages[(asked * 7) % TABS], '/healthz'))
  const moving = after.filter((count, index) => count > before[index]).length
  await context.close()
  return { streams: open.size, waits, moving }
}

async function naiveTabs({ upstream }, context) {
  await fetch(`${upstream.url}/page/blank`, { method: 'PUT', body: '<!doctype html><title>blank</title>' })
  const pages = await Promise.all(Array.from({ length: TABS }, () => context.newPage()))
  for (const page of pages) await page.goto(`${upstream.url}/page/blank`)
  const { open } = await upstream.stats()
  for (const page of pages)
    await page.evaluate((query) => {
      const source = new EventSource(`/flow?${query}`)
      source.addEventListener('custom', () => {
        window.count = (window.count ?? 0) + 1
      })
    }, new URLSearchParams(PLAN).toString())
  await pages[0].waitForTimeout(2000)
  const moving = (await Promise.all(pages.map((page) => page.evaluate(() => window.count ?? 0)))).filter(Boolean).length
  const streams = (await upstream.stats()).open - open
  const waits = []
  for (let asked = 0; asked < ASKED; asked += 1) waits.push(await askFrom(pages[asked], '/bench/stats'))
  await context.close()
  return { streams, waits, moving }
}
