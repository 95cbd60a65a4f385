import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { deleteExpired, readUsage, writeRetention } from './retention'
import { findRecording } from './store'
import { insertRow } from './testing'

let console_: TestConsole
beforeAll(async () => {
  console_ = await testConsole()
})
afterEach(async () => {
  console_.set({})
  for (const table of ['recordings', 'retention']) await (await db()).execute(sql.raw(`delete from console.${table}`))
})
afterAll(() => console_.close())

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
const ended = (workspace: string, days: number, more: Parameters<typeof insertRow>[0] = {}) =>
  insertRow({ workspace, phase: 'ended', startedAt: daysAgo(days), endedAt: daysAgo(days), leaseUntil: null, ...more })

test('what a workspace keeps and uses is told, with the defaults where nothing was set', async () => {
  const workspace = randomUUID()
  expect(await readUsage(workspace)).toMatchObject({
    ...{ days: 30, maxBytes: null, movesAfterDays: null },
    ...{ recordings: 0, bytes: 0, recentBytes: 0, recentDays: 0, moved: 0, movedBytes: 0 },
  })
  await ended(workspace, 8, { bytes: 100, object: 'moved.gz' })
  await ended(workspace, 6, { bytes: 20 })
  await insertRow({ workspace, bytes: 3 })
  await ended(randomUUID(), 1, { bytes: 4_000 })
  await writeRetention({ workspace, days: 5, maxBytes: 900 })
  console_.set({ S3_BUCKET: 'bucket', S3_ENDPOINT: 'http://127.0.0.1:9', S3_AFTER_DAYS: '11' })
  expect(await readUsage(workspace)).toMatchObject({
    ...{ days: 5, maxBytes: 900, movesAfterDays: 11 },
    ...{ recordings: 3, bytes: 123, recentBytes: 23, recentDays: 7, moved: 1, movedBytes: 100 },
  })
})

test('what a workspace keeps can be changed, and its size limit taken away', async () => {
  const [workspace, other] = [randomUUID(), randomUUID()]
  await writeRetention({ workspace, days: 5, maxBytes: 900 })
  await writeRetention({ workspace: other, days: 6, maxBytes: 700 })
  await writeRetention({ workspace, days: 8 })
  expect(await readUsage(workspace)).toMatchObject({ days: 8, maxBytes: null })
  expect(await readUsage(other)).toMatchObject({ days: 6, maxBytes: 700 })
})

test('all that has expired is deleted at once, however much it is', async () => {
  const workspace = randomUUID()
  for (let n = 0; n < 120; n++) await ended(workspace, 31)
  const kept = await ended(workspace, 29)
  expect(await deleteExpired()).toBe(120)
  expect(await findRecording(kept)).toBeDefined()
  expect(await deleteExpired()).toBe(0)
})

test('a size limit of zero is one, and leaves nothing that has ended', async () => {
  const workspace = randomUUID()
  await writeRetention({ workspace, days: 400, maxBytes: 0 })
  const [gone, live] = [await ended(workspace, 1, { bytes: 10 }), await insertRow({ workspace, bytes: 10 })]
  expect(await deleteExpired()).toBe(1)
  expect([await findRecording(gone), (await findRecording(live))?.id]).toEqual([undefined, live])
})
