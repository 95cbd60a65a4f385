import { randomUUID } from 'node:crypto'
import { eq, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { encodeEntries } from '@/lib/stream/entry-text'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { Hub } from './hub'
import { CHANNEL, WakeLine } from './instances/wake'
import { decodeChunk } from './log/chunk'
import { RecordingLog } from './log/recording-log'
import { recorderSettings } from './log/timing'
import { packLive } from './packed/pack'
import { recordings } from './schema'
import { writeSegments } from './segments'
import { insertRow, noteRecorder, until } from './testing'

// What other instances record, and what the hub is told about it. The rest is in hub-upkeep.test.ts.

/** Another instance, which lives. */
const OTHER = 9
let console_: TestConsole
let other: WakeLine
let hub: Hub
beforeAll(async () => {
  console_ = await testConsole()
  other = new WakeLine(OTHER, () => {})
  await other.open()
})
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  hub = new Hub(async () => {}, recorderSettings())
})
afterEach(async () => {
  await hub.stop()
  vi.useRealTimers()
  await (await db()).delete(recordings)
})
afterAll(async () => {
  await other.close()
  await console_.close()
})

type Row = Partial<typeof recordings.$inferInsert>
const recording = (more: Row = {}) => insertRow({ owner: OTHER, ...more })
const set = async (id: string, row: Row) => (await db()).update(recordings).set(row).where(eq(recordings.id, id))
const segmentOf = (id: string, first: number) => ({
  recording: id,
  chunk: {
    ...{ first, last: first },
    bytes: Buffer.from(encodeEntries(first, [{ at: 1, kind: 'event', event: 'custom', data: String(first) }])),
  },
  lastEventId: null,
})
/** Another instance writes these entries. */
const write = async (id: string, firsts: number[], isTold = true) => {
  await writeSegments(
    firsts.map((first) => segmentOf(id, first)),
    OTHER,
    isTold,
  )
}
const tell = async (id: string) => (await db()).execute(sql`select pg_notify(${CHANNEL}, ${`${OTHER}:${id}`})`)
const heldLog = (id: string) => {
  const log = new RecordingLog({ id, workspace: 'tests' }, [], { phase: 'live', last: 0, totalBytes: 0 })
  hub.hold(log)
  return log
}
const isHeld = (log: RecordingLog) =>
  hub.log(log.id).then(
    (one) => one === log,
    () => false,
  )

