import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lineOf, pagesOf } from '../../lib/server/audit/prune'
import { recordIntent } from '../../lib/server/audit/trail'
import { db } from '../../lib/server/process/db'
import { testConsole } from '../../lib/server/testing'
import { buildTrail } from './build-trail.mjs'

let home
let folder
beforeAll(async () => {
  home = await testConsole()
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-log-'))
  /** @type {Parameters<typeof recordIntent>[0]} */
  const entry = {
    actor: { id: 'someone', email: '', kind: 'user' },
    role: 'admin',
    workspace: 'w',
    operation: 'o',
    params: {},
    fields: [],
    requestId: 'r',
  }
  for (let row = 0; row < 3; row += 1) await recordIntent(entry)
})
afterAll(async () => {
  await home.close()
  rmSync(folder, { recursive: true, force: true })
})

const run = (...args) => runScript('scripts/backup/verify-audit.mjs', ...args)

const runScript = (...args) => runAs({}, {}, ...args)

async function runAs(user, settings, ...args) {
  const env = { ...process.env, DATABASE_URL: home.databaseUrl, PILOTHOUSE_DATA: home.dataDir, ...settings }
  const child = spawn(process.execPath, args, {
    ...user,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += chunk))
  const [code] = await once(child, 'close')
  return { code, text }
}

test('the command tells an intact trail from one that misses an anchored row, and reads anchors from a log', async () => {
  expect(await run()).toEqual({
    code: 0,
    text: expect.stringMatching(/^The audit trail is whole: 3 rows, the last with the MAC \S+\.\n$/),
  })
  const { rows } = await (await db()).execute('select chain, mac from console.audit_head')
  const log = path.join(folder, 'console.log')
  writeFileSync(
    log,
    `some line\n[console] {"event":"audit.anchor","audit_anchor":7,"chain":"${rows[0].chain}","mac":"x"}\n{"audit_anchor" torn\n`,
  )
  expect(await run(log)).toEqual({ code: 1, text: expect.stringContaining('Row 7 was anchored and is missing.') })
})

test('files that overlap each other and the database are no fault, and one that is missing is told', async () => {
  const [all, part] = [path.join(folder, 'all.jsonl'), path.join(folder, 'part.jsonl')]
  for await (const page of pagesOf(0)) {
    writeFileSync(all, page.map(lineOf).join(''))
    writeFileSync(part, page.slice(1).map(lineOf).join(''))
  }
  expect(await run('--exported', all, '--exported', part)).toEqual({
    code: 0,
    text: expect.stringMatching(/^The audit trail is whole: 3 rows, [^\n]+\n$/),
  })
  const missing = path.join(folder, 'missing.jsonl')
  expect(await run('--exported', missing)).toEqual({
    code: 2,
    text: `The audit trail could not be verified: ENOENT: no such file or directory, open '${missing}'\n`,
  })
})

test('a trail without old rows is not pruned, and an existing file is left alone', async () => {
  const exported = path.join(folder, 'old.jsonl')
  const pruned = await runScript('scripts/backup/prune-audit.mjs', '--days', '1', '--to', exported)
  expect(pruned).toEqual({
    code: 0,
    text: `No row is older than 1 day: nothing was removed, and ${exported} was not written.\n`,
  })
  expect(existsSync(exported)).toBe(false)
  writeFileSync(exported, '')
  expect(await runScript('scripts/backup/prune-audit.mjs', '--days', '1', '--to', exported)).toEqual({
    code: 1,
    text: `The audit trail was not pruned: ${exported} exists. Give a new file.\n`,
  })
})

test('a trail with a changed row is not whole and not pruned', async () => {
  await (await db()).execute("update console.audit set operation = 'other' where seq = 2")
  expect(await run()).toEqual({ code: 1, text: expect.stringMatching(/NOT whole.*\n {2}Row 2 was changed/) })
  const refused = path.join(folder, 'refused.jsonl')
  expect(await runScript('scripts/backup/prune-audit.mjs', '--days', '1', '--to', refused)).toEqual({
    code: 1,
    text: expect.stringContaining('nothing was removed'),
  })
  expect(existsSync(refused)).toBe(false)
  await (await db()).execute("update console.audit set operation = 'o' where seq = 2")
})

const nobody = { uid: 65534, gid: 65534 }
const canEnter = process.getuid?.() === 0 && spawnSync('ls', { ...nobody, stdio: 'ignore' }).status === 0
test.runIf(canEnter)('a user who cannot write to the program verifies with what prebuild made', async () => {
  await buildTrail()
  const own = path.join(folder, 'own')
  mkdirSync(own)
  chownSync(own, nobody.uid, nobody.gid)
  chmodSync(folder, 0o755)
  const PILOTHOUSE_SEALING_KEY = readFileSync(path.join(home.dataDir, 'sealing-key'), 'utf8').trim()
  const settings = { PILOTHOUSE_DATA: own, PILOTHOUSE_SEALING_KEY }
  const { text } = await runAs(nobody, settings, 'scripts/backup/verify-audit.mjs')
  expect(text).toMatch(/^The audit trail is whole: 3 rows/)
})
