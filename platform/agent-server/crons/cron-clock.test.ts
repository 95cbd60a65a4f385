import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HttpError } from '../kernel/errors'
import type { Db } from '../persistence/db'
import { CronClock } from './cron-clock'
import { AlreadyFired, type CronRow, type Crons } from './crons'

const NOW = Date.parse('2030-05-01T10:00:00Z')
const PAGE = 100

beforeEach(() => void vi.useFakeTimers({ now: NOW }))
afterEach(() => void vi.useRealTimers())

const cron = (id: number | string, more: Partial<CronRow> = {}): CronRow => ({
  ...{ cron_id: String(id), assistant_id: 'a', thread_id: null, on_run_completed: null, payload: {}, metadata: {} },
  ...{ schedule: '* * * * *', timezone: 'UTC', end_time: null, enabled: true, user: null },
  ...{ next_run_date: new Date(NOW - 1000), created_at: new Date(NOW), updated_at: new Date(NOW) },
  ...more,
})

type Fire = (row: { cron_id: string }) => unknown

/** A clock over `rows`, which leave the list once they are claimed. `fire` may refuse a run or fail. */
function clockOver(rows: CronRow[], fire: Fire = () => {}, claims: Fire = () => {}) {
  const fired: { id: string; thread: string | undefined; user: unknown }[] = []
  const logs: string[] = []
  const state = { looks: 0, nextLooks: 0, nextDue: null as Date | null, claimed: [] as string[] }
  const crons = {
    due: async (now: Date, limit: number) => {
      state.looks += 1
      return rows.filter(({ next_run_date }) => next_run_date && next_run_date <= now).slice(0, limit)
    },
    // For the next look only.
    nextDue: async () => {
      state.nextLooks += 1
      const next = state.nextDue
      state.nextDue = null
      return next
    },
    claim: async (_: unknown, row: CronRow) => {
      await claims(row)
      state.claimed.push(row.cron_id)
      rows.splice(rows.indexOf(row), 1)
    },
  }
  const starter = {
    for: (user: unknown) => ({
      create: async (
        thread: string | undefined,
        { metadata }: { metadata: { cron_id: string } },
        _: string,
        claim: (query: unknown) => Promise<void>,
      ) => {
        await fire(metadata)
        await claim(undefined)
        fired.push({ id: metadata.cron_id, thread, user })
      },
    }),
  }
  const clock = new CronClock({
    db: { query: undefined } as unknown as Db,
    crons: crons as unknown as Crons,
    starter: starter as never,
    log: (level, message) => void logs.push(`${level}: ${message}`),
  })
  return { clock, fired, logs, state }
}
/** What has been asked for is done; no time passes. */
const settle = () => vi.advanceTimersByTimeAsync(0)

test('all due crons fire, however many there are, for their users and on their threads', async () => {
  const user = { identity: 'ann' } as CronRow['user']
  const rows = [cron(0, { user, thread_id: 't' }), ...Array.from({ length: 2 * PAGE }, (_, n) => cron(n + 1))]
  const { clock, fired, state } = clockOver(rows)
  await clock.tick()
  expect(fired).toHaveLength(2 * PAGE + 1)
  expect(fired.slice(0, 2)).toEqual([
    { id: '0', thread: 't', user },
    { id: '1', thread: undefined, user: null },
  ])
  expect(state.looks).toBe(3)
})

test('a cron that fails does not keep the others from firing, and the first failure is reported', async () => {
  const { clock, fired } = clockOver(
    [1, 2, 3, 4].map((id) => cron(id)),
    ({ cron_id }) => {
      if (cron_id === '2' || cron_id === '3') throw new Error(`no ${cron_id}`)
    },
  )
  await expect(clock.tick()).rejects.toThrow('no 2')
  expect(fired.map(({ id }) => id)).toEqual(['1', '4'])
})

test('a firing that was missed long ago is skipped with a note', async () => {
  const { clock, fired, logs, state } = clockOver([
    cron('old', { schedule: '0 5 * * *', next_run_date: new Date(NOW - 5 * 3600_000) }),
    cron('new'),
  ])
  await clock.tick()
  expect([fired.map(({ id }) => id), state.claimed]).toEqual([['new'], ['old', 'new']])
  expect(logs).toEqual(['info: A firing of cron old was missed more than 60 minutes ago.'])
})