describe('a log', () => {
  test('is opened once for all who ask, and one that does not exist is not found', async () => {
    const id = await recording()
    await write(id, [1, 2])
    const [one, other] = await Promise.all([hub.log(id), hub.log(id)])
    expect(other).toBe(one)
    expect([one.last, one.firstHeld, one.phase, await hub.log(id)]).toEqual([2, 1, 'live', one])
    const missing = randomUUID()
    await expect(hub.log(missing)).rejects.toMatchObject({ code: 'not_found' })
    await expect(hub.log(missing)).rejects.toMatchObject({ code: 'not_found' })
  })

  test.each([
    [48, 1],
    [49, 3],
  ])('of %i MB is held from entry %i on; the rest is read from the store', async (megabytes, firstHeld) => {
    const id = await recording({ phase: 'ended', entries: 2 })
    await write(id, [1, 2])
    const size = (megabytes * 1024 * 1024) / 2
    await (await db()).execute(sql`update console.segments set size = ${size} where recording = ${id}`)
    const log = await hub.log(id)
    expect([log.last, log.firstHeld]).toEqual([2, firstHeld])
    expect((await hub.readStore(log, 0, 1e9)).map(({ first }) => first)).toEqual([1, 2])
  })

  test('without any entries yet follows what comes', async () => {
    const id = await recording()
    const log = await hub.log(id)
    expect([log.last, log.firstHeld]).toEqual([0, 1])
    await write(id, [1])
    await until(() => log.last === 1)
  })

  test('of another instance gets what that one writes, however much it is, and its phase', async () => {
    const id = await recording()
    const log = await hub.log(id)
    const all = Array.from({ length: 150 }, (_, index) => index + 1)
    await write(id, all.slice(0, 100), false)
    await write(id, all.slice(100))
    await until(() => log.last === 150)
    await set(id, { phase: 'reconnecting' })
    await tell(id)
    await until(() => log.phase === 'reconnecting')
    await write(id, [151], false)
    await set(id, { phase: 'ended', outcome: 'success', entries: 151 })
    await tell(id)
    await until(() => log.phase === 'ended')
    expect([log.last, log.isAbandoned, await hub.log(id)]).toEqual([151, false, log])
  })

  test('of another instance gets rows that were packed before it read them', async () => {
    const id = await recording()
    const log = await hub.log(id)
    await write(id, [1, 2, 3], false)
    await packLive([{ id, totalBytes: 64 * 1024, packedBytes: 0 }])
    await tell(id)
    await until(() => log.last === 3)
    expect(
      log
        .read(0, 1e9)
        ?.flatMap(decodeChunk)
        .map(({ seq, kind }) => [seq, kind]),
    ).toEqual([1, 2, 3].map((seq) => [seq, 'event']))
  })

  test('of another instance has a mark where the store has lost entries', async () => {
    const id = await recording()
    await write(id, [1])
    const log = await hub.log(id)
    await write(id, [3])
    await until(() => log.last === 3)
    expect(
      log
        .read(1, 1e9)
        ?.flatMap(decodeChunk)
        .map(({ seq, kind }) => [seq, kind]),
    ).toEqual([
      [2, 'gap'],
      [3, 'event'],
    ])
  })

  test.each<[string, (id: string) => Promise<unknown>]>([
    ['was cut off by a crash', (id) => set(id, { cuts: [1] })],
    ['was deleted', async (id) => (await db()).delete(recordings).where(eq(recordings.id, id))],
  ])('that %s is opened again by its readers', async (_, change) => {
    const id = await recording()
    await write(id, [1])
    const log = await hub.log(id)
    await change(id)
    await tell(id)
    await until(() => log.isAbandoned)
    expect(await isHeld(log)).toBe(false)
  })

  test('that is being opened when its recording begins here is the one recorded here', async () => {
    const id = await recording()
    await hub.start()
    const store = await db()
    let opening: Promise<RecordingLog> | undefined
    let own: RecordingLog | undefined
    await store.transaction(async (one) => {
      await one.execute(sql`lock table console.segments in access exclusive mode`)
      opening = hub.log(id)
      const isWaiting = sql`select from pg_locks where not granted and relation = 'console.segments'::regclass`
      await until(async () => (await one.execute(isWaiting)).rowCount)
      own = heldLog(id)
    })
    expect(await opening).toBe(own)
    expect([own?.isAbandoned, await hub.log(id)]).toEqual([false, own])
  })

  test('that is replaced by the one recorded here tells its readers; the new one stays', async () => {
    const id = await recording()
    const before = await hub.log(id)
    const log = heldLog(id)
    expect([before.isAbandoned, log.isAbandoned, await isHeld(log)]).toEqual([true, false, true])
    hub.hold(log)
    expect(log.isAbandoned).toBe(false)
    hub.release(id)
    expect([log.isAbandoned, await isHeld(log)]).toEqual([true, false])
  })
})

