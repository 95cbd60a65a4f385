// Twenty tabs of one window with live runs, one visible and nineteen hidden: the number of streams to the console, and
// the duration of another request in the front tab and in hidden ones; against twenty tabs with an EventSource each.
import { addSession, startWindow } from './live/chromium.mjs'
import { row } from './live/rounds.mjs'
import { startStage } from './live/sides.mjs'

const TABS = 20
const ASKED = 10
const GIVE_UP_MS = 3000
const RATE = 25
const PLAN = { rate: String(RATE), events: '1000000' }
/** When a tab comes to the front, it may lag behind by this many events, half a second on a busy machine. */
const SLACK = RATE / 2

/**
 * @returns one row for connections, and one for the duration of another request in the front tab and in hidden ones.
 */
export async function measure() {
  const stage = await startStage({ needsNginx: false })
  try {
    const ours = await inWindow((context) => ourTabs(stage, context))
    const naive = await inWindow((context) => naiveTabs(stage, context))
    const wait = (where, of) =>
      row(`tabs: another request from ${where} of ${TABS} tabs`, 'ms', figures(of(ours), of(naive)), {
        peer: 'naive',
        name: `EventSource in each (${GIVE_UP_MS} = never)`,
        goal: '< 100 ms',
        longest: Math.round(Math.max(...of(ours))),
      })
    return [
      row(`tabs: streams held by ${TABS} tabs`, 'connections', figures([ours.streams], [naive.streams]), {
        peer: 'naive',
        name: 'EventSource in each',
        goal: '1',
        tabs_with_news: `${ours.moving} of ${TABS}`,
        most_events_late: Math.round(ours.late),
        peer_tabs_with_news: `${naive.moving} of ${TABS}`,
      }),
      wait('the one in front', ({ front }) => front),
      wait('hidden ones', ({ hidden }) => hidden),
    ]
  } finally {
    await stage.end()
  }
}

async function inWindow(work) {
  const { context, end } = await startWindow()
  try {
    return await work(context)
  } finally {
    await end()
  }
}

const figures = (ours, naive) => ({ rounds: ours.map((value, index) => ({ ours: value, naive: naive[index] })) })

/** Brings the last tab to the front (the first one leads), and checks that only this tab is visible. */
async function showLast(pages) {
  const front = pages.at(-1)
  await front.bringToFront()
  const isSo = (state) => document.visibilityState === state
  for (const page of pages) await page.waitForFunction(isSo, page === front ? 'visible' : 'hidden', { polling: 100 })
}

/** Milliseconds of requests to `path`, with their connections: of the last page, and of the others in turn. */
async function waitsOf(pages, path) {
  const [front, ...others] = pages.toReversed()
  await askFrom(front, path)
  /** @type {Record<'front' | 'hidden', number[]>} */
  const waits = { front: [], hidden: [] }
  for (let asked = 0; asked < ASKED; asked += 1) {
    waits.front.push(await askFrom(front, path))
    waits.hidden.push(await askFrom(others[(asked * 7) % others.length], path))
  }
  return waits
}

const askFrom = (page, path) =>
  page.evaluate(
    async ([path, giveUpMs]) => {
      const began = performance.now()
      await fetch(path, { cache: 'no-store', signal: AbortSignal.timeout(giveUpMs) })
        .then((response) => response.text())
        .catch(() => {})
      return performance.now() - began
    },
    [path, GIVE_UP_MS],
  )

/**
 * Brings a tab to the front and returns how many events its first frame lags behind, apart from those sent since.
 * Infinity if it shows none, or no more.
 */
async function lateness(page) {
  const seen = page.evaluate(
    (giveUpMs) =>
      new Promise((resolve) => {
        const until = performance.now() + giveUpMs
        const shown = () => {
          const tabs = document.querySelector('[role=tablist]')?.textContent ?? ''
          return {
            count: Number(/Events\s*([\d.,\s]+)/.exec(tabs)?.[1].replace(/\D/g, '') ?? 0),
            at: performance.now(),
          }
        }
        const look = () =>
          requestAnimationFrame(() =>
            setTimeout(() => {
              const first = shown()
              const lookAgain = () => {
                const later = shown()
                if (later.count > first.count || later.at > until) resolve([first, later])
                else setTimeout(lookAgain, 50)
              }
              setTimeout(lookAgain, 500)
            }),
          )
        if (document.visibilityState === 'visible') look()
        else document.addEventListener('visibilitychange', look, { once: true })
      }),
    GIVE_UP_MS,
  )
  await page.bringToFront()
  const [first, later] = await seen
  const come = ((later.at - first.at) / 1000) * RATE
  return first.count > 0 && later.count > first.count ? later.count - first.count - come : Number.POSITIVE_INFINITY
}

async function ourTabs({ console: ours }, context) {
  await addSession(context, ours)
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
  await showLast(pages)
  await pages[0].waitForTimeout(5000) // hidden for so long that a tab which has not kept up is far behind
  const streams = open.size
  const waits = await waitsOf(pages, '/healthz')
  const late = []
  for (const page of pages) late.push(await lateness(page))
  return { streams, ...waits, moving: late.filter((events) => events <= SLACK).length, late: Math.max(...late) }
}

async function naiveTabs({ upstream }, context) {
  await fetch(`${upstream.url}/page/blank`, { method: 'PUT', body: '<!doctype html><title>blank</title>' })
  const { open } = await upstream.stats()
  const pages = []
  for (let tab = 0; tab < TABS; tab += 1) {
    const page = await context.newPage()
    await page.goto(`${upstream.url}/page/blank`, { waitUntil: 'commit' })
    pages.push(page)
  }
  await showLast(pages)
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
  return { streams, ...(await waitsOf(pages, '/bench/stats')), moving }
}
