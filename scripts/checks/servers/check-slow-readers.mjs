// node scripts/checks/servers/check-slow-readers.mjs [EVENTS] [READERS]: a run of this many events (200,000) with one viewer
// that reads, then again with many (20) that do not. The console's memory must not grow with them, the reading one must
// not notice, and each must be told to reconnect and then get everything.
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { scriptedConsole } from '../scripted-console.mjs'

const events = Number(process.argv[2] ?? 200_000)
const readers = Number(process.argv[3] ?? 20)
/**
 * Memory allowed per stalled viewer: its window, Node's overhead and garbage. If unbounded, it would be the whole log.
 */
const MOST_EACH = 4 * 2 ** 20
const MOST_SLOWER = 2

const ours = await scriptedConsole()
const problems = []
const megabytes = (bytes) => Math.round(bytes / 2 ** 20)
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${ours.pid()}/status`, 'utf8'))?.[1]) * 1024

/** Opens a stream and leaves it unread. */
function open({ url, body, ...init }) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { ...init, agent: false }, (response) => resolve(response.pause()))
    request.on('error', reject).end(body)
  })
}
/** The numbers of a stream's entries, and its last frame. */
async function read(response, isLast) {
  const parser = new ours.SseParser()
  const seqs = []
  let bytes = 0
  let last
  for await (const piece of response) {
    bytes += piece.length
    for (const { data } of parser.push(piece)) {
      last = ours.decodeFrame(data)
      for (const { seq } of last.entries ?? []) seqs.push(seq)
    }
    if (isLast(seqs)) break
  }
  return { seqs, bytes, last }
}
const isInOrder = (seqs, first) => seqs.every((seq, index) => seq === first + index)

/** One run to its end with a viewer that reads. */
async function round(prepare) {
  const { recording, run } = await ours.startRun()
  const others = await prepare(recording)
  let last = 0
  let isWhole = true
  let endedAt = 0
  const close = ours.follow(recording, (entries) => {
    for (const { seq, kind } of entries) {
      if (seq !== last + 1) isWhole = false
      last = seq
      if (kind === 'final') endedAt = Date.now()
    }
  })
  let peak = 0
  const watch = setInterval(() => {
    peak = Math.max(peak, memory())
  }, 100)
  const began = Date.now()
  for (let n = 0; n < events; n++) {
    run.emit('custom', { n, text: 'x'.repeat(150) })
    if (n % 500 === 499) await sleep(1)
  }
  run.finish()
  await ours.until(() => endedAt > 0, 120_000)
  await sleep(1000)
  clearInterval(watch)
  close()
  if (!isWhole || last !== events + 2) problems.push(`the viewer who reads had ${last} entries of ${events + 2}`)
  return { recording, others, peak, ms: endedAt - began }
}

await round(async () => []) // warms it up
const alone = await round(async () => [])
const beside = await round((recording) =>
  Promise.all(Array.from({ length: readers }, () => open(ours.console.live(recording)))),
)
await sleep(22_000) // the limit for a stalled viewer is 20 s
const held = memory()
const total = events + 2
const sizes = []
for (const response of beside.others) {
  const { seqs, bytes, last } = await read(response, () => false)
  sizes.push(bytes)
  if (last?.reason !== 'slow') problems.push(`one who read nothing was not told to come back: ${JSON.stringify(last)}`)
  const cursor = seqs.at(-1) ?? 0
  const again = JSON.parse(ours.console.live(beside.recording).body)
  again.subscriptions[0].cursor = cursor
  const resumed = await open({ ...ours.console.live(beside.recording), body: JSON.stringify(again) })
  const rest = await read(resumed, (list) => list.at(-1) === total)
  if (!isInOrder([...seqs, ...rest.seqs], 1) || cursor + rest.seqs.length !== total)
    problems.push(`one who came back at ${cursor} had ${rest.seqs.length} more`)
}
if (beside.peak - alone.peak > readers * MOST_EACH)
  problems.push(`memory grew by ${megabytes(beside.peak - alone.peak)} MB`)
if (beside.ms > alone.ms * MOST_SLOWER) problems.push(`who reads had it after ${beside.ms} ms instead of ${alone.ms}`)
await ours.stop()
for (const one of problems) console.error(`[slow] ${one}`)
console.log(
  JSON.stringify({
    events,
    readers,
    ms: { alone: alone.ms, beside: beside.ms },
    peak_mb: { alone: megabytes(alone.peak), beside: megabytes(beside.peak), afterwards: megabytes(held) },
    taken_by_slow_mb: { most: megabytes(Math.max(...sizes)) },
    problems: problems.length,
  }),
)
process.exit(problems.length === 0 ? 0 : 1)
