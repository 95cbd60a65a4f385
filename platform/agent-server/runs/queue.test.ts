import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { testServer } from '../testing'

test('a run whose claim was stored but not confirmed is executed', async () => {
  const server = await testServer()
  const query = pg.Pool.prototype.query as (this: pg.Pool, ...args: unknown[]) => Promise<pg.QueryResult>
  let lost = 0
  const spy = vi.spyOn(pg.Pool.prototype, 'query').mockImplementation(async function (
    this: pg.Pool,
    ...args: unknown[]
  ) {
    const answer = await query.apply(this, args)
    if (lost === 0 && String(args[0]).startsWith("update runs set status = 'running'") && answer.rows.length > 0) {
      lost += 1
      throw new Error('Connection terminated unexpectedly')
    }
    return answer
  } as typeof pg.Pool.prototype.query)
  try {
    const thread = await server.newThread()
    const run = (await server.post(`/threads/${thread}/runs`, { assistant_id: 'counter', input: { until: 2 } })).json
    await server.until(thread, run.run_id, 'success')
    expect(lost).toBe(1)
    expect((await server.get(`/threads/${thread}`)).json.values.count).toBe(2)
  } finally {
    spy.mockRestore()
    await server.close()
  }
})
