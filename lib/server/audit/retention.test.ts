import { createHash, createHmac } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { db } from '../process/db'
import { whileLeased } from '../process/lease'
import { derivedKey } from '../process/sealing'
import { type TestConsole, testConsole } from '../testing'
import {
  changeAuditRetention,
  lastExported,
  pruneExported,
  readAuditRetention,
  readAuditUsage,
  unexportedLines,
  withLimits,
} from './retention'
import { recordIntent } from './trail'
import { checkTrail } from './verify'

let home: TestConsole
beforeEach(async () => {
  home = await testConsole()
})
afterEach(() => home.close())

const DAY_MS = 86_400_000
const IN_40_DAYS = Date.now() + 40 * DAY_MS
const run = async (statement: ReturnType<typeof sql>) => (await db()).execute(statement)
async function write(rows: number, workspace = 'staging'): Promise<void> {
  for (let row = 0; row < rows; row += 1)
    await recordIntent({
      actor: { id: 'someone', email: '', kind: 'user' },
      ...{ role: 'admin', workspace, operation: 'savePrice', params: {}, fields: [], requestId: 'r' },
    })
}
async function exported(): Promise<string> {
  let file = ''
  for await (const part of unexportedLines()) file += part
  return file
}
const sumOf = (file: string) => createHash('sha256').update(file).digest('hex')
async function confirm(file: string): Promise<void> {
  const exportedThrough = await lastExported(sumOf(file))
  await changeAuditRetention(() => ({ exportedThrough, exportedAt: new Date() }))
}
const exportsOf = (...files: string[]) =>
  files.map((file, index) => ({ name: `file ${index}`, lines: Readable.from(file.split('\n')) }))

test('what is old and held in a file is removed, and the rest is whole by itself and with the files', async () => {
  await write(5)
  const first = await exported()
  await write(2)
  await confirm(first)
  await changeAuditRetention(() => ({ days: 30 }))
  expect(await pruneExported(Date.now() + 30 * DAY_MS)).toBe(0) // it waits until a day's worth is due
  expect(await pruneExported(IN_40_DAYS)).toBe(5)
  expect(await checkTrail()).toMatchObject({ isWhole: true, rows: 4, removed: 5, problems: [] })
  expect(await checkTrail([], exportsOf(first))).toMatchObject({ isWhole: true, rows: 9, removed: 0 })
  const { rows } = await run(
    sql`select actor, operation, params->>'through' as through from console.audit where seq = 8`,
  )
  expect(rows).toEqual([{ actor: 'system:console', operation: 'pruneAudit', through: '5' }])

  expect(await pruneExported(IN_40_DAYS)).toBe(0) // the others are in no file
  const second = await exported()
  await confirm(second)
  expect(await pruneExported(IN_40_DAYS)).toBe(4)
  expect(await checkTrail([], exportsOf(first, second))).toMatchObject({ isWhole: true, rows: 11, removed: 0 })
})

test('nothing is removed without a limit, without a file, or while it is younger', async () => {
  await write(3)
  expect(await readAuditRetention()).toEqual({
    days: null,
    maxBytes: null,
    own: {},
    exportedThrough: 0,
    exportedAt: null,
  })
  await changeAuditRetention(() => ({ days: 30 }))
  expect(await pruneExported(IN_40_DAYS)).toBe(0)
  await confirm(await exported())
  expect(await pruneExported()).toBe(0)
  await changeAuditRetention(() => ({ days: null }))
  expect(await pruneExported(IN_40_DAYS)).toBe(0)
  expect(await checkTrail()).toMatchObject({ isWhole: true, rows: 3 })
})

test('a file that was cut off or changed is the export of nothing', async () => {
  await write(3)
  const file = await exported()
  expect(await lastExported(sumOf(file))).toBe(3)
  expect(await lastExported(sumOf(file.slice(0, -1)))).toBeUndefined()
  expect(await lastExported(sumOf(file.replace('someone', 'nobody')))).toBeUndefined()
  expect(await lastExported(sumOf(''))).toBeUndefined()
})

