// The live run page in Chromium: drawing a burst of events, replies of many chunks, and the page's memory. Compared
// with pages that do the same in other ways, from the same upstream.
import { drawnAt, heapOf, readBytes, rowsDrawn, seenAt, signedIn, startChromium, textAt } from './live/chromium.mjs'
import { eventData } from './live/events.mjs'
import { putPages } from './live/pages.mjs'
import { byTurns, Exactness, median, ROUNDS, row, SCALE } from './live/rounds.mjs'
import { startStage } from './live/sides.mjs'

const BURST = Math.round(100_000 * SCALE)
const REPLIES = [
  [6000, 1000],
  [50_000, 5000],
].map(([chunks, rate]) => [Math.round(chunks * SCALE), rate])
const HEAP = [100_000, 1_000_000].map((events) => Math.round(events * SCALE))
const HEAP_ROUNDS = Math.min(3, ROUNDS)
const GIVE_UP_MS = 60_000
const LAST_WORD = 'the-last-word'

let gates = 0
const newGate = () => `b${++gates}`
const texts = (plan) => Object.fromEntries(Object.entries(plan).map(([key, value]) => [key, String(value)]))

/** @returns one row for each figure. */
export async function measure() {
  const stage = await startStage({ needsNginx: false })
  const browser = await startChromium()
  try {
    const context = await signedIn(browser, stage.console)
    // Peers' pages are plain, even at the console's address.
    const plain = await signedIn(browser, stage.console, { bypassCSP: true })
    const rows = await burst(stage, context, plain)
    for (const [chunks, rate] of REPLIES) rows.push(...(await reply(stage, context, plain, { chunks, rate })))
    rows.push(await heap(stage, context))
    return rows
  } finally {
    await browser.close()
    await stage.end()
  }
}

/** What is wrong with the events that a page has drawn: `events` of `bytes` each, after the run's metadata. */
async function exactnessOf(page, events, bytes) {
  await page.waitForTimeout(1000) // for what would come once more
  const { count, windows } = await rowsDrawn(page)
  const isRight = ({ seq, text }, index, rows) =>
    seq === (rows[0]?.seq ?? 0) + index && (seq === 1 || seq > events + 1 || text === eventData(seq - 1, bytes, 0))
  // The last entry is the run's outcome, if it has ended.
  const known = windows.flat().some(({ seq }) => seq === events + 2) ? events + 2 : events + 1
  return {
    lost: Math.max(0, known - count),
    doubled: Math.max(0, count - known),
    damaged: 0,
    wrong: windows.flatMap((rows) => rows.filter((row, index) => !isRight(row, index, rows))).length,
  }
}

/** Starts a run behind a gate and opens its page. Returns the live page, and a function that opens the gate. */
async function openRun({ console: ours, upstream }, context, plan, lens) {
  const gate = newGate()
  const { id } = await ours.startRun(texts({ ...plan, gate }))
  const page = await context.newPage()
  await page.goto(`${ours.pageOf(id)}?lens=${lens}`)
  await page.getByRole('tab', { name: lens, exact: false }).first().waitFor()
  // The page follows it once the run's first event has arrived.
  await page.waitForFunction(() => /Events\s*[1-9]/.test(document.querySelector('[role=tablist]')?.textContent ?? ''))
  await page.waitForTimeout(500)
  await page.evaluate(() => {
    window.longTasks.length = 0
    window.inputDelays.length = 0
  })
  return { id, page, release: () => upstream.release(gate) }
}

/**
 * The fastest possible page on the console's own stream: reads and discards its bytes until `last` has arrived. Returns
 * the reading page, and a function that opens the gate.
 */
async function openChannel({ console: ours, upstream }, plain, plan, last) {
  const gate = newGate()
  const { id } = await ours.startRun(texts({ ...plan, gate }))
  const page = await plain.newPage()
  await page.goto(`${ours.url}/healthz`)
  const { url, body } = ours.live(id)
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
  const reading = readBytes(page, { url, init, last })
  reading.catch(() => {}) // reported where it is awaited
  await page.waitForFunction(() => window.isOpen)
  await page.waitForTimeout(300) // what opening left behind must not be measured
  return { page, reading, release: () => upstream.release(gate) }
}

