import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { type LogReader, RunLog } from './events'
import { Mirrors } from './mirrors'

const POLL_MS = 1000
const RUNS_PER_PAGE = 100
const EVENTS_PER_PAGE = 2000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Stored = { run_id: string; id: number; event: string; data: string }

/** Mirrors of runs that other processes execute; `state` is what the database has of them. */
function mirrorsOf(state: { events: Stored[]; running: Set<string>; ended?: Set<string> }) {
  const bus = new EventEmitter()
  const errors: string[] = []
  const pages: string[][] = []
  const hold = { isDown: false, gate: undefined as Promise<void> | undefined }
  const query = async (text: string, [ids, after]: [string[], number[]]) => {
    if (hold.isDown) throw new Error('no database')
    if (text.includes('select run_id, status')) {
      pages.push(ids)
      const known = ids.filter((id) => state.running.has(id))
      const ended = ids.filter((id) => state.ended?.has(id)).map((run_id) => ({ run_id, status: 'success' }))
      return [...ended, ...known.map((run_id) => ({ run_id, status: 'running' }))]
    }
    const limit = Number(/limit (\d+)/.exec(text)?.[1])
    const found = ids.flatMap((run, index) =>
      state.events.filter(({ run_id, id }) => run_id === run && id > (after[index] as number)).slice(0, limit),
    )
    await hold.gate
    return found
  }
  const mirrors = new Mirrors({ query } as unknown as Db, bus as unknown as Bus, (line) => void errors.push(line))
  return { mirrors, bus, errors, pages, hold }
}
const stored = (run_id: string, count: number): Stored[] =>
  Array.from({ length: count }, (_, id) => ({ run_id, id, event: 'custom', data: String(id) }))
const settle = () => vi.advanceTimersByTimeAsync(0)

async function idsOf(reader: LogReader): Promise<number[]> {
  const ids: number[] = []
  while (reader.size > 0) ids.push(...((await reader.take(1)) ?? []).map(({ id }) => id))
  return ids
}

test('a run’s stored events are copied once each, also those that come later, and its end after all of them', async () => {
  const state = { events: stored('one', 3), running: new Set(['one']), ended: new Set<string>() }
  const { mirrors, bus } = mirrorsOf(state)
  const log = new RunLog('one', 0)
  const reader = log.attach()
  mirrors.start(log)
  await settle()
  expect([await idsOf(reader), log.isOver, mirrors.has('one')]).toEqual([[0, 1, 2], false, true])
  state.events = stored('one', 5)
  bus.emit('events', ['other', 'one'])
  await settle()
  expect(await idsOf(reader)).toEqual([3, 4])
  state.events = stored('one', 6)
  state.running.clear()
  state.ended.add('one')
  bus.emit('events', ['one'])
  await settle()
  expect([await idsOf(reader), log.isOver, mirrors.has('one')]).toEqual([[5], true, false])
  expect([await reader.take(1), vi.getTimerCount()]).toEqual([undefined, 0])
})

test('events whose notice was lost are found within a second', async () => {
  const state = { events: stored('one', 1), running: new Set(['one']) }
  const { mirrors } = mirrorsOf(state)
  const log = new RunLog('one', 0)
  mirrors.start(log)
  await settle()
  state.events = stored('one', 2)
  await vi.advanceTimersByTimeAsync(POLL_MS - 1)
  expect(log.lastId).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(log.lastId).toBe(1)
  mirrors.stop('one')
  expect(vi.getTimerCount()).toBe(0)
})

test('all runs are looked at again after a lost connection', async () => {
  const state = { events: [] as Stored[], running: new Set(['one', 'two']) }
  const { mirrors, bus } = mirrorsOf(state)
  const logs = ['one', 'two'].map((id) => new RunLog(id, 0))
  for (const log of logs) mirrors.start(log)
  await settle()
  state.events = [...stored('one', 1), ...stored('two', 1)]
  bus.emit('reconnected')
  await settle()
  expect(logs.map(({ lastId }) => lastId)).toEqual([0, 0])
  mirrors.stop('one')
  await vi.advanceTimersByTimeAsync(POLL_MS)
  expect(vi.getTimerCount()).toBe(1)
  mirrors.stop('two')
})

test('a long run is copied completely before it ends, page by page', async () => {
  const state = { events: stored('long', 2 * EVENTS_PER_PAGE + 1), running: new Set<string>() }
  const { mirrors, pages } = mirrorsOf(state)
  const log = new RunLog('long', 0)
  mirrors.start(log)
  await settle()
  expect([log.lastId, log.isOver, pages.length]).toEqual([2 * EVENTS_PER_PAGE, true, 3])
})

test('many runs share a query, and their events a page', async () => {
  const ids = Array.from({ length: RUNS_PER_PAGE + 2 }, (_, n) => `run ${n}`)
  const each = EVENTS_PER_PAGE / RUNS_PER_PAGE
  const state = { events: ids.flatMap((id) => stored(id, each)), running: new Set(ids) }
  const { mirrors, pages, hold } = mirrorsOf(state)
  let open = () => {}
  hold.gate = new Promise<void>((resolve) => (open = resolve))
  const logs = ids.map((id) => new RunLog(id, 0))
  for (const log of logs) mirrors.start(log)
  await settle()
  expect(pages).toEqual([[ids[0]]])
  open()
  await settle()
  expect(new Set(logs.map(({ lastId }) => lastId))).toEqual(new Set([each - 1]))
  // A process that filled its part of the page is asked for more.
  expect(pages.map((page) => page.length)).toEqual([1, RUNS_PER_PAGE, RUNS_PER_PAGE, 2])
  for (const id of ids) mirrors.stop(id)
})

test('what was on its way when a mirror was stopped is dropped, and a new one gets it', async () => {
  const state = { events: stored('one', 2), running: new Set<string>() }
  const { mirrors, hold, pages } = mirrorsOf(state)
  let open = () => {}
  hold.gate = new Promise<void>((resolve) => (open = resolve))
  const [before, after] = [new RunLog('one', 0), new RunLog('one', 0)]
  mirrors.start(before)
  await settle()
  mirrors.stop('one')
  mirrors.start(after)
  mirrors.start(new RunLog('two', 0))
  mirrors.stop('two')
  open()
  await settle()
  expect([before.lastId, before.isOver, after.lastId, after.isOver]).toEqual([-1, false, 1, true])
  expect(pages).toEqual([['one'], ['one']])
})

test('a database that does not answer is reported, and asked again', async () => {
  const state = { events: stored('one', 1), running: new Set(['one']) }
  const { mirrors, errors, hold } = mirrorsOf(state)
  hold.isDown = true
  const log = new RunLog('one', 0)
  mirrors.start(log)
  await settle()
  expect(errors).toEqual(['Runs of other processes cannot be followed: no database'])
  hold.isDown = false
  await vi.advanceTimersByTimeAsync(POLL_MS)
  expect(log.lastId).toBe(0)
  mirrors.stop('one')
})

test('a run that is not mirrored is not asked for', async () => {
  const { mirrors, bus, pages } = mirrorsOf({ events: [], running: new Set() })
  bus.emit('events', ['one'])
  mirrors.wake(['two'])
  await settle()
  expect(pages).toEqual([])
})
