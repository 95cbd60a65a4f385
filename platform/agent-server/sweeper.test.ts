import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { HttpError } from './kernel/errors'
import type { Db } from './persistence/db'
import { Sweeper } from './sweeper'

const EVERY_MS = 30_000
const MINUTE = 60_000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A sweeper over threads that are over; `remove` may refuse one. */
function sweeperOver(
  { itemMinutes, fail }: { itemMinutes?: number | null; fail?: () => unknown } = {},
  ids: string[] = [],
  remove: (id: string) => unknown = () => {},
) {
  const seen = { items: 0, looks: 0, removed: [] as string[], errors: [] as string[] }
  const sweeper = new Sweeper({
    db: {
      query: async (text: string) => {
        if (!text.startsWith('select')) return []
        seen.looks += 1
        await fail?.()
        return ids.map((thread_id) => ({ thread_id, ttl_strategy: 'delete' }))
      },
    } as unknown as Db,
    stopper: {
      removeThread: async (id) => {
        await remove(id)
        seen.removed.push(id)
      },
    },
    threads: { keepLatest: async () => {} },
    store: { sweep: async () => ++seen.items },
    logError: (line) => void seen.errors.push(line),
    itemMinutes,
  })
  return { sweeper, seen }
}

test.each([
  ['every time where no interval is set', undefined, [1, 2, 3]],
  ['every time where the interval is null', null, [1, 2, 3]],
  ['once per interval', 2, [1, 1, 2]],
])('items are swept %s', async (_, itemMinutes, expected) => {
  const { sweeper, seen } = sweeperOver({ itemMinutes })
  const counts: number[] = []
  for (let n = 0; n < 3; n++) {
    await sweeper.sweep()
    counts.push(seen.items)
    vi.advanceTimersByTime(MINUTE)
  }
  expect(counts).toEqual(expected)
})

test('a thread that is gone or busy by now does not keep the others from being removed, a failure does', async () => {
  const refused = sweeperOver({}, ['gone', 'over'], (id) => {
    if (id === 'gone') throw new HttpError(404, 'Thread gone not found.')
  })
  await refused.sweeper.sweep()
  expect(refused.seen.removed).toEqual(['over'])
  const broken = sweeperOver({}, ['one'], () => {
    throw new Error('no database')
  })
  await expect(broken.sweeper.sweep()).rejects.toThrow('no database')
})

test('it sweeps every half minute, also after a failure, which it reports, until it is stopped', async () => {
  const { sweeper, seen } = sweeperOver({
    fail: () => {
      if (seen.looks === 1) throw new Error('no database')
    },
  })
  sweeper.start()
  await vi.advanceTimersByTimeAsync(EVERY_MS - 1)
  expect(seen.looks).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect([seen.looks, seen.errors]).toEqual([1, ['Expired data could not be removed: no database']])
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(seen.looks).toBe(2)
  sweeper.stop()
  expect(vi.getTimerCount()).toBe(0)
})

test('a sweep that a stop interrupts is neither reported nor repeated', async () => {
  let fail = (_: Error) => {}
  const held = new Promise<void>((_, reject) => (fail = reject))
  const { sweeper, seen } = sweeperOver({ fail: () => held })
  sweeper.start()
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  sweeper.stop()
  fail(new Error('connection closed'))
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect([seen.looks, seen.errors, vi.getTimerCount()]).toEqual([1, [], 0])
})
