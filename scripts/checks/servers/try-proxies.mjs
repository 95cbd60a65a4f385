// npm run test:proxies [-- NAME...]: nginx, Caddy and Traefik (those on the PATH) in front of a console with a
// scripted agent server, over TLS and with the settings of docs/operate.md. Through each: a person signs in with Chromium, runs with
// 20 events a second are watched by it and by readers of their own for SECONDS (65), one run is silent meanwhile, a large body is
// sent, the console is stopped with all of them watching and comes back, and all leave. Exits with 1 if an event came late or in
// lumps, was lost, doubled or out of order, if a connection was lost otherwise, or if the console keeps streams of those who left.
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startChromium } from '../../../bench/live/chromium.mjs'
import { freePort, until } from '../../../bench/next-app.mjs'
import { guideProxy, makeCertificate, PROXIES, versionOf } from '../../proxies/guide-proxy.mjs'
import { loadSources } from '../load-sources.mjs'
import { scriptedConsole } from '../scripted-console.mjs'

const { TRY_PROXIES_FOLDER: folder = '', SECONDS = '65' } = process.env
const wanted = process.argv.length > 2 ? process.argv.slice(2) : PROXIES
if (!folder) {
  const temporary = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-proxies-'))
  chmodSync(temporary, 0o755) // as root, nginx works as another user
  const { certificate } = makeCertificate(temporary)
  // Node.js reads further authorities only when it starts.
  const { status } = spawnSync(process.execPath, process.argv.slice(1), {
    stdio: 'inherit',
    env: { ...process.env, TRY_PROXIES_FOLDER: temporary, NODE_EXTRA_CA_CERTS: certificate },
  })
  rmSync(temporary, { recursive: true, force: true })
  process.exit(status ?? 1)
}
const EVERY_MS = 50
const RUNS = 4
const LARGE = 7_000_000
/** Of one event, and between two. The machine is busy with all parts at once, and the median tells what is usual. */
const [MOST_MS, MOST_MEDIAN_MS] = [5_000, 500]
const TOKEN = 'a token for the scraper'
const PATIENCE_MS = 60_000
const files = { certificate: path.join(folder, 'console.pem'), key: path.join(folder, 'console.key') }
const { tcpProxy } = await loadSources('proxies', ["export { tcpProxy } from './scripts/proxies/tcp-proxy'"])

/** @type {string[]} */
const problems = []
const say = (line) => console.log(`[proxies] ${line}`)
for (const name of wanted) {
  const version = versionOf(name)
  if (version) await tryProxy(name, version)
  else say(`${name}: skipped, because it is not on the PATH`)
}
for (const one of problems) console.error(`[proxies] ${one}`)
process.exit(problems.length === 0 ? 0 : 1)

