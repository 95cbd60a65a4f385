import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { type RecordingsFilter, selectRecordings } from './list'
import { recordings } from './schema'
import { insertRecording } from './store'

let console_: TestConsole
beforeAll(async () => {
  console_ = await testConsole()
})
afterAll(() => console_.close())

const uuid = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
type Row = Partial<typeof recordings.$inferInsert>

/** A recording of a workspace with this number, which is also the minute of its start. */
async function recording(workspace: string, n: number, more: Row = {}): Promise<string> {
  const id = more.id ?? randomUUID()
  const startedAt = new Date(Date.UTC(2026, 0, 1, 0, n))
  await insertRecording({
    ...{ id, workspace, deployment: 'one', thread: `t${n}`, run: `r${n}`, assistant: 'agent', startedBy: 'ada' },
    ...{ startedAt, request: '{}', isStateless: false, isResumable: true, owner: 7 },
  })
  await (await db())
    .update(recordings)
    .set({ workspace, ...more })
    .where(eq(recordings.id, id))
  return id
}
/** The threads of a page. */
const found = async (filter: RecordingsFilter, limited?: string[] | null) =>
  (await selectRecordings(filter, limited)).items.map(({ thread }) => thread)

test.each<[string, Partial<RecordingsFilter>, string[] | null, string[]]>([
  ['nothing else', {}, null, ['t5', 't4', 't3', 't2', 't1']],
  ['a deployment', { deploymentId: 'two' }, null, ['t2']],
  ['a thread', { thread: 't3' }, null, ['t3']],
  ['a run', { run: 'r4' }, null, ['t4']],
  ['recordings that have ended', { phase: 'ended' }, null, ['t5', 't4', 't3']],
  ['recordings in progress', { phase: 'live' }, null, ['t2', 't1']],
  ['an outcome', { outcome: 'error' }, null, ['t4', 't3']],
  ['several at once', { outcome: 'error', run: 'r4', phase: 'ended' }, null, ['t4']],
  ['what contradicts itself', { outcome: 'error', phase: 'live' }, null, []],
  ['the deployments that a person may see', {}, ['two', 'three'], ['t2']],
  ['a deployment that a person may not see', { deploymentId: 'two' }, ['one'], []],
  ['no deployment at all', {}, [], []],
])('a list of %s has these, newest first, and none of another workspace', async (_, filter, limited, threads) => {
  const workspace = randomUUID()
  await recording(workspace, 4, { phase: 'ended', outcome: 'error' })
  await recording(workspace, 1, { phase: 'starting' })
  await recording(workspace, 2, { phase: 'reconnecting', deployment: 'two' })
  await recording(workspace, 5, { phase: 'ended', outcome: 'success' })
  await recording(workspace, 3, { phase: 'ended', outcome: 'error' })
  await recording(randomUUID(), 3, { phase: 'ended', outcome: 'error' })
  expect(await found({ workspace, ...filter }, limited)).toEqual(threads)
})

test('pages neither repeat nor leave out what started at the same time, and the last one says so', async () => {
  const workspace = randomUUID()
  const startedAt = new Date(Date.UTC(2026, 0, 1, 0, 30))
  await recording(workspace, 40)
  for (const n of [2, 5, 1, 4, 3]) await recording(workspace, n, { id: uuid(n), startedAt })
  await recording(workspace, 20)
  const pages: (string | null)[][] = []
  for (let after: string | undefined; ; ) {
    const { items, next } = await selectRecordings({ workspace, limit: 2, after })
    pages.push(items.map(({ thread }) => thread))
    if (next === null) break
    after = next
  }
  expect(pages).toEqual([['t40', 't5'], ['t4', 't3'], ['t2', 't1'], ['t20']])
  // A page that is just full is the last one too.
  expect(await selectRecordings({ workspace, limit: 7 })).toMatchObject({ items: { length: 7 }, next: null })
  expect(await selectRecordings({ workspace, limit: 6 })).toMatchObject({
    items: { length: 6 },
    next: expect.any(String),
  })
})

test.each(['', '_', 'soon', 'soon_x', '1767225600000', '_00000000-0000-4000-8000-000000000003'])(
  'with the place %j, which no page gave, a list begins at its start',
  async (after) => {
    const workspace = randomUUID()
    await recording(workspace, 1)
    await recording(workspace, 2)
    expect(await found({ workspace, after })).toEqual(['t2', 't1'])
  },
)

test('a page has fifty unless another number is asked for', async () => {
  const workspace = randomUUID()
  for (let n = 1; n <= 51; n++) await recording(workspace, n)
  const { items, next } = await selectRecordings({ workspace })
  expect([items.length, items.at(-1)?.thread]).toEqual([50, 't2'])
  expect(await found({ workspace, after: next ?? '' })).toEqual(['t1'])
})
