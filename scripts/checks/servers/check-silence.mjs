// node scripts/checks/servers/check-silence.mjs [SECONDS]: runs whose servers stay silent for so long (600; HTTP clients give
// up after 300 by default), with and without heartbeats. Their streams must stay on the same connection, and a viewer
// must keep getting signs of life.
import { setTimeout as sleep } from 'node:timers/promises'
import { scriptedConsole } from '../scripted-console.mjs'

const seconds = Number(process.argv[2] ?? 600)
const LONGEST_PAUSE_MS = 17_000

const ours = await scriptedConsole()
const runs = [await ours.startRun({ heartbeats: false }), await ours.startRun({ heartbeats: true })]
const say = (text) => {
  for (const { run } of runs) run.emit('custom', { text })
}
/** The viewer's raw bytes, with regular comments. */
async function listen(recording) {
  const { url, ...init } = ours.console.live(recording)
  const heard = { comments: 0, longestPauseMs: 0, text: '' }
  const { body } = await fetch(url, init)
  let at = Date.now()
  void (async () => {
    for await (const bytes of body ?? []) {
      heard.longestPauseMs = Math.max(heard.longestPauseMs, Date.now() - at)
      at = Date.now()
      const text = Buffer.from(bytes).toString()
      heard.comments += text.split(': keep-alive').length - 1
      heard.text += text
    }
  })().catch(() => {})
  return heard
}
const viewers = await Promise.all(runs.map(({ recording }) => listen(recording)))
say('before')
const heartbeats = setInterval(() => runs[1].run.raw(': heartbeat\n\n'), 5000)
await sleep(seconds * 1000)
clearInterval(heartbeats)
for (let n = 0; n < 10; n++) say(`after ${n}`)
for (const { run } of runs) run.finish()
for (const { recording } of runs) await ours.until(() => ours.isEnded(recording), 20_000)
const logs = await Promise.all(runs.map(({ recording }) => ours.logOf(recording)))
await ours.until(() => viewers.every(({ text }) => text.includes('"kind":"final"')), 10_000)

const problems = runs.flatMap(({ run }, index) => {
  const events = logs[index].flatMap((entry) => (entry.kind === 'event' ? [entry.data] : []))
  const { comments, longestPauseMs } = viewers[index]
  return [
    run.opened.length === 1 ? [] : `run ${index} was opened ${run.opened.length} times`,
    events.join() === run.events.map(({ data }) => data).join() ? [] : `run ${index}: events differ`,
    logs[index].some(({ kind }) => kind === 'gap') ? `run ${index} has a gap` : [],
    logs[index].at(-1).outcome === 'success' ? [] : `run ${index} ended as ${logs[index].at(-1).outcome}`,
    comments >= Math.floor(seconds / 15) - 1 ? [] : `viewer ${index} heard ${comments} keep-alives`,
    longestPauseMs <= LONGEST_PAUSE_MS ? [] : `viewer ${index} heard nothing for ${longestPauseMs} ms`,
  ].flat()
})
await ours.stop()
for (const one of problems) console.error(`[silence] ${one}`)
const viewersOf = viewers.map(({ comments, longestPauseMs }) => ({ keepAlives: comments, longestPauseMs }))
console.log(JSON.stringify({ seconds, opened: runs.map(({ run }) => run.opened.length), viewers: viewersOf }))
process.exit(problems.length === 0 ? 0 : 1)