test('a setting that was changed without the sealing key removes nothing', async () => {
  await write(3)
  await confirm(await exported())
  await changeAuditRetention(() => ({ days: 300 }))
  await run(sql`update console.audit_retention set days = 30`)
  expect(await readAuditRetention()).toMatchObject({ days: null, exportedThrough: 0 })
  expect(await pruneExported(IN_40_DAYS)).toBe(0)
  await run(sql`update console.audit_retention set days = 300, exported_through = 2`)
  expect(await pruneExported(Date.now() + 400 * DAY_MS)).toBe(0)
})

test('nothing is removed from a trail that is not whole', async () => {
  await write(3)
  await confirm(await exported())
  await changeAuditRetention(() => ({ days: 30 }))
  await run(sql`update console.audit set operation = 'other' where seq = 2`)
  await expect(pruneExported(IN_40_DAYS)).rejects.toThrow('Row 2 was changed')
  expect((await run(sql`select from console.audit`)).rowCount).toBe(3)
})

test('while one instance removes, another does not', async () => {
  await write(3)
  await confirm(await exported())
  await changeAuditRetention(() => ({ days: 30 }))
  await whileLeased('prune', async () => expect(await pruneExported(IN_40_DAYS)).toBe(0))
  expect(await pruneExported(IN_40_DAYS)).toBe(3)
})

const limit = (workspace: string, days: number | null, maxBytes: number | null = null) =>
  changeAuditRetention((before) => withLimits(before, workspace, { days, maxBytes }))
const seqsOf = async (workspace: string) =>
  (await run(sql`select seq::int as seq from console.audit where workspace = ${workspace} order by seq`)).rows.map(
    ({ seq }) => seq,
  )
/** Entries of two workspaces in turn, all of them exported, and those of one removed. */
async function withGaps(): Promise<string> {
  for (const workspace of ['kept', 'short', 'kept', 'short', 'short', 'kept']) await write(1, workspace)
  const file = await exported()
  await confirm(file)
  await limit('short', 30)
  expect(await pruneExported(IN_40_DAYS)).toBe(3)
  return file
}

test('a workspace keeps its entries for its own age, and others lose none', async () => {
  const file = await withGaps()
  expect([await seqsOf('kept'), await seqsOf('short')]).toEqual([[1, 3, 6], []])
  expect(await pruneExported(IN_40_DAYS)).toBe(0)
  await write(1, 'short')
  // The three that are kept, that of the pruning with its outcome, and the new one.
  expect(await checkTrail()).toMatchObject({ isWhole: true, rows: 6, removed: 3, problems: [] })
  expect(await checkTrail([], exportsOf(file))).toMatchObject({ isWhole: true, rows: 9, removed: 0, problems: [] })
  expect(await checkTrail([], exportsOf(file.replace('"seq":4,', '"seq":4, '), file))).toMatchObject({ isWhole: true })
  const part = file.split('\n').slice(0, 4).join('\n')
  expect((await checkTrail([], exportsOf(part))).problems).toContain('Row 5 is missing.')
  expect((await checkTrail([], exportsOf(file.replaceAll('someone', 'nobody')))).problems).toEqual(
    [
      ...[1, 3, 6].map((row) => `Row ${row} was changed in file 0; another copy of it is right.`),
      ...[2, 4, 5].map((row) => `Row ${row} was changed, inserted or moved.`),
    ].sort(),
  )
})

test('entries about no workspace follow the limits of the console, and so do workspaces without their own', async () => {
  for (const workspace of ['*', 'long', 'other', 'long']) await write(1, workspace)
  await confirm(await exported())
  await changeAuditRetention(() => ({ days: 30 }))
  await limit('long', 300)
  expect(await pruneExported(IN_40_DAYS)).toBe(2)
  expect([await seqsOf('long'), await seqsOf('other')]).toEqual([[2, 4], []])
  expect(await checkTrail()).toMatchObject({ isWhole: true, removed: 2 })
  await limit('long', null)
  expect(await pruneExported(IN_40_DAYS)).toBe(2)
  expect(await checkTrail()).toMatchObject({ isWhole: true, removed: 4 })
  expect((await run(sql`select from console.audit_gaps`)).rowCount).toBe(0) // the trail begins after them
})