async function burst(stage, context, plain) {
  const { upstream } = stage
  const address = await putPages(upstream)
  const plan = { events: BURST, batch: 20, bytes: 60 }
  const last = `"n":${BURST},`
  /** Milliseconds from opening the gate to the last event. */
  const peer = (name) => async () => {
    const gate = newGate()
    const page = await plain.newPage()
    const query = texts({ ...plan, gate })
    await page.goto(address(name, name === 'blank' ? {} : query))
    const reading =
      name === 'blank'
        ? readBytes(page, { url: `${upstream.url}/flow?${new URLSearchParams(query)}`, last })
        : seenAt(page, BURST, GIVE_UP_MS)
    reading.catch(() => {}) // reported where it is awaited
    await page.waitForFunction(() => window.isOpen)
    await page.waitForTimeout(300)
    const began = Date.now()
    await upstream.release(gate)
    const { at, count = BURST } = await reading
    await page.close()
    return { perSecond: (count / (at - began)) * 1000, count }
  }
  const exact = new Exactness()
  const sides = {
    direct: peer('blank'),
    channel: async () => {
      const { page, reading, release } = await openChannel(stage, plain, plan, last)
      const began = Date.now()
      await release()
      const { at } = await reading
      await page.close()
      return { perSecond: (BURST / (at - began)) * 1000, count: BURST }
    },
    eventsource: peer('eventsource'),
    usestream: peer('usestream'),
    ours: async () => {
      const { page, release } = await openRun(stage, context, plan, 'events')
      const began = Date.now()
      await release()
      // The first entry is the run's metadata.
      const { at, count } = await drawnAt(page, BURST + 1, GIVE_UP_MS)
      const longest = await page.evaluate(() => Math.max(0, ...window.longTasks.map(({ duration }) => duration)))
      exact.take(await exactnessOf(page, BURST, plan.bytes))
      await page.close()
      return { perSecond: (count / (at - began)) * 1000, count: count - 1, longest }
    },
  }
  // JavaScript programs, including the console, are compiled in their first seconds.
  for (const side of Object.values(sides)) await side()
  const seen = await byTurns(sides, { read: ({ perSecond }) => perSecond }, (side) => side())
  const of = ({ perSecond }) => perSecond
  const longest = Math.round(median(seen.rounds.map(({ ours }) => ours.longest)))
  /** @type {[string, string, string?][]} */
  const peers = [
    // No goal, see docs/decisions/0040-burst-benchmark.md.
    ['direct', 'bytes only, direct'],
    ['channel', "bytes only, the console's stream", '>= 0.5'],
    ['eventsource', 'EventSource, a state per event', '>= 10'],
    ['usestream', 'useStream of the SDK'],
  ]
  return peers.map(([peer, name, goal]) =>
    row(`browser burst of ${BURST} events drawn`, 'events/s', seen, {
      peer,
      name: name + (seen.rounds.some((round) => round[peer].count < BURST) ? ', given up' : ''),
      of,
      ...(goal && { goal }),
      ...exact.totals,
      longest_task_ms: longest,
    }),
  )
}

