import { randomUUID } from 'node:crypto'
import { and, eq, inArray, isNotNull, sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { Hub } from './hub'
import { RecordingLog } from './log/recording-log'
import { recorderSettings } from './log/timing'
import { weekOf } from './packed/weeks'
import { recordings, segments } from './schema'
import { findRecording } from './store'
import { noteRecorder, insertRow as recording, until } from './testing'

// What the hub does by itself every few seconds.

/** An instance that has died. */
const DEAD = 4711
const TICK_MS = 4_000
let console_: TestConsole
let hub: Hub
let taken: { id: string; wasCrash: boolean }[]
/** Ids of recordings that cannot be taken over. */
let failing: string[]

beforeAll(async () => {
  console_ = await testConsole()
})
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date', 'performance'] })
  taken = []
  failing = []
  hub = new Hub(async ({ id }, wasCrash) => {
    taken.push({ id, wasCrash })
    if (failing.includes(id)) throw new Error('no')
  }, recorderSettings())
})
afterEach(async () => {
  await hub.stop()
  vi.useRealTimers()
  await (await db()).delete(recordings)
})
afterAll(() => console_.close())

const heldLog = (id: string, at: Partial<ConstructorParameters<typeof RecordingLog>[2]> = {}) => {
  const log = new RecordingLog({ id, workspace: 'tests' }, [], { phase: 'live', last: 0, totalBytes: 0, ...at })
  hub.hold(log)
  return log
}
const isHeld = (log: RecordingLog) =>
  hub.log(log.id).then(
    (one) => one === log,
    () => false,
  )

/** Passes the time of ticks, and waits for the last one. */
async function tick(times = 1) {
  const idle = heldLog(randomUUID())
  idle.usedAt = 0
  vi.advanceTimersByTime(TICK_MS * times)
  await until(async () => !(await isHeld(idle)))
}

describe('taking over', () => {
  test('begins at the start, with what a shutdown left and what a crash left, one failure aside', async () => {
    const [left, crashed] = [await recording({ owner: null }), await recording({ owner: DEAD })]
    await recording({ phase: 'ended', owner: DEAD })
    failing = [left]
    await hub.start()
    expect(taken.toSorted((a, b) => Number(a.wasCrash) - Number(b.wasCrash))).toEqual([
      { id: left, wasCrash: false },
      { id: crashed, wasCrash: true },
    ])
    expect(await findRecording(crashed)).toMatchObject({ owner: hub.instance })
  })

  test('begins at once when an instance ends in order', async () => {
    const leaving = new Hub(async () => {}, recorderSettings())
    await hub.start()
    await leaving.start()
    await tick(2)
    await Promise.all([hub.claim(), leaving.claim()]) // those under way would take it
    const id = await recording({ owner: null })
    await leaving.stop()
    await until(() => taken.length === 1)
    expect(taken).toEqual([{ id, wasCrash: false }])
  })

  test('is looked for again later, when other instances have had time to show that they live', async () => {
    await hub.start()
    const id = await recording({ owner: DEAD })
    await tick()
    expect(taken).toEqual([])
    await tick()
    await until(() => taken.length > 0)
    expect(taken).toEqual([{ id, wasCrash: true }])
  })

  test('comes within a second then', async () => {
    await hub.start()
    await tick(2)
    await hub.claim() // one under way would take it
    const id = await recording({ owner: DEAD })
    vi.advanceTimersByTime(1_000)
    await until(() => taken.length > 0)
    expect(taken).toEqual([{ id, wasCrash: true }])
  })

  test('leaves what is recorded here, though its lease has run out', async () => {
    const id = await recording({ owner: hub.instance, leaseUntil: new Date(0) })
    noteRecorder(hub, id)
    await hub.claim()
    expect(taken).toEqual([])
    expect((await findRecording(id))?.leaseUntil?.getTime()).toBeGreaterThan(0)
  })

  test('hands over what it had begun with when the process stops', async () => {
    let open = () => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const told: string[][] = []
    const stopping: Hub = new Hub(async ({ id }) => {
      await gate
      told.push(noteRecorder(stopping, id))
    }, recorderSettings())
    const id = await recording({ owner: null })
    void stopping.claim()
    await until(async () => (await findRecording(id))?.owner === stopping.instance)
    const stopped = stopping.stop()
    open()
    await stopped
    expect(told).toEqual([['shutdown']])
  })

  test('happens once at a time', async () => {
    const first = hub.claim()
    expect(hub.claim()).toBe(first)
    await first
    expect(hub.claim()).not.toBe(first)
    await hub.claim()
  })
})

test('leases are renewed while a recording is in progress, with how far it is', async () => {
  const leaseUntil = new Date(Date.now() + 1_000)
  await hub.start()
  const [own, others] = [await recording({ owner: hub.instance, leaseUntil }), await recording({ leaseUntil })]
  for (const id of [own, others]) {
    noteRecorder(hub, id)
    heldLog(id, { last: 12, totalBytes: 34, phase: 'reconnecting' })
  }
  noteRecorder(hub, randomUUID()) // one that has just ended
  await tick()
  const row = await findRecording(own)
  expect(row).toMatchObject({ entries: 12, bytes: 34, phase: 'reconnecting' })
  expect(row?.leaseUntil?.getTime()).toBeGreaterThan(leaseUntil.getTime())
  expect(await findRecording(others)).toMatchObject({ entries: 0, leaseUntil })
})

