// node scripts/checks/kill-agent-server.mjs [KILLS] [SEED] [--quick]: kills an agent server at random moments, with
// runs, crons and webhooks in progress. Exits with 1 and the seed unless every acknowledged run has all its steps, no
// checkpointed step ran again, every cron firing has one run, every webhook was delivered (with `--quick`: or is
// queued), and the store is consistent.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { createRandom } from '../../platform/testing/chaos-journey.mjs'
import { cleanEnv, root, run } from '../bootstrap.mjs'
import { startTestDatabase } from '../start-test-database.mjs'
import { createJourney, startReceiver, stepsIn } from './clients/agent-journey.mjs'

const options = /** @type {const} */ ({
  quick: { type: 'boolean' },
  'no-build': { type: 'boolean' },
  program: { type: 'string', default: '.build/agent-server.mjs' },
})
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const kills = Number(positionals[0] ?? 10)
const seed = Number(positionals[1] ?? Date.now() % 1_000_000)
const SCHEMA = 'agent_kill'
const CRONS = 12
/** A webhook whose process died is sent again after a minute, a rejected one after five or thirty seconds. */
const PATIENCE_MS = 150_000

const random = createRandom(seed)
const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-kill-agent-'))
const receiver = await startReceiver(random)
const journey = createJourney({ folder, random, webhook: receiver.url })
const problems = []
const figures = { underWayAgain: 0, givenUp: 0, killedRuns: 0, firings: 0, missedFirings: 0, lateMs: 0 }
const readyAt = []
const backMs = []
/** What was checkpointed at each kill. */
const marksOf = []

if (!values['no-build'])
  run(process.execPath, ['scripts/build-platform.mjs'], { stdio: ['ignore', 'ignore', 'inherit'] })
const keeper = process.env.DATABASE_URL ? undefined : startTestDatabase()
const databaseUrl = process.env.DATABASE_URL ?? (await keeper?.url)
const database = new pg.Client({ connectionString: databaseUrl, options: `-c search_path=${SCHEMA}` })
await database.connect()
/** @type {(text: string, given?: unknown[]) => Promise<any[]>} */
const rowsOf = async (text, given) => (await database.query(text, given)).rows

async function start() {
  const began = Date.now()
  const child = fork(path.join(root, String(values.program)), {
    env: cleanEnv({
      PILOTHOUSE_AGENT_DATABASE_URL: databaseUrl,
      PILOTHOUSE_AGENT_SCHEMA: SCHEMA,
      PILOTHOUSE_AGENT_CONFIG: path.join(root, 'platform/agent-server/fixtures/few.json'),
      PILOTHOUSE_AGENT_OWNER: 'kill',
      PILOTHOUSE_AGENT_WEBHOOK_RANGES: '127.0.0.0/8',
    }),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [message] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`The agent server ended with ${code} instead of starting.`))),
  ])
  if (!message.ready) throw new Error(`The agent server does not start: ${JSON.stringify(message)}`)
  readyAt.push(Date.now())
  backMs.push(Date.now() - began)
  const url = `http://127.0.0.1:${message.ready.port}`
  const call = async (method, resource, body) => {
    let response
    let text
    try {
      const headers = { 'content-type': 'application/json' }
      response = await fetch(url + resource, { method, headers, body: body && JSON.stringify(body) })
      text = await response.text()
    } catch (error) {
      throw Object.assign(error, { isUnanswered: true })
    }
    if (!response.ok) throw new Error(`${method} ${resource}: ${response.status} ${text}`)
    return text && JSON.parse(text)
  }
  return { child, ended, call }
}

/** Kills, and records what was checkpointed at that moment, because none of it may run again. */
async function strike(program) {
  program.child.kill('SIGKILL')
  await program.ended
  await sleep(50) // what the database had received may still be committed
  const rows = await rowsOf(`
    select r.run_id, case c.metadata ->> 'source' when 'input' then 0 -- the state is still that of the run before
      else (select convert_from(b.blob, 'UTF8')::int from checkpoint_blobs b where b.thread_id = c.thread_id and b.checkpoint_ns = ''
        and b.channel = 'count' and b.version = c.checkpoint -> 'channel_versions' ->> 'count') end as count
    from runs r cross join lateral (select * from checkpoints c where c.thread_id = r.thread_id and c.checkpoint_ns = ''
      order by checkpoint_id desc limit 1) c
    where r.status = 'running' and c.metadata ->> 'run_id' = r.run_id`)
  figures.killedRuns += rows.length
  return rows.flatMap(({ run_id, count }) => {
    const known = journey.runs.get(run_id)
    return known ? [{ run_id, file: known.file, count: count ?? 0, lines: stepsIn(known.file).length }] : []
  })
}