describe('what other instances tell', () => {
  test('reaches the recorder of a run and the lists, and no log that is written here', async () => {
    await hub.start()
    let changes = 0
    const leave = hub.onChange(() => changes++)
    const id = await recording()
    const told = noteRecorder(hub, id)
    const log = heldLog(id)
    expect(changes).toBe(1)
    await write(id, [1])
    await until(() => told.length === 1)
    expect([told, log.last, changes]).toEqual([['poke'], 0, 2])
    leave()
    hub.changed()
    expect(changes).toBe(2)
  })

  test('that comes during a read is read after it, together, and what nobody holds is not read', async () => {
    const ids = await Promise.all([recording(), recording(), recording()])
    const logs = await Promise.all(ids.map((id) => hub.log(id)))
    let heard = 0
    const leave = hub.onChange(() => heard++)
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    const { $client } = await db()
    const query = $client.query.bind($client) as (...args: unknown[]) => Promise<unknown>
    const reads: string[][] = []
    const spy = vi.spyOn($client, 'query').mockImplementation((async (...args: unknown[]) => {
      const [{ text = '', values = [] }] = args as [{ text?: string; values?: string[][] }]
      if (!text.includes('as held (id, last)')) return query(...args)
      reads.push(values[0] ?? [])
      if (reads.length === 1) await released
      return query(...args)
    }) as never)
    try {
      await write(ids[0] as string, [1])
      await until(() => reads.length === 1)
      for (const id of [...ids, randomUUID()]) await tell(id)
      for (const id of ids.slice(1)) await write(id, [1])
      await until(() => heard >= 7)
      expect(reads).toHaveLength(1)
      release()
      await until(() => logs.every(({ last }) => last === 1))
      expect(new Set(reads.slice(1).flat())).toEqual(new Set(ids))
    } finally {
      release()
      spy.mockRestore()
      leave()
    }
  })

  test('is read again for all logs after the line was lost', async () => {
    const id = await recording()
    const log = await hub.log(id)
    await write(id, [1], false)
    const end = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'pilothouse-recorder' and datname = current_database()`
    await (await db()).execute(end)
    await until(() => !hub.line.isOpen && !other.isOpen)
    await other.open()
    await until(() => log.last === 1)
  })
})

describe('the writer', () => {
  test('tells a log how far it is stored', async () => {
    const id = await recording({ owner: hub.instance })
    const log = heldLog(id)
    hub.writer.add(segmentOf(id, 1))
    hub.writer.add(segmentOf(id, 2))
    await hub.writer.flushed(id)
    expect(log.stored).toBe(2)
  })

  test('stops the recorder of a recording that another instance has', async () => {
    const id = await recording()
    const told = noteRecorder(hub, id)
    hub.writer.add(segmentOf(id, 1))
    await hub.writer.flushed(id)
    expect(told).toEqual(['lost'])
  })
})

test('the end of the process hands over all recordings and stops the ticks', async () => {
  const stopping = new AbortController()
  const shared = globalThis as { pilothouseShutdown?: AbortController; pilothouseDrain?: Promise<void> }
  const before = { ...shared }
  shared.pilothouseShutdown = stopping
  try {
    await hub.start()
    const told = ['a', 'b'].map((id) => noteRecorder(hub, id))
    stopping.abort()
    await until(() => !hub.line.isOpen)
    expect(told).toEqual([['shutdown'], ['shutdown']])
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    shared.pilothouseShutdown = before.pilothouseShutdown
    shared.pilothouseDrain = before.pilothouseDrain
  }
})

test('others hear of each portion that is handed over, and one that hangs does not hold up the rest', async () => {
  await hub.start()
  const order: string[] = []
  vi.spyOn(hub.line, 'leave').mockImplementation(async () => void order.push('left'))
  let wakeUp = () => {}
  const hanging = new Promise<void>((resolve) => {
    wakeUp = resolve
  })
  for (let id = 1; id <= 20; id++) {
    noteRecorder(hub, String(id))
    const stop = async () => {
      order.push(String(id))
      if (id === 3) await hanging
    }
    Object.assign(hub.recorders.get(String(id)) ?? {}, { stop })
  }
  const stopped = hub.stop()
  await until(() => order.length === 30)
  expect(order.slice(0, 9)).toEqual(['1', '2', 'left', '3', '4', 'left', '5', '6', 'left'])
  expect(hub.line.isOpen).toBe(true)
  wakeUp()
  await stopped
})

test('a start that failed can be tried again, and one that succeeded is not repeated', async () => {
  console_.set({ DATABASE_DIRECT_URL: 'postgres://nobody@127.0.0.1:9/none' })
  await expect(hub.start()).rejects.toThrow()
  console_.set({})
  await hub.start()
  expect(hub.line.isOpen).toBe(true)
  await hub.start()
  expect(vi.getTimerCount()).toBe(2)
})
