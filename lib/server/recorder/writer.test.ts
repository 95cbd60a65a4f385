import { randomUUID } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { encodeEntries } from '@/lib/stream/entry-text'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { testDatabase } from '@/scripts/testing'
import { db } from '../process/db'
import { type TestConsole, testConsole } from '../testing'
import { type Chunk, decodeChunk } from './log/chunk'
import { recorderSettings } from './log/timing'
import { readSegments } from './segments'
import { drain } from './source/drain'
import { insertRecording } from './store'
import { until } from './testing'
import { Writer } from './writer'

/** More: `DATABASE_FAULTS=10000`. */
const FAULTS = Number(process.env.DATABASE_FAULTS ?? 100)
const FAULTS_MS = 60_000 + FAULTS * 300
/** More is not added, as a recorder reads no more then. */
const MOST_WAITING = 8_000_000
const INSTANCE = 41
let database: Awaited<ReturnType<typeof testDatabase>>
let proxy: Awaited<ReturnType<typeof databaseProxy>>
let console_: TestConsole
let random = 7
const below = (n: number) => {
  random = (random * 1103515245 + 12345) % 2 ** 31
  return Math.floor((random / 2 ** 31) * n)
}

beforeAll(async () => {
  database = await testDatabase()
  proxy = await databaseProxy(database.url)
  console_ = await testConsole({ DATABASE_URL: proxy.url })
})
afterAll(async () => {
  proxy.setDown(false)
  await console_.close()
  await proxy.close()
  await database.drop()
})

afterEach(() => proxy.setDown(false))

async function recording(owner = INSTANCE): Promise<string> {
  const id = randomUUID()
  await insertRecording({
    id,
    workspace: 'tests',
    deployment: 'one',
    assistant: 'agent',
    startedBy: 'ada@example.com',
    request: '{}',
    isStateless: false,
    isResumable: true,
    owner,
  })
  return id
}

/** A recording whose entries contain their own number. */
class Source {
  last = 0
  readonly stored: number[] = []
  constructor(
    readonly id: string,
    readonly writer: Writer,
  ) {}
  add(entries: number, text = ''): void {
    const first = this.last + 1
    this.last += entries
    const list = Array.from({ length: entries }, (_, index) => ({
      at: 1,
      kind: 'event' as const,
      event: 'values',
      data: JSON.stringify({ n: first + index, text }),
    }))
    const chunk: Chunk = { first, last: this.last, bytes: Buffer.from(encodeEntries(first, list)) }
    this.writer.add({ recording: this.id, chunk, lastEventId: null })
  }
  async expectWhole(): Promise<void> {
    const entries = (await readSegments(this.id, 0, Number.MAX_SAFE_INTEGER)).flatMap(decodeChunk)
    expect(entries.map((one) => (one.kind === 'event' ? JSON.parse(one.data).n : one.kind))).toEqual(
      Array.from({ length: this.last }, (_, index) => index + 1),
    )
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: this.last }, (_, index) => index + 1))
  }
}

function writer(lost: string[] = [], sources: Source[] = [], backOff?: { firstMs: number; maxMs: number }) {
  return new Writer(
    INSTANCE,
    {
      onStored: (id, last) => sources.find((one) => one.id === id)?.stored.push(last),
      onLost: (id) => lost.push(id),
      hasOthers: () => false,
    },
    backOff,
  )
}

test(`${FAULTS} lost replies and cut statements lose and repeat nothing`, { timeout: FAULTS_MS }, async () => {
  const lost: string[] = []
  const sources: Source[] = []
  const one = writer(lost, sources, { firstMs: 2, maxMs: 20 })
  for (let i = 0; i < 3; i++) sources.push(new Source(await recording(), one))
  while (proxy.faults() < FAULTS) {
    if (proxy.isQuiet()) proxy.failNext(below(3) === 0 ? 'cut statement' : 'lost reply', 'segments')
    for (let i = below(4); i >= 0 && one.waitingBytes < MOST_WAITING; i--)
      sources[below(3)]?.add(1 + below(5), 'x'.repeat(below(8) === 0 ? 70_000 : below(200)))
    await new Promise((resolve) => setTimeout(resolve, below(6)))
  }
  await Promise.all(sources.map(({ id }) => one.flushed(id)))
  for (const source of sources) {
    await source.expectWhole()
    expect(source.stored).toEqual([...source.stored].sort((a, b) => a - b))
    expect(source.stored.at(-1)).toBe(source.last)
  }
  expect(lost).toEqual([])
})