function checkNotRepeated(marks) {
  for (const { run_id, file, count, lines } of marks) {
    const later = stepsIn(file).slice(lines)
    const again = later.filter((step) => step <= count)
    if (again.length) problems.push(`run ${run_id} did steps ${again} again, though ${count} were checkpointed`)
  }
}

/** Waits until nothing is in progress and every webhook has arrived, or the rest has timed out. */
async function waitUntilDone() {
  let least = Number.POSITIVE_INFINITY
  for (let end = Date.now() + PATIENCE_MS; Date.now() < end; await sleep(200)) {
    const [row] = await rowsOf(`select (select count(*) from runs where status in ('pending', 'running'))::int as runs,
      (select count(*) from webhooks)::int as webhooks`)
    // Progress extends the wait: a busy machine needs minutes for what hundreds of kills left.
    if (row.runs + row.webhooks < least) {
      least = row.runs + row.webhooks
      end = Date.now() + PATIENCE_MS
    }
    if (row.runs === 0 && (values.quick || row.webhooks === 0)) return
    // Rejected webhooks, or those that lost several processes, would wait for up to an hour.
    if (row.runs === 0)
      await database.query(
        `update webhooks set next_attempt_at = now() where next_attempt_at > now() + interval '61 seconds'`,
      )
  }
  const left = await rowsOf(
    'select run_id, status, attempt, crashes, run_after from runs where status in ($1, $2) limit 3',
    ['pending', 'running'],
  )
  const notices = await rowsOf('select run_id, attempts, next_attempt_at from webhooks limit 3')
  problems.push(`not settled after ${PATIENCE_MS / 1000} s: ${JSON.stringify({ left, notices })}`)
}

async function checkRuns() {
  const rows = new Map(
    (await rowsOf('select run_id, status, crashes, error from runs')).map((one) => [one.run_id, one]),
  )
  const waiting = new Set((await rowsOf('select run_id from webhooks')).map((one) => one.run_id))
  for (const { run_id, file, until, isKept } of journey.runs.values()) {
    const row = rows.get(run_id)
    const told = receiver.seen.get(run_id)
    const isGivenUp = (row?.status ?? told?.[0]) === 'error'
    if (isGivenUp) figures.givenUp += 1
    if (isGivenUp && row && row.error?.error !== 'ProcessCrashed')
      problems.push(`run ${run_id} ended with ${JSON.stringify(row.error)}`)
    if (isKept && !row) problems.push(`run ${run_id} is lost`)
    if (isKept && row && !isGivenUp && row.status !== 'success') problems.push(`run ${run_id} is ${row.status}`)
    if (!told && !waiting.has(run_id)) problems.push(`the webhook of run ${run_id} is lost`)
    const steps = stepsIn(file)
    if (!isGivenUp && !steps.includes(until))
      problems.push(`run ${run_id} ended after ${steps.at(-1)} of ${until} steps`)
    for (let step = 1; !isGivenUp && step <= until; step += 1)
      if (!steps.includes(step)) problems.push(`run ${run_id} has left out step ${step}`)
    figures.underWayAgain += steps.length - new Set(steps).size
  }
}

/** Records each claimed firing and each cron's run, with its transaction. */
async function watchCrons() {
  await database.query(`
    create table kill_claims (cron_id text, due timestamptz, next timestamptz, at timestamptz default clock_timestamp(), tx bigint default txid_current());
    create table kill_made (cron_id text, tx bigint default txid_current());
    create function kill_claimed() returns trigger language plpgsql as
      'begin insert into kill_claims (cron_id, due, next) values (new.cron_id, old.next_run_date, new.next_run_date); return null; end';
    create function kill_made() returns trigger language plpgsql as
      $$begin insert into kill_made (cron_id) values (new.metadata ->> 'cron_id'); return null; end$$;
    create trigger kill_claims after update of next_run_date on crons for each row when (new.enabled) execute function kill_claimed();
    create trigger kill_made after insert on runs for each row when (new.metadata ? 'cron_id') execute function kill_made()`)
}

/** The next process makes up for firings that were due while there was none. */
async function catchUp() {
  const now = new Date()
  const overdue = () => rowsOf('select cron_id from crons where next_run_date <= $1', [now])
  for (const end = Date.now() + PATIENCE_MS; (await overdue()).length; await sleep(100))
    if (Date.now() > end)
      return void problems.push(`${(await overdue()).length} crons are overdue and nobody fires them`)
}

/**
 * Every firing is claimed in order and exactly once, in one transaction with its run. A late one stands for those
 * missed meanwhile, and for none in the future; its process could not have been sooner.
 */
