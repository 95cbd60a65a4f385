import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { db, LOCKS } from '../process/db'
import { whileLocked } from '../process/lock-connection'
import { type TestConsole, testConsole } from '../testing'
import {
  changeAuditRetention,
  lastExported,
  oldestRow,
  pruneExported,
  readAuditRetention,
  unexportedLines,
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
async function write(rows: number): Promise<void> {
  for (let row = 0; row < rows; row += 1)
    await recordIntent({
      actor: { id: 'someone', email: '', kind: 'user' },
      ...{ role: 'admin', workspace: 'staging', operation: 'savePrice', params: {}, fields: [], requestId: 'r' },
    })
}
async function exported(): Promise<string> {
  let file = ''
  for await (const part of unexportedLines()) file += part
  return file
}
const sumOf = (file: string) => createHash('sha256').update(file).digest('hex')
const confirm = async (file: string) =>
  await changeAuditRetention({ exportedThrough: await lastExported(sumOf(file)), exportedAt: new Date() })
const exportsOf = (...files: string[]) =>
  files.map((file, index) => ({ name: `file ${index}`, lines: Readable.from(file.split('\n')) }))

test('what is old and held in a file is removed, and the rest is whole by itself and with the files', async () => {
  await write(5)
  const first = await exported()
  await write(2)
  await confirm(first)
  await changeAuditRetention({ days: 30 })
  expect(await pruneExported(Date.now() + 30 * DAY_MS)).toBe(0) // it waits until a day's worth is due
  expect((await oldestRow())?.dueAt).toBeLessThan(IN_40_DAYS)
  expect(await pruneExported(IN_40_DAYS)).toBe(5)
  expect(await checkTrail()).toMatchObject({ isWhole: true, rows: 4, prunedThrough: 5, problems: [] })
  expect(await checkTrail([], exportsOf(first))).toMatchObject({ isWhole: true, rows: 9, prunedThrough: 0 })
  const { rows } = await run(
    sql`select actor, operation, params->>'through' as through from console.audit where seq = 8`,
  )
  expect(rows).toEqual([{ actor: 'system:console', operation: 'pruneAudit', through: '5' }])

  expect((await oldestRow())?.dueAt).toBeNull()
  expect(await pruneExported(IN_40_DAYS)).toBe(0) // the others are in no file
  const second = await exported()
  await confirm(second)
  expect(await pruneExported(IN_40_DAYS)).toBe(4)
  expect(await checkTrail([], exportsOf(first, second))).toMatchObject({ isWhole: true, rows: 11, prunedThrough: 0 })
})

test('nothing is removed without a limit, without a file, or while it is younger', async () => {
  await write(3)
  expect(await readAuditRetention()).toEqual({ days: null, exportedThrough: 0, exportedAt: null })
  await changeAuditRetention({ days: 30 })
  expect(await pruneExported(IN_40_DAYS)).toBe(0)
  await confirm(await exported())
  expect(await pruneExported()).toBe(0)
  await changeAuditRetention({ days: null })
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
  await changeAuditRetention({ days: 300 })
  await run(sql`update console.audit_retention set days = 30`)
  expect(await readAuditRetention()).toMatchObject({ days: null, exportedThrough: 0 })
  expect(await pruneExported(IN_40_DAYS)).toBe(0)
  await run(sql`update console.audit_retention set days = 300, exported_through = 2`)
  expect(await pruneExported(Date.now() + 400 * DAY_MS)).toBe(0)
})

test('nothing is removed from a trail that is not whole', async () => {
  await write(3)
  await confirm(await exported())
  await changeAuditRetention({ days: 30 })
  await run(sql`update console.audit set operation = 'other' where seq = 2`)
  await expect(pruneExported(IN_40_DAYS)).rejects.toThrow('Row 2 was changed')
  expect((await run(sql`select from console.audit`)).rowCount).toBe(3)
})

test('while one instance removes, another does not', async () => {
  await write(3)
  await confirm(await exported())
  await changeAuditRetention({ days: 30 })
  await whileLocked('another-instance', LOCKS.prunes, async () => expect(await pruneExported(IN_40_DAYS)).toBe(0))
  expect(await pruneExported(IN_40_DAYS)).toBe(3)
})
