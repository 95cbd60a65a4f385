import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import { type Database, openDatabase } from './database'
import { RevisionLogs } from './revision-log'
import { Store } from './store'

let fresh: Awaited<ReturnType<typeof testDatabase>>
let database: Database
let store: Store
const complaints: string[] = []
beforeAll(async () => {
  fresh = await testDatabase()
  database = await openDatabase(fresh.url, () => {})
  store = new Store(database.db)
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

async function place() {
  const id = randomUUID()
  await store.insertDeployment({
    id,
    name: id,
    source: 'github',
    sourceConfig: {},
    sourceRevisionConfig: {},
    secrets: '',
  })
  const revisionId = (await store.findDeployment(id))?.latestRevisionId as string
  return { deploymentId: id, revisionId, type: 'build' as const }
}
const read = async (logs: RevisionLogs, deploymentId: string) =>
  (await logs.read({ deploymentId, order: 'asc', limit: 1000 })).map((row) => row.message)

test('lines can be read back at once, in order and with any content; a very long one is truncated', async () => {
  const logs = new RevisionLogs(database.db, (line) => complaints.push(line))
  const here = await place()
  for (const message of ['one', 'nul \0 in it', 'x'.repeat(20_000), '☃ \ud83d\ude00'])
    logs.append(here, { level: 'INFO', message })
  expect(await read(logs, here.deploymentId)).toEqual([
    'one',
    'nul \uFFFD in it',
    `${'x'.repeat(16_000)}… (line cut)`,
    '☃ \ud83d\ude00',
  ])
})

test('deleting a deployment drops only its own pending lines', async () => {
  const logs = new RevisionLogs(database.db, (line) => complaints.push(line))
  const [gone, stays] = [await place(), await place()]
  logs.append(stays, { level: 'INFO', message: 'before' })
  logs.append(gone, { level: 'INFO', message: 'lost' })
  logs.append(stays, { level: 'INFO', message: 'after' })
  await store.removeDeployment(gone.deploymentId)
  await logs.flush()
  expect(await read(logs, stays.deploymentId)).toEqual(['before', 'after'])
  expect(complaints).toEqual([])
})

test('an endless log keeps its newest lines', async () => {
  const logs = new RevisionLogs(database.db, (line) => complaints.push(line))
  const here = await place()
  for (let n = 0; n < 26_000; n += 1) logs.append(here, { level: 'INFO', message: `line ${n}` })
  await logs.flush()
  const [newest] = await logs.read({ deploymentId: here.deploymentId, order: 'desc', limit: 1 })
  expect(newest?.message).toBe('line 25999')
  const [oldest] = await logs.read({ deploymentId: here.deploymentId, order: 'asc', limit: 1 })
  expect(Number(oldest?.message.split(' ')[1])).toBeGreaterThanOrEqual(4000)
}, 20_000)

test('a filter matches its text literally, not as a pattern', async () => {
  const logs = new RevisionLogs(database.db, (line) => complaints.push(line))
  const here = await place()
  for (const message of ['100% done', '100 x done', 'a_b', 'axb', 'back\\slash'])
    logs.append(here, { level: 'INFO', message })
  const found = async (query: string) =>
    (await logs.read({ deploymentId: here.deploymentId, order: 'asc', limit: 9, query })).map((row) => row.message)
  expect([await found('0%'), await found('A_B'), await found('k\\s')]).toEqual([
    ['100% done'],
    ['a_b'],
    ['back\\slash'],
  ])
})