async function checkCrons() {
  const minute = 60_000
  for (const cronId of journey.crons) {
    const claims = await rowsOf('select * from kill_claims where cron_id = $1 order by at', [cronId])
    const made = (await rowsOf('select tx from kill_made where cron_id = $1', [cronId])).map((one) => one.tx)
    for (const [index, { due, next, at, tx }] of claims.entries()) {
      const name = `the firing of cron ${cronId} at ${due.toISOString()}`
      const count = made.filter((one) => one === tx).length
      if (count !== 1) problems.push(`${name} has made ${count} runs`)
      if (index > 0 && claims[index - 1].next.getTime() !== due.getTime()) problems.push(`${name} is out of order`)
      const missed = (next - due) / minute - 1
      const began = readyAt.findLast((time) => time <= at) ?? 0
      const isExcused = next - minute <= at && at - Math.max(due, began) < PATIENCE_MS
      if (missed > 0 && !isExcused) problems.push(`${name} has left out ${missed} others`)
      figures.missedFirings += missed
      figures.lateMs = Math.max(figures.lateMs, at - due)
    }
    if (made.length !== claims.length) problems.push(`cron ${cronId} has made ${made.length} runs of ${claims.length}`)
    figures.firings += claims.length
  }
}

async function checkStore(call) {
  const [bad] = await rowsOf(`select
    (select count(*) from checkpoints c, jsonb_each_text(c.checkpoint -> 'channel_versions') v where not exists (select from checkpoint_blobs b
      where b.thread_id = c.thread_id and b.checkpoint_ns = c.checkpoint_ns and b.channel = v.key and b.version = v.value))::int as values,
    (select count(*) from checkpoints c where not exists (select from threads t where t.thread_id = c.thread_id))::int as checkpoints,
    (select count(*) from kept_writes)::int as kept,
    (select json_agg(t.*) from (select t.thread_id, t.status, t.metadata, t.is_temporary, t.updated_at, (select json_agg(json_build_array(r.run_id, r.status, r.updated_at, r.creator)) from runs r where r.thread_id = t.thread_id) as runs
      from threads t where status = 'busy' and not is_temporary limit 3) t) as busy,
    (select count(*) from instances)::int as instances`)
  if (bad.values + bad.checkpoints + bad.kept > 0 || bad.busy || bad.instances > 1)
    problems.push(`the store is not whole: ${JSON.stringify(bad)}`)
  for (const { thread_id, run_id, isKept } of journey.runs.values()) {
    if (!isKept) continue
    const { values: state } = await call('GET', `/threads/${thread_id}/state`)
    if (!Array.isArray(state.log)) problems.push(`thread ${thread_id} of run ${run_id} has no state`)
  }
}

/** Milliseconds until the next kill: random, but towards the end of a minute close to its end, when crons fire. */
function nextPause() {
  // A process counts as dead after a second and a half; some runs should continue before the next kill.
  const pause = 100 + random() * (random() < 0.4 ? 5000 : 1500)
  const toMinute = 60_000 - (Date.now() % 60_000)
  return toMinute < pause + 500 ? Math.max(0, toMinute + random() * 700 - 200) : pause
}

console.log(`[kill] ${kills} kills, seed ${seed}`)
const began = Date.now()
let status = 0
let done = 0
let program
try {
  program = await start()
  await watchCrons()
  await journey.makeCrons(program.call, CRONS)
  while (done < kills) {
    let isOver = false
    const walking = Promise.all([1, 2].map(() => journey.walk(program.call, () => isOver)))
    await sleep(nextPause())
    const marks = await strike(program)
    isOver = true
    done += 1
    await walking
    await sleep(random() < 0.7 ? random() * 200 : random() * 2000)
    program = await start()
    marksOf.push(...marks)
    if (done % 20 === 0)
      console.log(
        `[kill] ${done}: ${journey.runs.size} runs, ${receiver.seen.size} webhooks, ${problems.length} problems`,
      )
  }
  await catchUp()
  await database.query('update crons set enabled = false, next_run_date = null')
  await sleep(1000) // a firing may be in progress
  await waitUntilDone()
  checkNotRepeated(marksOf)
  await checkRuns()
  await checkCrons()
  await checkStore(program.call)
} catch (error) {
  problems.push(error.stack)
}
program?.child.kill('SIGKILL')
receiver.close()
await database.end()
await keeper?.stop()
if (problems.length) {
  status = 1
  console.error(`[kill] with seed ${seed}, files in ${folder}:\n  ${[...new Set(problems)].slice(0, 20).join('\n  ')}`)
} else rmSync(folder, { recursive: true, force: true })
const notices = [...receiver.seen.values()]
console.log(
  JSON.stringify({
    seed,
    seconds: Math.round((Date.now() - began) / 1000),
    kills: done,
    problems: problems.length,
    asked: journey.counts,
    ...figures,
    webhooks: { runs: notices.length, twice: notices.filter((one) => one.length > 1).length },
    back_ms: backMs.toSorted((a, b) => a - b)[Math.floor(backMs.length / 2)],
  }),
)
process.exitCode = status
