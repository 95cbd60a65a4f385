// node scripts/checks/previous-release.mjs [REF] [--clone FOLDER]: whether the release before this one, by default of the newest
// tag, works over the database that this one has migrated, as after a roll-back, and beside it, as during a rolling update. Both
// use everything that the other one wrote. The clone is built in a temporary folder, or kept in FOLDER for the next time. Exits
// with 1 if a request or a program failed, or if something was lost. Needs the npm registry.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { cleanEnv, ensurePlatform, root, run } from '../bootstrap.mjs'
import { startTestDatabase } from '../start-test-database.mjs'
import { createProblems } from './servers/problems.mjs'
import { build, previousTag, releaseIn, until } from './servers/release.mjs'

const { values, positionals } = parseArgs({ options: { clone: { type: 'string' } }, allowPositionals: true })
const ref = positionals[0] ?? previousTag()
if (!ref) {
  console.log(
    '[previous] skipped: no release tag comes before this commit. To compare with another one: test:previous REF.',
  )
  process.exit(0)
}
const say = (line) => console.log(`[previous] ${line}`)
const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-previous-'))
const clone = path.resolve(values.clone ?? path.join(folder, 'clone'))
const problems = createProblems((line) => console.error(`[previous] ${line}`))
const database = startTestDatabase()
const stage = {
  ...{ problems, databaseUrl: '', dataDir: path.join(folder, 'data') },
  secrets: { NEXTAUTH_SECRET: 'x'.repeat(32), PILOTHOUSE_SEALING_KEY: randomBytes(32).toString('base64') },
  running: new Set(),
  ...{ deployment: '', token: '', greeting: '' },
  /** The lines of each recording, which every console has to show from then on. */
  kept: new Map(),
  /** Threads that ask. */
  asking: /** @type {string[]} */ ([]),
  /** The sequence numbers of the audit trail so far, with their operations. */
  audited: new Map(),
}

const short = (line = 'nothing') => line.slice(0, 200)

/** A run has ended well, was seen as it was recorded, and is checked from now on. */
async function keep(who, recording, seen, outcome) {
  const lines = await who.linesOf(recording)
  const at = `${recording} of ${who.name}`
  const differs = lines.findIndex((line, index) => line !== seen[index])
  if (differs >= 0 || seen.length !== lines.length)
    problems.add('seen otherwise than recorded', `${at}: ${short(seen[differs])} for ${short(lines[differs])}`)
  if (lines.some((line) => line.includes('"kind":"gap"'))) problems.add('a gap', at)
  if (JSON.parse(lines.at(-1) ?? '{}').outcome !== outcome)
    problems.add(`not ended as ${outcome}`, `${at}: ${short(lines.at(-1))}`)
  stage.kept.set(recording, lines)
}
async function watchToItsEnd(who, { id }, outcome) {
  await keep(who, id, await who.watch(id).toItsEnd(), outcome)
  return stage.kept.get(id).join('\n')
}

/** All recordings are as they were, and no entry of the audit trail is gone. */
async function checkAll(who) {
  for (const [recording, lines] of stage.kept) {
    if ((await who.openRun(recording)).status !== 200)
      problems.add('a recorded run does not open', `${recording}, ${who.name}`)
    if (JSON.stringify(await who.linesOf(recording)) !== JSON.stringify(lines))
      problems.add('a recording has changed', `${recording}, ${who.name}`)
  }
  const found = new Map()
  for (let before = ''; before !== undefined; ) {
    const { entries, next } = await who.read(`/audit?limit=100${before && `&before=${before}`}`)
    for (const { seq, operation, outcome } of entries) found.set(seq, `${operation} ${outcome}`)
    before = next ?? undefined
  }
  for (const [seq, what] of stage.audited)
    if (found.get(seq) !== what) problems.add('the audit trail has changed', `${seq}: ${found.get(seq)} for ${what}`)
  stage.audited = found
}

