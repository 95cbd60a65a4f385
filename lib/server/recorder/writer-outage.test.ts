import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { db } from '../process/db'
import { log } from '../process/log'
import { type TestConsole, testConsole } from '../testing'
import { readSegments } from './segments'
import { insertRow, until } from './testing'
import { Writer } from './writer'

const INSTANCE = 41
const BACK_OFF = { firstMs: 20, maxMs: 160 }
let console_: TestConsole
let warnings: string[]
let infos: string[]
/** What the writer waits for, in order; other waits of this process are longer. */
let waits: number[]
beforeAll(async () => {
  console_ = await testConsole()
  await (await db()).execute(sql`create function away() returns trigger language plpgsql as
    $$ begin raise exception 'the database system is shutting down' using errcode = '57P03'; end $$`)
})
beforeEach(() => {
  // The clock stands still, so that each wait is exactly what was asked for.
  vi.useFakeTimers({ toFake: ['performance'] })
  warnings = []
  infos = []
  waits = []
  vi.spyOn(log, 'warn').mockImplementation((event) => void warnings.push(event))
  vi.spyOn(log, 'info').mockImplementation((event) => void infos.push(event))
  const { setTimeout } = globalThis
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms?: number, ...more: never[]) => {
    if (ms && ms >= BACK_OFF.firstMs && ms <= BACK_OFF.maxMs) waits.push(ms)
    return setTimeout(work, ms, ...more)
  }) as never)
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})
afterAll(() => console_.close())

const goAway = async () =>
  (await db()).execute(sql`create trigger away before insert on console.segments for each row execute function away()`)
const comeBack = async () => (await db()).execute(sql`drop trigger away on console.segments`)
function writing() {
  const lost: string[] = []
  const callbacks = { onStored: () => {}, onLost: (id: string) => void lost.push(id), hasOthers: () => false }
  const one = new Writer(INSTANCE, callbacks, BACK_OFF)
  const add = (recording: string, first: number) =>
    one.add({ recording, chunk: { first, last: first, bytes: Buffer.from('x') }, lastEventId: null })
  return { one, add, lost }
}

test('a store that is away is tried again after ever longer pauses, and logged once until it is back', async () => {
  const id = await insertRow({ owner: INSTANCE })
  const { one, add, lost } = writing()
  const failed = () => warnings.filter((event) => event === 'recorder.write_failed').length
  for (const outage of [1, 2]) {
    await goAway()
    waits.length = 0
    add(id, outage)
    await until(() => waits.length === 5)
    expect(waits).toEqual([20, 40, 80, 160, 160])
    expect(failed()).toBe(outage)
    await comeBack()
    await one.flushed(id)
    expect(infos.filter((event) => event === 'recorder.write_resumed')).toHaveLength(outage)
  }
  expect((await readSegments(id, 0, 1e9)).map(({ first }) => first)).toEqual([1, 2])
  expect(lost).toEqual([])
})

test('a long outage is logged again and again, but not with each attempt', async () => {
  const id = await insertRow({ owner: INSTANCE })
  const { one, add } = writing()
  const failed = () => warnings.filter((event) => event === 'recorder.write_failed').length
  await goAway()
  add(id, 1)
  await until(() => waits.length === 2)
  expect(failed()).toBe(1)
  vi.advanceTimersByTime(10_000)
  await until(() => failed() === 2)
  await comeBack()
  await one.flushed(id)
})