/** A reply in `chunks`: when its last word is on screen, and how responsive the page is meanwhile. */
async function reply(stage, context, plain, { chunks, rate }) {
  const plan = { events: chunks, rate, kind: 'reply' }
  const ours = async () => {
    const first = await openRun(stage, context, plan, 'transcript')
    const shown = textAt(first.page, LAST_WORD, (chunks / rate) * 1000 + GIVE_UP_MS)
    await first.release()
    const at = await shown
    const { lastAt } = await stage.upstream.stats()
    const tasks = await first.page.evaluate(() => window.longTasks.map(({ duration }) => duration))
    await first.page.close()
    const second = await openRun(stage, context, plan, 'events')
    const filter = second.page.getByRole('searchbox', { name: 'Filter events by text' })
    return {
      last: at === null ? undefined : Math.max(0, at - lastAt),
      tasks: tasks.length,
      longestTask: Math.max(0, ...tasks),
      longestKey: await typeWhile(second, filter, plan),
    }
  }
  /** The cost of a key in an empty page while the machine does the same work: only the field is drawn. */
  const bare = async () => {
    const opened = await openChannel(stage, plain, plan, LAST_WORD)
    await opened.page.evaluate(() => document.body.replaceChildren(document.createElement('input')))
    return { longestKey: await typeWhile(opened, opened.page.locator('input'), plan) }
  }
  const seen = await byTurns({ ours, bare }, {}, (side) => side())
  const name = `browser reply of ${chunks} chunks, ${rate}/s`
  // A reply that never showed its last word has no time, and must not become one.
  const shown = { ...seen, rounds: seen.rounds.filter(({ ours }) => ours.last !== undefined) }
  const most = (of, side = 'ours') => Math.round(Math.max(...seen.rounds.map((round) => of(round[side]))))
  return [
    row(`${name}: last word after the last byte`, 'ms', shown, {
      of: ({ last }) => last,
      goal: '<= 500 ms',
      timed_out: seen.rounds.length - shown.rounds.length,
    }),
    row(`${name}: tasks over 50 ms`, 'tasks', seen, {
      of: ({ tasks }) => tasks,
      goal: '0',
      longest_task_ms: most(({ longestTask }) => longestTask),
    }),
    row(`${name}: longest delay of a key in the filter`, 'ms', seen, {
      of: ({ longestKey }) => longestKey,
      peer: 'bare',
      name: 'an empty page that reads the bytes',
      goal: '<= 50 ms',
      longest_ms: most(({ longestKey }) => longestKey),
      longest_ms_of_peer: most(({ longestKey }) => longestKey, 'bare'),
    }),
  ]
}

/**
 * Types into a field while events arrive. Returns the longest time from a key to the next paint in ms, as reported by
 * the browser (from 16 on).
 */
async function typeWhile({ page, release }, field, plan) {
  await field.focus()
  await release()
  const until = Date.now() + Math.min(8000, (plan.events / plan.rate) * 1000)
  const keys = ['w', 'o', 'r', 'd', '1', 'Backspace', 'Backspace', 'Backspace', 'Backspace', 'Backspace']
  for (let pressed = 0; Date.now() < until; pressed += 1) {
    await page.keyboard.press(keys[pressed % keys.length])
    await page.waitForTimeout(150)
  }
  const delays = await page.evaluate(() => window.inputDelays)
  await page.close()
  return Math.max(16, ...delays)
}

/** The page's memory after this many events, in pages that stay open. */
async function heap(stage, context) {
  const [few, many] = HEAP
  const exact = new Exactness()
  const rounds = []
  while (rounds.length < HEAP_ROUNDS) rounds.push(await heapOfPage(stage, context, exact))
  return row(
    `browser heap after ${many} events`,
    'MB',
    { rounds },
    {
      peer: 'few',
      name: `after ${few} events`,
      goal: '<= 1.1',
      ...exact.totals,
    },
  )
}

async function heapOfPage(stage, context, exact) {
  const [few, many] = HEAP
  const [gate, second] = [newGate(), newGate()]
  const { id } = await stage.console.startRun(
    texts({ events: many, batch: 20, bytes: 60, gate, pauseAt: few, secondGate: second }),
  )
  const page = await context.newPage()
  await page.goto(`${stage.console.pageOf(id)}?lens=events`)
  await stage.upstream.release(gate)
  await drawnAt(page, few + 1, GIVE_UP_MS)
  const before = await heapOf(page)
  await stage.upstream.release(second)
  await drawnAt(page, many + 1, 5 * GIVE_UP_MS)
  const after = await heapOf(page)
  exact.take(await exactnessOf(page, many, 60))
  await page.close()
  return { ours: after / 1e6, few: before / 1e6 }
}