async function tryProxy(name, version) {
  const wrong = (text) => problems.push(`${name}: ${text}`)
  const port = await freePort()
  const url = `https://localhost:${port}`
  // Each start of the console has another port.
  /** @type {Awaited<ReturnType<typeof scriptedConsole>> | undefined} */
  let ours
  const way = await tcpProxy(() => (ours?.console ? [new URL(ours.console.address)] : []))
  const consolePort = Number(way.host.split(':')[1])
  const proxy = await guideProxy(name, folder, { port, consolePort, ...files })
  ours = await scriptedConsole({ publicUrl: url, env: { TRUSTED_PROXIES: '127.0.0.1', METRICS_TOKEN: TOKEN } })
  const { server } = ours
  server.onRun = (run) => {
    run.isResumable = true
  }
  await until(`${url}/readyz`).catch(() => wrong(`it does not serve the console: ${proxy.said()}`))

  const browser = await startChromium()
  const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage()
  await page.goto(`${url}/sign-in`)
  await page.getByLabel('Email').fill('admin@example.com')
  await page.getByLabel('Password').fill('correct horse battery staple')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  const cookies = await page.context().cookies()
  if (!cookies.some((one) => /session$/.test(one.name) && one.secure))
    wrong('the session’s cookie is not for TLS alone')

  const runs = []
  while (runs.length < RUNS) runs.push(await ours.startRun({}, { stream_resumable: true }))
  const [silent, ...talking] = runs
  // The answer has all of the input, and is too large for what reads it here.
  await ours.startRun({ text: 'x'.repeat(LARGE) }).catch(({ message }) => {
    if (!/refused: 200 /.test(message)) wrong(`a body of ${LARGE} bytes: ${message.slice(0, 200)}`)
  })
  server.latest().finish()
  const viewers = runs.map((run) => watch(ours, run.recording))
  await ours.until(() => viewers.every((one) => one.isLive()), PATIENCE_MS)
  await page.goto(ours.console.pageOf(talking[0]?.recording))
  await page.getByText('Running', { exact: true }).waitFor()
  const protocol = await page.evaluate(() => performance.getEntriesByType('navigation')[0]?.toJSON().nextHopProtocol)

  let events = 0
  const talk = setInterval(() => {
    for (const { run } of talking)
      run.emit('custom', { token: ++events, at: performance.now(), text: `token ${events}` })
  }, EVERY_MS)
  /** What the page shows changes as often as events arrive, if they do not come in lumps. */
  const drawn = page.evaluate(
    (ms) =>
      new Promise((resolve) => {
        let [last, gap] = [performance.now(), 0]
        const observer = new MutationObserver(() => {
          gap = Math.max(gap, performance.now() - last)
          last = performance.now()
        })
        observer.observe(document.body, { subtree: true, childList: true, characterData: true })
        setTimeout(() => resolve(Math.round(gap)), ms)
      }),
    Number(SECONDS) * 1000,
  )
  const drawnGapMs = await drawn
  clearInterval(talk)
  const measured = viewers.slice(1)
  const lateMs = Math.max(...measured.map((one) => one.lateMs))
  const gapMs = Math.max(...measured.map((one) => one.gapMs))
  const ages = measured.flatMap((one) => one.ages).toSorted((a, b) => a - b)
  const medianMs = ages[ages.length >> 1] ?? Infinity
  if (medianMs > MOST_MEDIAN_MS) wrong(`half of the events were more than ${Math.round(medianMs)} ms late`)
  if (lateMs > MOST_MS) wrong(`an event was ${Math.round(lateMs)} ms late`)
  if (gapMs > MOST_MS) wrong(`no event came for ${Math.round(gapMs)} ms`)
  if (drawnGapMs > MOST_MS) wrong(`the page stood still for ${drawnGapMs} ms`)
  for (const one of viewers) if (one.losses > 0) wrong(`a connection was lost ${one.losses} times`)
  silent?.run.emit('custom', { at: performance.now() })
  await ours.until(() => viewers[0]?.ages.length === 1, PATIENCE_MS).catch(() => wrong('a silent run stayed silent'))

  const began = performance.now()
  await ours.console.end()
  const stopMs = Math.round(performance.now() - began)
  if (stopMs > 15_000) wrong(`the console took ${stopMs} ms to stop`)
  await ours.start()
  await ours.until(() => viewers.every((one) => one.isLive()), PATIENCE_MS)
  for (const { run } of runs) run.emit('custom', { at: performance.now(), text: 'after the stop' })
  for (const { run } of runs) run.finish()
  await page
    .getByText('Finished', { exact: true })
    .waitFor({ timeout: PATIENCE_MS })
    .catch(() => wrong('the page did not come back'))
  for (const [index, { recording, run }] of runs.entries()) {
    const { seen } = /** @type {ReturnType<typeof watch>} */ (viewers[index])
    await ours.until(() => ours.isEnded(recording), PATIENCE_MS)
    await ours.until(() => seen.at(-1)?.kind === 'final', PATIENCE_MS)
    const recorded = seen.flatMap(({ kind, data }) => (kind === 'event' ? [data] : []))
    if (JSON.stringify(recorded) !== JSON.stringify(run.events.map(({ data }) => data)))
      wrong(`${recorded.length} of ${run.events.length} events came, or others`)
  }
  for (const one of viewers) one.close()
  await browser.close()
  const address = ours.console.address
  const open = async () => {
    const response = await fetch(`${address}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
    return Number(/^pilothouse_live_connections (\d+)$/m.exec(await response.text())?.[1])
  }
  let left = await open()
  for (let tries = 0; left > 0 && tries < 50; tries++) {
    await sleep(100)
    left = await open()
  }
  if (left > 0) wrong(`${left} streams of viewers who left stay open`)
  if (proxy.hasEnded()) wrong(`it ended: ${proxy.said()}`)
  await proxy.close()
  await ours.stop()
  await way.close()
  const figures = { protocol, events, median_ms: medianMs, latest_ms: lateMs, longest_gap_ms: gapMs }
  const rounded = (_, one) => (typeof one === 'number' ? Math.round(one) : one)
  say(`${name} ${version}: ${JSON.stringify({ ...figures, page_gap_ms: drawnGapMs, stop_ms: stopMs }, rounded)}`)
}

/** A browser of its own that follows a recording. */
function watch(ours, recording) {
  const viewer = {
    seen: /** @type {any[]} */ ([]),
    ages: /** @type {number[]} */ ([]),
    ...{ lateMs: 0, gapMs: 0, heardAt: 0, losses: 0 },
  }
  const follower = ours.follow(recording, (entries) => {
    if (entries.at(0)?.seq === 1) viewer.seen.length = 0
    viewer.seen.push(...entries)
    const now = performance.now()
    for (const { kind, event, data } of entries) {
      if (kind !== 'event' || event !== 'custom') continue
      viewer.ages.push(now - JSON.parse(data).at)
      viewer.lateMs = Math.max(viewer.lateMs, now - JSON.parse(data).at)
      if (viewer.heardAt) viewer.gapMs = Math.max(viewer.gapMs, now - viewer.heardAt)
      viewer.heardAt = now
    }
  })
  let isLive = false
  follower.connection.subscribe(() => {
    const wasLive = isLive
    isLive = follower.connection.get() === 'live'
    if (wasLive && !isLive) viewer.losses += 1
  })
  return Object.assign(viewer, { isLive: () => isLive, close: follower })
}
