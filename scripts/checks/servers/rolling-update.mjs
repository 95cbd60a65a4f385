// node scripts/checks/servers/rolling-update.mjs [RUNS] [--notice SECONDS]: two consoles over one database, behind a proxy that asks
// `/readyz` each second, and live runs (100) with 10 events a second. Each run is watched by a reader of its own, one by a Chromium too.
// Both consoles are replaced as Kubernetes does it: a new one is ready first; then the old one gets no more connections, and SIGTERM
// after `--notice` (5, as in the chart). With `--notice 0`, only `/readyz` tells the proxy. Exits with 1 if an event was lost, doubled
// or out of order, if a viewer had no connection or no event for two seconds, or if the page showed a wrong status.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { signedIn, startChromium } from '../../../bench/live/chromium.mjs'
import { loadSources } from '../load-sources.mjs'
import { scriptedConsole } from '../scripted-console.mjs'

const { values, positionals } = parseArgs({
  options: { notice: { type: 'string', default: '5' } },
  allowPositionals: true,
})
const count = Number(positionals[0] ?? 100)
const noticeMs = Number(values.notice) * 1000
/** Interval of one run's events. */
const EVERY_MS = 100
/** Runs that send one at the same time. */
const TOGETHER = 10
const PROBE_MS = 1_000
const MOST_MS = 2_000
/** Before, between and after the replacements. */
const QUIET_MS = 3_000
const PATIENCE_MS = 60_000
const [RUNNING, ENDED] = ['Running', 'Finished']
const WRONG = ['Failed', 'Timed out', 'Needs input', 'Interrupted', 'Cancelled', 'Removed', 'Unknown', 'Session ended']

const { tcpProxy } = await loadSources('rolling', ["export { tcpProxy } from './scripts/proxies/tcp-proxy'"])

/**
 * What the proxy knows of a console. One that leaves gets no more connections.
 * @typedef {{ console: Awaited<ReturnType<typeof ours.another>>, isReady: boolean, isLeaving: boolean }} Pod
 */
/** @type {Pod[]} */
const pods = []
const serving = () => pods.filter(({ isReady, isLeaving }) => isReady && !isLeaving)
const proxy = await tcpProxy(() => serving().map((pod) => new URL(pod.console.address)))
const publicUrl = `http://${proxy.host}`
async function probe(pod) {
  pod.isReady = await fetch(`${pod.console.address}/readyz`, { signal: AbortSignal.timeout(PROBE_MS) }).then(
    ({ ok }) => ok,
    () => false,
  )
}
const probing = setInterval(() => pods.forEach(probe), PROBE_MS)
async function join(one) {
  pods.push({ console: one, isReady: false, isLeaving: false })
  while (!pods.at(-1)?.isReady) await sleep(50)
}

const ours = await scriptedConsole({ publicUrl })
ours.server.onRun = (run) => {
  run.isResumable = true
}
await join(ours.console)
await join(await ours.another())

/** @type {Awaited<ReturnType<typeof ours.startRun>>[]} */
const runs = []
while (runs.length < count) {
  // Two at once, over two connections, so that both consoles record.
  const some = [1, 2].slice(0, count - runs.length).map(() => ours.startRun({}, { stream_resumable: true }))
  runs.push(...(await Promise.all(some)))
}
const shares = await ours.shares()

let isTalking = true
/** A browser of its own that follows one run. */
function watch({ recording }) {
  /** @type {any[]} */
  const seen = []
  const viewer = { seen, heardAt: 0, leftAt: 0, gapMs: 0, lateMs: 0, awayMs: 0, restarts: 0, follower: () => {} }
  const follower = ours.follow(recording, (entries) => {
    if (entries.at(0)?.seq === 1 && viewer.seen.length > 0) {
      viewer.seen = []
      viewer.restarts += 1
    }
    viewer.seen.push(...entries)
    const events = entries.filter(({ kind, event }) => kind === 'event' && event === 'custom')
    if (!isTalking || events.length === 0) return
    const now = performance.now()
    if (viewer.heardAt) viewer.gapMs = Math.max(viewer.gapMs, now - viewer.heardAt)
    viewer.heardAt = now
    viewer.lateMs = Math.max(viewer.lateMs, now - JSON.parse(events[0].data).at)
  })
  let isLive = false
  follower.connection.subscribe(() => {
    const wasLive = isLive
    isLive = follower.connection.get() === 'live'
    if (wasLive && !isLive) viewer.leftAt = performance.now()
    if (!wasLive && isLive && viewer.leftAt) viewer.awayMs = Math.max(viewer.awayMs, performance.now() - viewer.leftAt)
  })
  return Object.assign(viewer, { isLive: () => isLive, close: follower })
}
const viewers = runs.map(watch)
await ours.until(() => viewers.every((one) => one.isLive()), PATIENCE_MS)

