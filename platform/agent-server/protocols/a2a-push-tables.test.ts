import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { webhookRules } from '../kernel/webhook-rules'
import { testTables } from '../testing'
import { A2aPush } from './a2a-push'
import type { A2aTasks } from './a2a-tasks'

let tables: Awaited<ReturnType<typeof testTables>>
let push: A2aPush
const onNotice = vi.fn()

beforeAll(async () => {
  tables = await testTables()
  push = new A2aPush(tables.db, {} as A2aTasks, webhookRules(undefined, []), onNotice)
})
afterAll(() => tables.close())
beforeEach(() => onNotice.mockClear())

/** A run of a thread of its own, which is the task, and a configuration that is not stored yet. */
async function runWith(status: string) {
  const [threadId, taskId] = [randomUUID(), randomUUID()]
  await tables.db.query('insert into threads (thread_id) values ($1)', [threadId])
  await tables.db.query(
    `insert into runs (run_id, thread_id, assistant_id, graph_id, status, metadata, kwargs, plan, multitask_strategy, is_resumable, creator)
     values ($1, $2, '', '', $3, '{}', '{}', '{}', 'enqueue', false, 1)`,
    [taskId, threadId, status],
  )
  const config = {
    tenant: '',
    taskId,
    id: 'mine',
    url: 'https://example.com/told',
    token: '',
    authentication: undefined,
  }
  return { threadId, taskId, config }
}
const told = (run: string) =>
  tables.db.query('select url, push_task, push_config from webhooks where run_id = $1', [run])

test.each(['success', 'error', 'interrupted'])('a run that has ended with %s meanwhile is told', async (status) => {
  const { threadId, taskId, config } = await runWith(status)
  await push.save(taskId, config, '1.0', { threadId, begun: taskId })
  expect(await told(taskId)).toEqual([{ url: config.url, push_task: taskId, push_config: 'mine' }])
  expect(onNotice).toHaveBeenCalledTimes(1)
})

test.each(['pending', 'running'])('a run that is %s is not told before it ends', async (status) => {
  const { threadId, taskId, config } = await runWith(status)
  await push.save(taskId, config, '1.0', { threadId, begun: taskId })
  expect(await told(taskId)).toEqual([])
})

test('a configuration that is set later is not told of a run that ended before', async () => {
  const { threadId, taskId, config } = await runWith('success')
  expect(await push.save(taskId, { ...config, id: '' }, '1.0', { threadId })).toEqual({ ...config, id: taskId })
  expect(await told(taskId)).toEqual([])
  expect(onNotice).not.toHaveBeenCalled()
})

test('one configuration too many names the task', async () => {
  const { threadId, taskId, config } = await runWith('running')
  for (let count = 0; count < 20; count++) await push.save(taskId, { ...config, id: `c${count}` }, '1.0', { threadId })
  await expect(push.save(taskId, config, '1.0', { threadId })).rejects.toMatchObject({
    detail: [{ loc: ['body', 'taskId'], msg: expect.stringContaining('at most 20') }],
  })
})