/** Everything that people do, over what the other release wrote. */
async function use(who) {
  stage.token = await who.createToken()
  await until(async () => {
    const one = (await who.read('/deployments?name=concierge')).deployments[0]
    stage.deployment = one?.id ?? ''
    return one?.health === 'ok' && one.active_revision?.id === one.latest_revision?.id
  }, `${who.name}: the deployment serves`)
  await who.visit()
  await checkAll(who)
  const chat = await watchToItsEnd(who, await who.start('chat', `Hello from ${who.name}.`), 'success')
  if (!chat.includes(stage.greeting)) problems.add('a secret was lost', `${stage.greeting}, ${who.name}`)
  for (const thread of stage.asking.splice(0)) await watchToItsEnd(who, await who.answer(thread), 'success')
  const asked = await who.start('approval', `the ${who.name} release`)
  await watchToItsEnd(who, asked, 'waiting')
  stage.asking.push(asked.thread)
  stage.greeting = `greeting of the ${who.name} release`
  await who.setGreeting(stage.greeting)
  await who.keepFor(20 + (stage.kept.size % 10))
  await checkAll(who)
  say(`${who.name}: ${stage.kept.size} recordings and ${stage.audited.size} audited changes are as they were`)
}

/** The console that starts next deletes the oldest recording. */
async function expireOldest() {
  const [oldest] = stage.kept.keys()
  const client = new pg.Client({ connectionString: stage.databaseUrl })
  await client.connect()
  const past = "ended_at = now() - interval '90 days', lease_until = null"
  await client.query(`update console.recordings set ${past} where id = $1`, [oldest])
  await client.end()
  stage.kept.delete(oldest)
  return oldest
}
async function openLater(release, platform) {
  const expired = await expireOldest()
  const who = await release.open(platform)
  await until(async () => !(await who.isThere(expired)), `${release.name}: an old recording is deleted`)
  return who
}

/** Each shows the other one's run while both record. */
async function besideEachOther(...both) {
  const runs = await Promise.all(both.map((who) => who.start('chat', 'Hello, both.', 15)))
  const seen = both.flatMap((who) =>
    runs.map(async ({ id }) => keep(who, id, await who.watch(id).toItsEnd(), 'success')),
  )
  await Promise.all(seen)
  for (const who of both) await checkAll(who)
  say(`${both.map(({ name }) => name).join(' and ')}: each showed the other one's run`)
}

/** `from` ends in the middle of a run, and `to` records it to its end, for the same page. */
async function handOver(from, to) {
  const { id } = await from.start('chat', 'Hello, next one.', 60)
  const page = from.watch(id)
  await until(async () => page.has(20), `${from.name}: a run has begun`)
  from.next = to
  await from.end()
  await keep(to, id, await page.toItsEnd(), 'success')
  say(`${to.name}: recorded a run of ${from.name} to its end`)
}

try {
  ensurePlatform()
  build(ref, clone)
  stage.databaseUrl = await database.url
  const [now, before] = [await releaseIn('new', root, stage), await releaseIn('previous', clone, stage)]

  let platform = await now.startPlatform()
  let current = await now.open(platform)
  await use(current)
  await current.end()
  await platform.stop()

  say(`rolling back to ${ref}`)
  platform = await before.startPlatform()
  let old = await openLater(before, platform)
  await use(old)

  say('rolling update, and back')
  current = await openLater(now, platform)
  await besideEachOther(old, current)
  await handOver(old, current)
  old = await before.open(platform)
  await handOver(current, old)
  await old.end()
  await platform.stop()

  say('the new release again')
  platform = await now.startPlatform()
  current = await openLater(now, platform)
  await use(current)
  await current.end()
  await platform.stop()
  const env = cleanEnv({ ...stage.secrets, DATABASE_URL: stage.databaseUrl, PILOTHOUSE_DATA: stage.dataDir })
  if (!run(process.execPath, ['scripts/backup/verify-audit.mjs'], { env }))
    problems.add('the audit trail is not whole', '')
} catch (error) {
  problems.add('stopped', error.stack)
} finally {
  for (const stop of stage.running) await stop().catch(() => {})
  await database.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}
for (const line of problems.lines()) console.error(`[previous] ${line}`)
console.log(JSON.stringify({ ref, recordings: stage.kept.size, audited: stage.audited.size, problems: problems.count }))
process.exit(problems.count === 0 ? 0 : 1)
