import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import type { ThreadStates } from '../threads/thread-state'
import type { Threads } from '../threads/threads'
import { Hub } from './hub'
import { RunReaders } from './run-readers'
import type { RunRow } from './run-record'
import type { Runs } from './runs'

const RUN = { status: 'running', is_resumable: true, is_watched: false, attempt: 1, creator: 2, owner: 2 }

test('a reader that comes while the run changes hands gets nothing again that it has', async () => {
  const bus = Object.assign(new EventEmitter(), { instance: 1, send: async () => {} })
  const query = async (text: string, [, from]: number[][]) => {
    if (text.includes('max(id)')) {
      bus.emit('message', { kind: 'ended', run: 'one' }) // its process is gone, and it waits for the next one
      await new Promise((resolve) => setImmediate(resolve))
      return [{ id: '5' }]
    }
    if (text.includes('status from runs')) return [{ run_id: 'one', status: 'pending' }]
    const after = from?.[0] ?? -1
    return [0, 1, 2, 3, 4, 5, 6]
      .filter((id) => id > after)
      .map((id) => ({ run_id: 'one', id, event: 'custom', data: '' }))
  }
  const hub = new Hub({ query } as unknown as Db, bus as unknown as Bus, () => {})
  const { log, release } = hub.acquire('one')
  const run = { ...RUN, run_id: 'one' }
  const following = hub.follow(run)
  const reader = log.attach()
  await following
  expect((await reader.take(2000))?.map(({ id }) => id)).toEqual([6])
  release()
})

test('an attempt that ends late does not hide that the next one writes here', async () => {
  const bus = Object.assign(new EventEmitter(), { instance: 1, send: async () => {}, tellEvents: () => {} })
  const stored: number[] = []
  const query = async (text: string, [ids]: [number[]]) => {
    if (text.includes('insert')) stored.push(...ids)
    return text.includes('insert') ? [] : stored.map((id) => ({ id, event: 'custom', data: '' }))
  }
  const dispatch = async (text: string, values: [number[]]) => ({ done: query(text, values) })
  const hub = new Hub({ query, dispatch } as unknown as Db, bus as unknown as Bus, () => {})
  const kept = { isKept: true, isFollowed: false }
  const first = hub.begin('one', 1, kept)
  const { log, writer, release } = hub.begin('one', 2, kept)
  first.release()
  writer.add(log.publish('custom', '1'))
  const pages = []
  for await (const page of hub.stored('one', -1, log.lastId)) pages.push(...page)
  expect(pages.map(({ id }) => id)).toEqual([log.lastId])
  release()
})

test('readers get the rest of the previous attempt before the one that their own process claims', async () => {
  const bus = Object.assign(new EventEmitter(), { instance: 1, send: async () => {}, tellEvents: () => {} })
  const stored = [0, 1, 2]
  const query = async (text: string, [, from, until]: (number | number[])[]) => {
    if (text.includes('max(id)')) return [{ id: '2' }]
    if (text.includes('status from runs')) return [{ run_id: 'one', status: 'running' }]
    const after = [from].flat()[0] ?? -1
    const last = typeof until === 'number' ? until : Number.MAX_SAFE_INTEGER
    return stored
      .filter((id) => id > after && id <= last)
      .map((id) => ({ run_id: 'one', id, event: 'custom', data: '' }))
  }
  const hub = new Hub({ query } as unknown as Db, bus as unknown as Bus, () => {})
  const { log, release } = hub.acquire('one')
  await hub.follow({ ...RUN, run_id: 'one' })
  const reader = log.attach()
  await new Promise((resolve) => setTimeout(resolve)) // the mirror has found nothing new
  stored.push(3, 4)
  const begun = hub.begin('one', 2, { isKept: true, isFollowed: true })
  bus.emit('message', { kind: 'ended', run: 'one' }) // late, from the process that gave the run back
  await begun.ready
  const first = begun.log.publish('metadata', '')
  expect((await reader.take(2000))?.map(({ id }) => id)).toEqual([3, 4, first.id])
  expect(first.id).toBe(1_000_000_000)
  begun.release()
  release()
})

