// node scripts/checks/servers/take-over.mjs [RUNS] [--pause]: two consoles over one database, one of which records live runs
// (400) and is killed; prints how long it took until the other read the streams again. With `--pause`, it is stopped with its
// connections open, and goes on afterwards. Exits with 1 if it took more than five seconds for any of them, or 30 with
// `--pause`, or if a log or what a browser saw of it, at either console, then differs from its server's.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { scriptedConsole } from '../scripted-console.mjs'

const { values, positionals } = parseArgs({ options: { pause: { type: 'boolean' } }, allowPositionals: true })
const count = Number(positionals[0] ?? 400)
/** Interval of one stream's events. */
const EVERY_MS = 500
/** Slower than the console's limit on actions. */
const START_EVERY_MS = 150
/** A lease ends after 20 seconds. */
const MOST_MS = values.pause ? 30_000 : 5_000
const LOOK_MS = 10
/** Browsers at each console that is left in the end. */
const VIEWERS = 10

const ours = await scriptedConsole()
ours.server.onRun = (run) => {
  run.isResumable = true
}
const pid = ours.pid()
const other = await ours.another()
/** @type {Awaited<ReturnType<typeof ours.startRun>>[]} */
const runs = []
for (let n = 0; n < count; n += 1) {
  runs.push(await ours.startRun({}, { stream_resumable: true }))
  await sleep(START_EVERY_MS)
}
await ours.until(() => runs.every(({ run }) => run.readers.size === 1), 60_000)
console.log(
  `[take-over] ${count} live runs are recorded by the console that is ${values.pause ? 'stopped' : 'killed'} now`,
)
/** A browser of its own, to which a log that went back is sent again. */
function watch({ recording, run }, through, where) {
  /** @type {any[]} */
  const seen = []
  const viewer = { run, where, seen, close: () => {} }
  viewer.close = ours.follow(
    recording,
    (entries) => {
      if (entries.at(0)?.seq === 1) viewer.seen = []
      viewer.seen.push(...entries)
    },
    through,
  )
  return viewer
}
const viewers = runs.slice(0, VIEWERS).map((one) => watch(one, other, 'the other console'))
if (values.pause) viewers.push(...runs.slice(0, VIEWERS).map((one) => watch(one, ours.console, 'the stopped console')))
const eventsOf = (log) => JSON.stringify(log.flatMap(({ kind, data }) => (kind === 'event' ? [data] : [])))
const sentBy = (run) => JSON.stringify(run.events.map(({ data }) => data))

let events = 0
const emit = (run) => run.emit('custom', { token: ++events, text: 'x'.repeat(100) })
const talk = setInterval(() => {
  for (const { run } of runs) emit(run)
}, EVERY_MS)
await sleep(4 * EVERY_MS)

const before = new Set(runs.flatMap(({ run }) => [...run.readers]))
const killed = performance.now()
process.kill(pid, values.pause ? 'SIGSTOP' : 'SIGKILL')
const waiting = new Set(runs)
/** @type {number[]} */
const afterMs = []
while (waiting.size > 0 && performance.now() - killed < 12 * MOST_MS) {
  for (const one of waiting)
    if ([...one.run.readers].some((reader) => !before.has(reader))) {
      waiting.delete(one)
      afterMs.push(performance.now() - killed)
    }
  await sleep(LOOK_MS)
}
if (values.pause) {
  process.kill(pid, 'SIGCONT')
  await sleep(4 * EVERY_MS) // it writes what it had read, and meets the new owner
}
clearInterval(talk)
for (const { run } of runs) {
  emit(run)
  run.finish()
}
const problems = waiting.size > 0 ? [`${waiting.size} runs are not read again`] : []
for (const { recording, run } of runs) {
  await ours.until(() => ours.isEnded(recording), 60_000)
  const log = await ours.logOf(recording)
  if (eventsOf(log) !== sentBy(run))
    problems.push(`${recording}: other events than the ${run.events.length} of its run`)
  const { kind, outcome } = log.at(-1)
  if (kind !== 'final' || outcome !== 'success') problems.push(`${recording}: ends with ${kind} ${outcome}`)
}
for (const viewer of viewers) {
  const isWhole = () => eventsOf(viewer.seen) === sentBy(viewer.run) && viewer.seen.at(-1)?.kind === 'final'
  await ours.until(isWhole, 60_000).catch(() => problems.push(`a browser at ${viewer.where} saw something else`))
  viewer.close()
}
const longest = Math.round(afterMs.at(-1) ?? 0)
if (longest > MOST_MS) problems.push(`the last was read again after ${longest} ms`)
await other.end()
await ours.stop()

for (const one of problems.slice(0, 20)) console.error(`[take-over] ${one}`)
console.log(
  JSON.stringify({
    runs: count,
    taken_over: afterMs.length,
    first_ms: Math.round(afterMs[0] ?? 0),
    median_ms: Math.round(afterMs[afterMs.length >> 1] ?? 0),
    last_ms: longest,
    events,
    problems: problems.length,
  }),
)
process.exit(problems.length === 0 ? 0 : 1)
