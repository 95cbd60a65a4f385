import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SharedReads } from './shared-reads'

const PACE = { keptMs: (value: string) => (value === 'broken' ? 1_000 : 100), waitMs: 50, staleMs: 5_000, most: 2 }
let reads: SharedReads<string>
/** Ends of the reads so far. */
let ends: ((value: string) => void)[]
const read = vi.fn(() => new Promise<string>((resolve) => ends.push(resolve)))
const get = (key = 'a') => reads.get(key, read)

beforeEach(() => {
  vi.useFakeTimers()
  read.mockClear()
  ends = []
  reads = new SharedReads(PACE)
})
afterEach(() => void vi.useRealTimers())

test('readers share a read and its value, until it is too old', async () => {
  const both = Promise.all([get(), get()])
  ends[0]?.('first')
  expect([await both, await get()]).toEqual([['first', 'first'], 'first'])
  expect(read).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(101)
  const next = get()
  ends[1]?.('second')
  expect(await next).toBe('second')
})

test('a late read gives the last value, and its own to the next reader', async () => {
  const first = get()
  ends[0]?.('first')
  await first
  vi.advanceTimersByTime(101)
  const late = get()
  await vi.advanceTimersByTimeAsync(51)
  expect(await late).toBe('first')
  const again = get()
  await vi.advanceTimersByTimeAsync(51)
  expect([await again, read.mock.calls.length]).toEqual(['first', 2])
  ends[1]?.('broken')
  await vi.advanceTimersByTimeAsync(1)
  expect(await get()).toBe('broken')
  vi.advanceTimersByTime(500)
  expect([await get(), read.mock.calls.length]).toEqual(['broken', 2])
})

test('a value that is much too old is waited for', async () => {
  const first = get()
  ends[0]?.('first')
  await first
  vi.advanceTimersByTime(5_001)
  const late = get()
  await vi.advanceTimersByTimeAsync(1_000)
  ends[1]?.('second')
  expect(await late).toBe('second')
})

test('a failure reaches its readers and is not kept, and the least recently read key is dropped', async () => {
  await expect(reads.get('b', () => Promise.reject(new Error('down')))).rejects.toThrow('down')
  for (const key of ['a', 'b', 'c']) {
    const one = get(key)
    ends.at(-1)?.(key)
    await one
  }
  expect([await get('b'), await get('c'), read.mock.calls.length]).toEqual(['b', 'c', 3])
  void get('a')
  expect(read).toHaveBeenCalledTimes(4)
})

test('a failure that is over is given to nobody, nor one of a read that had begun before', async () => {
  let over = ''
  reads = new SharedReads({ ...PACE, isOver: (value) => value === over })
  const first = get()
  ends[0]?.('broken')
  expect([await first, await get()]).toEqual(['broken', 'broken'])
  over = 'broken'
  const began = get()
  const joined = get()
  await vi.advanceTimersByTimeAsync(60) // longer than a reader waits where an older value will do
  ends[1]?.('broken')
  await vi.advanceTimersByTimeAsync(1)
  ends[2]?.('whole')
  expect([await began, await joined, read.mock.calls.length]).toEqual(['broken', 'whole', 3])
})