test('a recording in progress is packed when there is a block of it', async () => {
  await hub.start()
  const id = await recording({ owner: hub.instance })
  noteRecorder(hub, id)
  const held = heldLog(id, { last: 2, totalBytes: 48 * 1024 })
  await (await db())
    .insert(segments)
    .values([1, 2].map((seq) => ({ recording: id, firstSeq: seq, lastSeq: seq, body: '{}' })))
  await tick()
  await until(() => held.packedBytes > 0)
  const rows = await (await db()).select().from(segments).where(eq(segments.recording, id)).orderBy(segments.firstSeq)
  expect(rows.map(({ packedOn }) => packedOn)).toEqual([weekOf(new Date()), null])
})

test('a stop waits for the recording that is being packed, and not for those that follow', async () => {
  await hub.start()
  const ids = [await recording({ owner: hub.instance }), await recording({ owner: hub.instance })]
  const store = await db()
  for (const id of ids) {
    noteRecorder(hub, id)
    heldLog(id, { last: 2, totalBytes: 48 * 1024 })
    await store
      .insert(segments)
      .values([1, 2].map((seq) => ({ recording: id, firstSeq: seq, lastSeq: seq, body: '{}' })))
  }
  let stopped: Promise<void> | undefined
  await store.transaction(async (other) => {
    await other.execute(sql`lock table console.segments_live in share mode`)
    vi.advanceTimersByTime(TICK_MS)
    await until(async () => {
      const waiting = sql`select from pg_locks where relation = 'console.segments_live'::regclass and not granted
        and database = (select oid from pg_database where datname = current_database())`
      return (await store.execute(waiting)).rows.length > 0
    })
    stopped = hub.stop()
  })
  await stopped
  // A block of an earlier test can still be there: it leaves when the hub looks for expired ones.
  const isPacked = and(inArray(segments.recording, ids), isNotNull(segments.packedOn))
  expect(await store.select({ of: segments.recording }).from(segments).where(isPacked)).toEqual([{ of: ids[0] }])
})

test('what has expired is deleted at the first tick and then once an hour', async () => {
  const old = { phase: 'ended' as const, endedAt: new Date(0), leaseUntil: null }
  await hub.start()
  const first = await recording(old)
  await tick()
  expect(await findRecording(first)).toBeUndefined()
  const second = await recording(old)
  await tick()
  expect(await findRecording(second)).toBeDefined()
  const now = performance.now()
  const later = vi.spyOn(performance, 'now').mockReturnValue(now + 3_600_000)
  await tick()
  later.mockRestore()
  expect(await findRecording(second)).toBeUndefined()
})

describe('memory', () => {
  test('keeps logs that are recorded, watched, or were used a minute ago', async () => {
    await hub.start()
    const [recorded, watched, used, idle] = [1, 2, 3, 4].map(() => heldLog(randomUUID())) as [
      ...[RecordingLog, RecordingLog, RecordingLog, RecordingLog],
    ]
    const old = Date.now()
    noteRecorder(hub, recorded.id)
    const leave = watched.subscribe(() => {})
    vi.setSystemTime(old + 120_000)
    used.usedAt = Date.now() - 50_000
    await tick()
    expect(await Promise.all([recorded, watched, used, idle].map(isHeld))).toEqual([true, true, true, false])
    // A viewer that has just left may come back.
    leave()
    await tick(14)
    expect(await Promise.all([watched, used].map(isHeld))).toEqual([true, false])
    await tick(2)
    expect(await isHeld(watched)).toBe(false)
  })

  const PART = Buffer.alloc(50_000_000)
  const filled = (parts: number, usedAt: number) => {
    const log = heldLog(randomUUID())
    log.fill(Array.from({ length: parts }, (_, index) => ({ first: index + 1, last: index + 1, bytes: PART })))
    log.usedAt = Date.now() + usedAt
    return log
  }
  const partsOf = (logs: RecordingLog[]) => logs.map(({ heldBytes }) => heldBytes / PART.length)

  test('is given back by the logs unread for longest, as much as is too much', async () => {
    await hub.start()
    const logs = [filled(3, -10_000), filled(3, -30_000), filled(2, -20_000)]
    await tick()
    expect(partsOf(logs)).toEqual([3, 0, 2])
    await tick()
    expect(partsOf(logs)).toEqual([3, 0, 2])
  })

  test('is not given back by what the store does not have yet', async () => {
    await hub.start()
    const logs = [filled(3, -30_000), filled(3, -20_000)]
    for (const log of logs) log.stored = log === logs[0] ? 1 : 3
    await tick()
    expect(partsOf(logs)).toEqual([2, 3])
    logs.push(filled(3, -10_000))
    await tick()
    expect(partsOf(logs)).toEqual([2, 0, 3])
  })
})