let events = 0
let turn = 0
const talk = setInterval(
  () => {
    for (const { run } of runs.slice(turn, turn + TOGETHER))
      run.emit('custom', { token: ++events, at: performance.now(), text: 'x'.repeat(100) })
    turn = (turn + TOGETHER) % count
  },
  (EVERY_MS * TOGETHER) / count,
)

const browser = await startChromium()
const context = await signedIn(browser, { url: publicUrl, cookies: ours.console.cookies })
const page = await context.newPage()
const address = ours.console.pageOf(runs[0]?.recording)
await page.goto(address)
await page.getByText(RUNNING, { exact: true }).waitFor()
/** @type {string[]} */
const shown = []
await page.exposeFunction('show', (text) => void shown.push(text))
// What changes, as a person would read it.
await page.evaluate(() => {
  const read = (node) => {
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    for (let text = node.nodeType === 3 ? node : texts.nextNode(); text; text = texts.nextNode()) {
      const words = text.nodeValue.trim()
      if (words && words.length < 40) /** @type {any} */ (window).show(words)
    }
  }
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes) (type === 'characterData' ? [target] : addedNodes).forEach(read)
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
})
await sleep(QUIET_MS)

/** @type {number[]} */
const stopMs = []
for (const old of [...pods]) {
  await join(await ours.another())
  old.isLeaving = noticeMs > 0
  await sleep(noticeMs)
  const began = performance.now()
  await old.console.end()
  stopMs.push(Math.round(performance.now() - began))
  pods.splice(pods.indexOf(old), 1)
  await sleep(QUIET_MS)
}
await ours.until(() => viewers.every((one) => one.isLive()), PATIENCE_MS)

const problems = [...WRONG, ENDED].flatMap((status) => (shown.includes(status) ? [`the page showed ${status}`] : []))
isTalking = false
clearInterval(talk)
for (const { run } of runs) run.finish()
for (const [index, { recording, run }] of runs.entries()) {
  const viewer = /** @type {ReturnType<typeof watch>} */ (viewers[index])
  await ours.until(() => ours.isEnded(recording), PATIENCE_MS)
  await ours.until(() => viewer.seen.at(-1)?.kind === 'final', PATIENCE_MS)
  const log = await ours.logOf(recording)
  if (JSON.stringify(viewer.seen) !== JSON.stringify(log))
    problems.push(`${recording}: its viewer saw ${viewer.seen.length} of ${log.length} entries, or others`)
  const recorded = log.flatMap(({ kind, data }) => (kind === 'event' ? [data] : []))
  if (JSON.stringify(recorded) !== JSON.stringify(run.events.map(({ data }) => data)))
    problems.push(`${recording}: ${recorded.length} of ${run.events.length} events are recorded, or others`)
  if (viewer.gapMs > MOST_MS) problems.push(`${recording}: no event for ${Math.round(viewer.gapMs)} ms`)
  if (viewer.awayMs > MOST_MS) problems.push(`${recording}: no connection for ${Math.round(viewer.awayMs)} ms`)
  viewer.close()
}
await page.getByText(ENDED, { exact: true }).waitFor()
if (page.url() !== address) problems.push(`the page has gone to ${page.url()}`)

await browser.close()
clearInterval(probing)
for (const pod of pods) await pod.console.end()
await ours.stop()
await proxy.close()

for (const one of problems.slice(0, 20)) console.error(`[rolling] ${one}`)
const longest = (of) => Math.round(Math.max(...viewers.map(of)))
const median = (of) => Math.round(viewers.map(of).toSorted((a, b) => a - b)[count >> 1] ?? 0)
console.log(
  JSON.stringify({
    runs: count,
    shares,
    events,
    longest_without_connection_ms: longest(({ awayMs }) => awayMs),
    median_without_connection_ms: median(({ awayMs }) => awayMs),
    longest_without_events_ms: longest(({ gapMs }) => gapMs),
    median_without_events_ms: median(({ gapMs }) => gapMs),
    latest_event_ms: longest(({ lateMs }) => lateMs),
    from_the_start_again: viewers.reduce((sum, { restarts }) => sum + restarts, 0),
    stop_ms: stopMs,
    problems: problems.length,
  }),
)
process.exit(problems.length === 0 ? 0 : 1)