test('readers connect again if the rest of the previous attempt cannot be read', async () => {
  const bus = Object.assign(new EventEmitter(), { instance: 1, send: async () => {} })
  const query = async () => {
    throw new Error('no database')
  }
  const hub = new Hub({ query } as unknown as Db, bus as unknown as Bus, () => {})
  const { log, release } = hub.acquire('one')
  const reader = log.attach()
  const begun = hub.begin('one', 2, { isKept: true, isFollowed: false })
  await begun.ready
  await expect(reader.take(2000)).rejects.toThrow('cannot be read')
  expect(begun.log.publish('metadata', '').id).toBe(1_000_000_000)
  begun.release()
  release()
})

test('readers of an attempt that was given up get what another process makes of the run', async () => {
  const bus = Object.assign(new EventEmitter(), { instance: 1, send: async () => {}, tellEvents: () => {} })
  const query = async (text: string) => {
    if (text.includes('status from runs')) return [{ run_id: 'one', status: 'running' }]
    return [{ run_id: 'one', id: 1_000_000_000, event: 'custom', data: '' }]
  }
  const hub = new Hub({ query } as unknown as Db, bus as unknown as Bus, () => {})
  const { log, release } = hub.acquire('one')
  const reader = log.attach()
  hub.begin('one', 1, { isKept: false, isFollowed: false }).release()
  expect((await reader.take(500))?.map(({ id }) => id)).toEqual([1_000_000_000])
  release()
})

test('a reader gets an event only once that its dead process had sent before it was stored', async () => {
  const bus = Object.assign(new EventEmitter(), { instance: 1, send: async () => {} })
  const events = [
    { run_id: 'one', id: 0, event: 'metadata', data: '' },
    { run_id: 'one', id: 1_000_000_000, event: 'end', data: '' },
  ]
  let areStored = false
  const query = async (text: string, [, from, until]: (number | number[])[]) => {
    if (text.includes('max(id)')) return [{ id: null }]
    if (text.includes('status from runs')) return [{ run_id: 'one', status: 'running' }]
    if (!areStored) return []
    const last = typeof until === 'number' ? until : Number.MAX_SAFE_INTEGER
    return events.filter(({ id }) => id > ([from].flat()[0] ?? -1) && id <= last)
  }
  const hub = new Hub({ query } as unknown as Db, bus as unknown as Bus, () => {})
  const readers = new RunReaders(hub, {} as Runs, {} as Threads, {} as ThreadStates)
  const run = { ...RUN, run_id: 'one' } as unknown as RunRow
  const seen: number[] = []
  for await (const entries of readers.read(run, { after: 0, signal: AbortSignal.timeout(5000) })) {
    areStored = true
    bus.emit('events', ['one'])
    seen.push(...entries.map(({ id }) => id))
    if (seen.includes(1_000_000_000)) break
  }
  expect(seen).toEqual([1_000_000_000])
})

test('what a mirror was about to copy when an attempt began here does not come after it', async () => {
  const bus = Object.assign(new EventEmitter(), { instance: 1, send: async () => {}, tellEvents: () => {} })
  let endCopy = (_: object[]) => {}
  const copied = new Promise<object[]>((resolve) => (endCopy = resolve))
  let copies = 0
  const query = async (text: string) => {
    if (text.includes('status from runs')) return [{ run_id: 'one', status: 'running' }]
    if (text.includes('max(id)')) return []
    const entry = { run_id: 'one', id: 0, event: 'custom', data: '' }
    if (!text.includes('unnest')) return [entry]
    copies += 1
    return copies === 1 ? copied : []
  }
  const hub = new Hub({ query } as unknown as Db, bus as unknown as Bus, () => {})
  const { log, release } = hub.acquire('one')
  const reader = log.attach()
  await hub.follow({ ...RUN, run_id: 'one' })
  const begun = hub.begin('one', 2, { isKept: true, isFollowed: true })
  await begun.ready
  begun.log.publish('metadata', '')
  begun.release()
  endCopy([{ run_id: 'one', id: 0, event: 'custom', data: '' }])
  await new Promise((resolve) => setTimeout(resolve, 10))
  expect((await reader.take(2000))?.map(({ id }) => id)).toEqual([0, 1_000_000_000])
  release()
})
