import pg from 'pg'
import { afterEach, expect, test, vi } from 'vitest'
import { collect, nextEvent, readEvents, testServer } from '../testing'

afterEach(() => vi.restoreAllMocks())

type Exchange = (send: () => Promise<pg.QueryResult>) => Promise<pg.QueryResult>

/** Comes between the queue's statements and their answers. */
function onStatements(exchangeOf: (text: string) => Exchange | undefined) {
  const query = pg.Pool.prototype.query as (this: pg.Pool, ...args: unknown[]) => Promise<pg.QueryResult>
  vi.spyOn(pg.Pool.prototype, 'query').mockImplementation(function (this: pg.Pool, ...args: unknown[]) {
    const send = () => query.apply(this, args)
    return exchangeOf(String(args[0]))?.(send) ?? send()
  } as typeof pg.Pool.prototype.query)
}
const isClaim = (text: string) => text.includes("update runs set status = 'running'")
const isLook = (text: string) => text.startsWith('select run_id, cancel, owner')

test('a run whose claim was stored but not confirmed is executed', async () => {
  const server = await testServer()
  let lost = 0
  const losesFirst: Exchange = async (send) => {
    const answer = await send()
    if (lost > 0 || answer.rows.length === 0) return answer
    lost += 1
    throw new Error('Connection terminated unexpectedly')
  }
  onStatements((text) => (isClaim(text) ? losesFirst : undefined))
  try {
    const thread = await server.newThread()
    const run = (await server.post(`/threads/${thread}/runs`, { assistant_id: 'counter', input: { until: 2 } })).json
    await server.until(thread, run.run_id, 'success')
    expect(lost).toBe(1)
    expect((await server.get(`/threads/${thread}`)).json.values.count).toBe(2)
  } finally {
    await server.close()
  }
})

test('a run that others gave up and this process claims again goes on, and its readers with it', async () => {
  const server = await testServer()
  // The process sees that it has lost the run, claims it again, and is told of the loss only then.
  let onLost = () => {}
  const lost = new Promise<void>((resolve) => (onLost = resolve))
  let isGivenUp = false
  let looks = 0
  const look: Exchange = async (send) => {
    const answer = await send()
    if (looks > 0 || !answer.rows.some(({ owner }) => owner === null)) return answer
    looks += 1
    onLost()
    await new Promise((resolve) => setTimeout(resolve, 300))
    return answer
  }
  const claim: Exchange = (send) => lost.then(send)
  onStatements((text) => (isLook(text) ? look : isGivenUp && isClaim(text) ? claim : undefined))
  const admin = new pg.Client({ connectionString: server.databaseUrl })
  try {
    await admin.connect()
    const thread = await server.newThread()
    const body = { assistant_id: 'counter', input: { until: 12, delay: 50 }, stream_mode: 'custom' }
    const events = readEvents(await server.open('POST', `/threads/${thread}/runs/stream`, body))
    for (let seen = 0; seen < 3; seen = (await nextEvent(events, 'custom')).data.count);
    isGivenUp = true
    await admin.query(`update agent_test.runs set status = 'pending', owner = null`)
    await admin.query(`select pg_notify('agent_test', n::text) from agent_test.runs, lateral (values
      (json_build_object('kind', 'ended', 'from', 0, 'run', run_id)),
      (json_build_object('kind', 'waiting', 'from', 0, 'run', run_id, 'creator', 0, 'dueMs', -1000))) m (n)`)
    const rest = await collect(events)
    expect(looks).toBe(1)
    expect(rest.filter(({ event }) => event === 'metadata').map(({ data }) => data.attempt)).toEqual([2])
    expect(rest.filter(({ event }) => event === 'end').map(({ data }) => data.status)).toEqual(['success'])
    const counts = rest.filter(({ event }) => event === 'custom').map(({ data }) => data.count)
    expect(new Set(counts)).toEqual(new Set([4, 5, 6, 7, 8, 9, 10, 11, 12]))
    expect((await server.get(`/threads/${thread}`)).json.values.count).toBe(12)
  } finally {
    await admin.end()
    await server.close()
  }
})
