import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { testTables } from '../testing'
import { enqueueNotices } from './notices'
import type { RunRow } from './run-record'
import { Runs } from './runs'

let tables: Awaited<ReturnType<typeof testTables>>
let db: Db
beforeAll(async () => {
  tables = await testTables()
  db = tables.db
})
afterAll(() => tables.close())

const quiet = { instance: 1, holdBack: () => () => {}, tell: async () => {}, tellThread: () => {} }
const create = (body: object = {}, threadId: string = randomUUID(), metadata = {}): Promise<RunRow> =>
  new Runs(db, Object.assign(new EventEmitter(), quiet) as unknown as Bus).create(
    {
      ...{ threadId, assistantId: 'a', graphId: 'g', metadata, strategy: 'enqueue', place: undefined },
      body: { assistant_id: 'a', if_not_exists: 'create', ...body },
      plan: { config: { configurable: {} }, context: {}, deletesThread: false },
    },
    randomUUID(),
  )

describe('the notices of an ended run', () => {
  const noticesOf = (id: string) =>
    db.query<{ url: string; body: string; push_task: string | null }>(
      'select url, body, push_task from webhooks where run_id = $1',
      [id],
    )
  const snapshot = (createdAt: string | undefined) => ({ createdAt, values: { v: 1 }, tasks: [] }) as never

  test('are the run with its times and the thread’s state, or its error', async () => {
    const row = await create({ webhook: 'http://example.com/x' })
    const started = { ...row, started_at: new Date(0) }
    expect(await enqueueNotices(db.query, started, 'success', snapshot('now'))).toBe(true)
    const error = { error: 'E', message: 'no' }
    expect(await enqueueNotices(db.query, row, 'error', snapshot(undefined), error)).toBe(true)
    const [done, failed] = (await noticesOf(row.run_id)).map(({ url, body }) => ({ url, ...JSON.parse(body) }))
    expect(done).toMatchObject({
      ...{ url: 'http://example.com/x', run_id: row.run_id, status: 'success', values: { v: 1 } },
      ...{ run_started_at: '1970-01-01T00:00:00.000+00:00', run_ended_at: expect.any(String) },
    })
    expect([done.updated_at, 'error' in done]).toEqual([done.run_ended_at, false])
    expect(failed).toMatchObject({ status: 'error', run_started_at: null, values: null, error })
  })

  test('are none for a run without a receiver, or that was rolled back', async () => {
    const [none, back] = [await create(), await create({ webhook: 'http://example.com/' })]
    expect(await enqueueNotices(db.query, none, 'success')).toBe(false)
    expect(await enqueueNotices(db.query, back, 'rollback')).toBe(false)
    expect([await noticesOf(none.run_id), await noticesOf(back.run_id)]).toEqual([[], []])
  })

  test('go to those who wait for the task of a run, also where the run continues it', async () => {
    const first = await create()
    const metadata = { a2a_task_id: first.run_id }
    const [next, foreign] = [await create({}, first.thread_id, metadata), await create({}, randomUUID(), metadata)]
    await db.query(
      `insert into push_configs (task_id, config_id, version, url, token, scheme, credentials)
       values ($1, 'c', '', 'http://example.com/push', '', '', '')`,
      [first.run_id],
    )
    expect(await enqueueNotices(db.query, first, 'success')).toBe(true)
    expect(await enqueueNotices(db.query, next, 'success')).toBe(true)
    expect(await enqueueNotices(db.query, foreign, 'success')).toBe(false)
    expect((await noticesOf(next.run_id)).map(({ push_task }) => push_task)).toEqual([first.run_id])
  })
})