test('an outage of 3 s loses nothing, and the writer does not hammer the store', async () => {
  const lost: string[] = []
  const sources: Source[] = []
  const one = writer(lost, sources)
  const source = new Source(await recording(), one)
  sources.push(source)
  proxy.setDown(true)
  const before = proxy.attempts()
  const end = Date.now() + 3_000
  while (Date.now() < end) {
    source.add(2)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const attempts = proxy.attempts() - before
  proxy.setDown(false)
  await one.flushed(source.id)
  await source.expectWhole()
  expect(attempts).toBeLessThanOrEqual(10)
  expect(lost).toEqual([])
})

test('reading from upstream pauses while too much waits for the store, and resumes once it has caught up', async () => {
  const sources: Source[] = []
  const one = writer([], sources)
  const source = new Source(await recording(), one)
  sources.push(source)
  expect(one.room()).toBeUndefined()
  proxy.setDown(true)
  for (let megabytes = 0; megabytes < 63; megabytes++) source.add(1, 'x'.repeat(1_000_000))
  expect(one.room()).toBeUndefined()
  source.add(8, 'x'.repeat(1_000_000))
  const room = one.room()
  expect(room).toBeInstanceOf(Promise)

  let reads = 0
  const bytes = Buffer.from(`event: custom\ndata: ${'y'.repeat(5_000)}\n\n`)
  const pull = (controller: ReadableStreamDefaultController) =>
    ++reads > 50 ? controller.close() : controller.enqueue(bytes)
  const drained = drain(new ReadableStream({ pull }, { highWaterMark: 0 }), {
    ...{ onEvents: () => {}, frameRest: () => 0, room: () => one.room(), isRunOver: async () => false },
    signal: new AbortController().signal,
    timing: recorderSettings().timing,
  })
  const attempts = proxy.attempts()
  await until(() => proxy.attempts() >= attempts + 2)
  expect(reads).toBe(1)
  proxy.setDown(false)
  await room
  await drained
  expect(reads).toBe(51)
  await one.flushed(source.id)
  await source.expectWhole()
}, 60_000)

test.each([
  ['53100', 'a full disk'],
  ['25006', 'a read-only server'],
  ['53200', 'a server out of memory'],
  ['40P01', 'a deadlock'],
])('%s, %s, is an outage: waiting entries are written when it is over', async (code) => {
  const lost: string[] = []
  const one = writer(lost)
  const source = new Source(await recording(), one)
  source.add(3)
  await one.flushed(source.id)
  const store = await db()
  await store.execute(
    sql.raw(`create or replace function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no' using errcode = '${code}'; end $$`),
  )
  await store.execute(sql.raw('create trigger refuse before insert on console.segments execute function refuse()'))
  source.add(3)
  source.add(4)
  await new Promise((resolve) => setTimeout(resolve, 100))
  source.add(1)
  await store.execute(sql.raw('drop trigger refuse on console.segments'))
  await one.flushed(source.id)
  await source.expectWhole()
  expect(lost).toEqual([])
})

test('nothing is stored after a chunk that the store refuses, and other recordings continue', async () => {
  const lost: string[] = []
  const one = writer(lost)
  const [bad, good] = [new Source(await recording(), one), new Source(await recording(), one)]
  bad.add(2)
  good.add(2)
  await Promise.all([one.flushed(bad.id), one.flushed(good.id)])
  one.add({ recording: bad.id, chunk: { first: 3, last: 3, bytes: Buffer.from('a\0b') }, lastEventId: null })
  bad.last = 3
  good.add(2)
  bad.add(2)
  await until(() => lost.includes(bad.id))
  bad.add(2)
  good.add(2)
  await Promise.all([one.flushed(bad.id), one.flushed(good.id)])
  const stored = await readSegments(bad.id, 0, Number.MAX_SAFE_INTEGER)
  expect(stored.at(-1)?.last).toBe(2)
  await good.expectWhole()
  expect(lost).toEqual([bad.id])

  // When taken over, it continues from what is stored.
  one.accept(bad.id)
  bad.last = 2
  bad.add(3)
  await one.flushed(bad.id)
  await bad.expectWhole()
})

test('a recording that another instance has taken over is given up', async () => {
  const lost: string[] = []
  const one = writer(lost)
  const source = new Source(await recording(), one)
  source.add(2)
  await one.flushed(source.id)
  await (await db()).execute(sql`update console.recordings set owner = ${INSTANCE + 1} where id = ${source.id}`)
  proxy.failNext('lost reply', 'segments')
  source.add(2)
  await until(() => lost.length > 0)
  expect(lost).toEqual([source.id])
  expect((await readSegments(source.id, 0, Number.MAX_SAFE_INTEGER)).at(-1)?.last).toBe(2)
})