test('the entry of a pruning stays while the start of the trail depends on it', async () => {
  for (const workspace of ['*', '*', 'kept']) await write(1, workspace)
  await confirm(await exported())
  await changeAuditRetention(() => ({ days: 30 }))
  await limit('kept', 300)
  expect(await pruneExported(IN_40_DAYS)).toBe(2)
  await write(1, '*')
  await confirm(await exported())
  expect(await pruneExported(IN_40_DAYS)).toBe(1)
  expect(await checkTrail()).toMatchObject({ isWhole: true, removed: 3, problems: [] })
  expect((await seqsOf('*')).slice(0, 2)).toEqual([4, 5])
})

test('the oldest entries beyond the size of a workspace are removed, and a tenth more', async () => {
  await write(20, 'small')
  await write(20, 'large')
  const bytes = (await readAuditUsage()).get('small')?.bytes ?? 0
  await limit('small', null, bytes / 2)
  expect(await pruneExported()).toBe(0) // nobody holds them
  const file = await exported()
  await confirm(file)
  expect(await pruneExported()).toBe(11)
  expect([await seqsOf('small'), (await seqsOf('large')).length]).toEqual([[12, 13, 14, 15, 16, 17, 18, 19, 20], 20])
  expect(await pruneExported()).toBe(0)
  expect(await checkTrail([], exportsOf(file))).toMatchObject({ isWhole: true, removed: 0, problems: [] })
})

test.each<[string, ReturnType<typeof sql>[], string]>([
  ['a row that was removed beside a gap', [sql`delete from console.audit where seq = 3`], 'Rows 3 to 5 are missing.'],
  ['a changed row after a gap', [sql`update console.audit set role = 'viewer' where seq = 3`], 'Row 3 was changed'],
  ['a removed gap', [sql`delete from console.audit_gaps where first = 4`], 'Rows 4 to 5 are missing.'],
  [
    'a gap that was widened over a row',
    [sql`update console.audit_gaps set first = 3 where first = 4`, sql`delete from console.audit where seq = 3`],
    'The gap of rows 3 to 5 was changed or made without the key.',
  ],
  [
    'a gap that was made up for a removed row',
    [
      sql`insert into console.audit_gaps select seq, seq, mac, mac from console.audit where seq = 3`,
      sql`delete from console.audit where seq = 3`,
    ],
    'The gap of rows 3 to 3 was changed or made without the key.',
  ],
  [
    'a row put into a gap',
    [
      sql`insert into console.audit select 4, at, kind, intent, actor, actor_email, role, workspace, operation, params, fields, upstream_status, outcome, request_id, mac from console.audit where seq = 3`,
    ],
    'Row 4 was changed, inserted or moved.',
  ],
])('verification still finds %s', async (_, statements, problem) => {
  await withGaps()
  expect(await checkTrail()).toMatchObject({ isWhole: true })
  for (const statement of statements) await run(statement)
  expect((await checkTrail()).problems.join('\n')).toContain(problem)
})

test('limits of a workspace that were changed or removed without the sealing key remove nothing', async () => {
  await write(3)
  await confirm(await exported())
  await changeAuditRetention(() => ({ days: 30 }))
  await limit('staging', 300)
  for (const own of ['{}', '{"staging":{"days":30,"maxBytes":null}}']) {
    await run(sql`update console.audit_retention set own = ${own}`)
    expect(await readAuditRetention()).toMatchObject({ days: null, own: {}, exportedThrough: 0 })
    expect(await pruneExported(IN_40_DAYS)).toBe(0)
  }
})

test('the release before limits of workspaces reads a setting without them, and its pruning is verified', async () => {
  await write(4)
  await changeAuditRetention(() => ({ days: 40 }))
  const { rows } = await run(sql`select kept.seal, chain from console.audit_retention kept, console.audit_head`)
  const parts = JSON.stringify(['retention', rows[0]?.chain, 40, 0, null])
  expect(rows[0]?.seal).toBe(createHmac('sha256', derivedKey('audit')).update(parts).digest('base64url'))
  await confirm(await exported())
  expect(await pruneExported(Date.now() + 50 * DAY_MS)).toBe(4)
  // It knows the last removed row of the start by this entry only.
  const { rows: pruned } = await run(sql`select params->>'through' as through from console.audit where kind = 'intent'`)
  expect(pruned).toEqual([{ through: '4' }])
  expect((await run(sql`select from console.audit_gaps`)).rowCount).toBe(0)
})