test('a refused run is reported and skipped, also if another process skips it at the same moment', async () => {
  const refuse = () => {
    throw new HttpError(409, 'Thread t is busy.')
  }
  const { clock, logs, state } = clockOver([cron('one')], refuse)
  await clock.tick()
  expect([logs, state.claimed]).toEqual([['error: Cron one could not start its run: Thread t is busy.'], ['one']])
  const taken = clockOver([cron('two')], refuse, () => {
    throw new AlreadyFired()
  })
  await taken.clock.tick()
  const broken = clockOver([cron('three')], refuse, () => {
    throw new Error('no database')
  })
  await expect(broken.clock.tick()).rejects.toThrow('no database')
})

test('a firing that another process has claimed is left to it without a word', async () => {
  const { clock, fired, logs } = clockOver([cron('one')], undefined, () => {
    throw new AlreadyFired()
  })
  await clock.tick()
  expect([fired, logs]).toEqual([[], []])
})

test('a stop waits for the firing in progress, and nothing fires after it', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const { clock, fired, logs, state } = clockOver([cron(1), cron(2)], () => held)
  clock.wake()
  await settle()
  let isStopped = false
  const stopping = clock.stop().then(() => (isStopped = true))
  await settle()
  expect(isStopped).toBe(false)
  release()
  await stopping
  expect(fired.map(({ id }) => id)).toEqual(['1'])
  const { nextLooks } = state
  clock.wake()
  await clock.tick()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(state.nextLooks).toBe(nextLooks)
  expect([fired.length, state.looks, logs, vi.getTimerCount()]).toEqual([1, 1, [], 0])
})

test('a failure during a stop is not reported', async () => {
  let fail = (_: Error) => {}
  const held = new Promise<void>((_, reject) => (fail = reject))
  const { clock, logs } = clockOver([cron(1)], () => held)
  clock.wake()
  await settle()
  const stopping = clock.stop()
  fail(new Error('connection closed'))
  await stopping
  expect([logs, vi.getTimerCount()]).toEqual([[], 0])
})

test.each([
  ['when the next one is due', 3000, 3000],
  ['at once if one became due meanwhile', -50, 0],
  ['after ten seconds at the latest, because other processes make crons too', 60_000, 10_000],
  ['after ten seconds if there is none', undefined, 10_000],
])('the clock looks again %s', async (_, dueIn, looksAfter) => {
  const { clock, state } = clockOver([])
  state.nextDue = dueIn === undefined ? null : new Date(NOW + dueIn)
  clock.wake()
  await settle()
  if (looksAfter > 0) {
    await vi.advanceTimersByTimeAsync(looksAfter - 1)
    expect(state.looks).toBe(1)
  }
  await vi.advanceTimersByTimeAsync(1)
  expect(state.looks).toBe(2)
  await clock.stop()
})

test('a store that does not answer is reported and asked again after two seconds', async () => {
  const { clock, fired, logs, state } = clockOver([cron(1)], () => {
    if (state.looks === 1) throw new Error('no database')
  })
  clock.wake()
  await settle()
  expect(logs).toEqual(['error: Crons cannot be fired: no database'])
  await vi.advanceTimersByTimeAsync(1999)
  expect(fired).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(fired).toHaveLength(1)
  await clock.stop()
})

test('a change during a firing is looked at right after it, and leaves one timer', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  const rows = [cron(1)]
  const { clock, fired, state } = clockOver(rows, () => held)
  clock.wake()
  await settle()
  rows.push(cron(2))
  clock.wake()
  clock.wake()
  await settle()
  expect(state.looks).toBe(1)
  release()
  await settle()
  expect([fired.length, state.looks, vi.getTimerCount()]).toEqual([2, 2, 1])
  clock.wake()
  await settle()
  expect([state.looks, vi.getTimerCount()]).toEqual([3, 1])
  await clock.stop()
  expect(vi.getTimerCount()).toBe(0)
})
