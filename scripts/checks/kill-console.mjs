// node scripts/checks/kill-console.mjs [KILLS] [STREAMS]: kills the console (5 times) while it records streams (50),
// half of them with servers that keep events; prints how old the oldest lost event was at each kill. Recordings must
// continue by themselves, and each log must equal its server's, without repeats; only servers that keep nothing may
// leave a gap.
import { setTimeout as sleep } from 'node:timers/promises'
import { scriptedConsole } from './scripted-console.mjs'

const kills = Number(process.argv[2] ?? 5)
const streams = Number(process.argv[3] ?? 50)
/** Interval of one stream's events. */
const EVERY_MS = 20
const MOST_LOST_MS = 50

const began = Date.now()
const ours = await scriptedConsole()
ours.server.onRun = (run) => {
  run.isResumable = run.body.stream_resumable === true
}
const runs = await Promise.all(
  Array.from({ length: streams }, (_, index) => ours.startRun({}, { stream_resumable: index % 2 === 0 })),
)
const viewers = runs.slice(0, 6).map(({ recording }) => {
  /** @type {any} */
  const viewer = { recording, entries: [], resets: 0 }
  viewer.close = ours.follow(recording, (entries) => {
    if (entries[0].seq === 1 && viewer.entries.length > 0) {
      viewer.entries = [] // the console had shown what it could not store
      viewer.resets += 1
    }
    viewer.entries.push(...entries)
  })
  return viewer
})

let count = 0
const talks = []
for (const { run } of runs) {
  await sleep(EVERY_MS * Math.random()) // out of step with each other
  talks.push(setInterval(() => run.emit('custom', { token: ++count, at: Date.now(), text: 'x'.repeat(100) }), EVERY_MS))
}
const whenSaid = (event) => (event ? JSON.parse(event.data).at : Number.POSITIVE_INFINITY)
const killedAt = []
const backMs = []
for (let n = 0; n < kills; n++) {
  await sleep(1500 + Math.random() * 1500)
  killedAt.push(await ours.kill())
  await ours.start()
  await ours.until(() => runs.every(({ run }) => run.readers.size === 1), 60_000)
  backMs.push(Date.now() - killedAt.at(-1))
  console.log(`[kill] ${n + 1}: all streams are read again after ${backMs.at(-1)} ms`)
}
await sleep(500)
for (const talk of talks) clearInterval(talk)
for (const { run } of runs) run.finish()
for (const { recording } of runs) await ours.until(() => ours.isEnded(recording), 60_000)

const problems = []
const lostMs = []
const gaps = []
let events = 0
for (const [index, { recording, run }] of runs.entries()) {
  const log = await ours.logOf(recording)
  const complain = (what) => problems.push(`run ${index} (${run.isResumable ? 'kept' : 'not kept'}): ${what}`)
  if (log.some(({ seq }, at) => seq !== at + 1)) complain('the numbers have a hole')
  if (log.at(-1).outcome !== 'success') complain(`ended as ${log.at(-1).outcome}`)
  const place = new Map(run.events.map(({ data }, at) => [data, at]))
  let next = 0
  let isMarked = false
  for (const entry of log) {
    if (entry.kind === 'gap') {
      isMarked = true
      gaps.push(entry)
    }
    const at = entry.kind === 'event' ? place.get(entry.data) : entry.kind === 'final' ? run.events.length : next
    if (at === undefined) complain(`an event that the server never sent: ${entry.data}`)
    else if (at < next) complain(`event ${at} came twice or late`)
    else if (at > next) {
      if (!isMarked) complain(`events ${next} to ${at - 1} are missing without a mark`)
      const kill = killedAt.findLast((moment) => moment < whenSaid(run.events[at]))
      if (kill === undefined) complain(`events ${next} to ${at - 1} are missing, and no kill is to blame`)
      else lostMs.push(Math.max(0, kill - whenSaid(run.events[next])))
    }
    if (entry.kind !== 'gap') isMarked = false
    if (entry.kind === 'event') {
      events += 1
      next = at + 1
    }
  }
  if (run.isResumable && log.some(({ kind }) => kind === 'gap')) complain('a gap, though the server had kept it all')
  const viewer = viewers.find((one) => one.recording === recording)
  if (!viewer) continue
  await ours.until(() => viewer.entries.at(-1)?.kind === 'final', 30_000)
  if (JSON.stringify(viewer.entries) !== JSON.stringify(log)) complain('its viewer saw something else')
  viewer.close()
}
if (lostMs.some((ms) => ms > MOST_LOST_MS))
  problems.push(`more than the last ${MOST_LOST_MS} ms before a kill are lost`)
await ours.stop()

const sorted = lostMs.toSorted((a, b) => a - b)
for (const one of problems.slice(0, 20)) console.error(`[kill] ${one}`)
console.log(
  JSON.stringify({
    kills,
    streams,
    seconds: Math.round((Date.now() - began) / 1000),
    events,
    gaps: gaps.length,
    lost_before_kill_ms: { median: sorted[sorted.length >> 1], longest: sorted.at(-1) },
    back_ms: { longest: Math.max(...backMs) },
    viewer_restarts: viewers.reduce((sum, { resets }) => sum + resets, 0),
    problems: problems.length,
  }),
)
process.exit(problems.length === 0 ? 0 : 1)
