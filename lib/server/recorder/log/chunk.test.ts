import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { EntryPrinter, type NewEntry } from '@/lib/stream/entry-text'
import { type Chunk, chunkAfter, decodeChunk, joinChunks, joinNeighbours, LogMemory } from './chunk'
import { RecordingLog } from './recording-log'

const data = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '{"seq":3,"at":1}',
    '"},{"seq":4,',
    ',\u001e3\u001f',
    'a\u001fb',
    '1,{"seq":2,',
    '\u0000',
    '\ud800',
    '🚢',
  ),
)
const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom('custom', 'messages') }, { weight: 1, arbitrary: data })
const ids = fc.constantFrom('7', '8', '9', '10', '007', '-1', '0', '1e3', '9007199254740991', '5-0')
const id = fc.oneof({ weight: 4, arbitrary: ids }, { weight: 1, arbitrary: data })
const entry: fc.Arbitrary<NewEntry> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record(
      { at: fc.nat(1), kind: fc.constant('event' as const), event: name, id, data: fc.oneof(data, fc.constant('1')) },
      { requiredKeys: ['at', 'kind', 'event', 'data'] },
    ),
  },
  fc.record({ at: fc.nat(), kind: fc.constant('gap' as const), since: fc.nat(), reason: data, state: data }),
)

test('entries after any cursor are found by their bytes, whatever the data contains, and read back unchanged', () => {
  // Up to here the recording was written by an earlier console, as plain JSON.
  const older = (seq: number, one: NewEntry) => `{"seq":${seq},${JSON.stringify(one).slice(1)}`
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 12 }), fc.nat(13), fc.nat(3), (entries, cursor, old) => {
      const printer = new EntryPrinter()
      const newer = (seq: number, one: NewEntry) => printer.print(seq, one)
      const texts = entries.map((one, index) => (index < old ? older : newer)(index + 1, one))
      const bytes = Buffer.from(texts.join(','))
      const all = { first: 1, last: entries.length, bytes }
      const rest = chunkAfter(all, cursor)
      const read = rest ? decodeChunk({ first: cursor + 1, last: all.last, bytes: rest }) : []
      expect(read).toEqual(entries.map((one, index) => ({ seq: index + 1, ...one })).slice(cursor))
    }),
    { numRuns: 1000 },
  )
})

test('a burst is stored in little more than its data, and reads the same from any cursor', () => {
  const log = new RecordingLog({ id: 'r', workspace: 'tests' }, [], { phase: 'live', last: 0, totalBytes: 0 })
  const events = Array.from({ length: 500 }, (_, index) => ({
    at: 1_700_000_000_000,
    kind: 'event' as const,
    event: 'custom',
    id: String(index + 8),
    data: '{"n":1}',
  }))
  for (const one of events) log.append(one)
  log.seal()
  expect(log.totalBytes).toBeLessThan(500 * (7 + 4) + 40)
  const [chunk] = log.read(0, 1e9) ?? []
  for (const cursor of [0, 1, 2, 250, 499]) {
    const bytes = chunk && chunkAfter(chunk, cursor)
    expect(bytes && decodeChunk({ first: cursor + 1, last: 500, bytes })).toEqual(
      events.map((one, index) => ({ seq: index + 1, ...one })).slice(cursor),
    )
  }
})

const numbers = (log: RecordingLog, cursor: number, max: number) => {
  const seqs: number[] = []
  for (let at = cursor; ; ) {
    const chunks = log.read(at, max)
    if (!chunks?.length) return chunks && seqs
    const joined = joinChunks(chunks)
    const bytes = chunkAfter(joined, at)
    if (bytes) seqs.push(...decodeChunk({ ...joined, bytes }).map(({ seq }) => seq))
    at = joined.last
  }
}

test('a log returns every entry once from any cursor, across segments and page sizes', () => {
  const log = new RecordingLog({ id: 'r', workspace: 'tests' }, [], { phase: 'live', last: 0, totalBytes: 0 })
  for (let i = 0; i < 3000; i++) {
    log.append({ at: 1, kind: 'event', event: 'custom', data: 'x'.repeat(i % 700) })
    if (i % 7 === 0) log.seal()
  }
  log.seal()
  const all = Array.from({ length: 3000 }, (_, index) => index + 1)
  for (const cursor of [0, 1, 6, 7, 1499, 2999, 3000, 4000])
    for (const max of [1, 5000, 1e9]) expect(numbers(log, cursor, max)).toEqual(all.slice(cursor))
})

test('forgotten entries are not readable, and entries not yet stored are not forgotten', () => {
  const log = new RecordingLog({ id: 'r', workspace: 'tests' }, [], { phase: 'live', last: 0, totalBytes: 0 })
  for (let i = 0; i < 2000; i++) {
    log.append({ at: 1, kind: 'event', event: 'custom', data: 'x'.repeat(1000) })
    if (i % 10 === 9) log.seal()
  }
  expect(log.evict()).toBe(0)
  log.stored = 1000
  while (log.evict() > 0);
  expect(log.firstHeld).toBeGreaterThan(500)
  expect(log.firstHeld).toBeLessThanOrEqual(1001)
  expect(log.read(0, 1)).toBeUndefined()
  expect(numbers(log, log.firstHeld - 1, 1e6)).toHaveLength(2000 - log.firstHeld + 1)
})

test('an event after a pause is sent at once, a burst at most once a frame', async () => {
  const log = new RecordingLog({ id: 'r', workspace: 'tests' }, [], { phase: 'live', last: 0, totalBytes: 0 })
  let told = 0
  log.subscribe(() => told++)
  const one = { at: 1, kind: 'event', event: 'custom', data: '1' } as const
  log.append(one)
  await Promise.resolve()
  expect(told).toBe(1)
  for (let i = 0; i < 10; i++) log.append(one)
  await Promise.resolve()
  expect(log.last).toBe(1)
  await new Promise<void>((resolve) => log.subscribe(resolve))
  expect([told, log.last]).toEqual([2, 11])
})

const text = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 2000 }),
  fc.constantFrom('\ud800', '🚢'.repeat(900), 'x'.repeat(40_000), 'y'.repeat(200_000)),
)
const chunksOf = (contents: readonly (string | Buffer)[]): Chunk[] => {
  const memory = new LogMemory()
  return contents.map((one, index) => ({ first: index + 1, last: index + 1, bytes: memory.keep(one) }))
}

test('what a log keeps stays the same, and is joined with commas, whatever is kept after it', () => {
  const content = fc.oneof(
    text,
    text.map((one) => Buffer.from(one)),
  )
  fc.assert(
    fc.property(fc.array(content, { minLength: 1, maxLength: 40 }), fc.nat(39), (contents, from) => {
      const chunks = chunksOf(contents)
      const texts = contents.map((one) => Buffer.from(one).toString())
      expect(chunks.map(({ bytes }) => bytes.toString())).toEqual(texts)
      const some = chunks.slice(from % chunks.length)
      expect(joinChunks(some).bytes.toString()).toBe(texts.slice(from % chunks.length).join(','))
      const joined = joinNeighbours(some)
      expect(joined.map(({ bytes }) => bytes.toString()).join(',')).toBe(texts.slice(from % chunks.length).join(','))
      expect([joined[0]?.first, joined.at(-1)?.last]).toEqual([some[0]?.first, chunks.length])
    }),
  )
})

test('neighbours in the memory of a log are joined without a copy, others never', () => {
  const small = chunksOf(['a', 'b', 'c'])
  const [joined, ...more] = joinNeighbours(small)
  expect([joined?.bytes.toString(), more]).toEqual(['a,b,c', []])
  expect(joined?.bytes.buffer).toBe(small[0]?.bytes.buffer)
  expect(joinNeighbours(chunksOf(['a', 'x'.repeat(100_000), 'b'])).map(({ first, last }) => [first, last])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ])
  // In Node's pool others may write what lies between two of them.
  const pool = Buffer.from('a,b')
  const apart = [1, 2].map((seq) => ({ first: seq, last: seq, bytes: pool.subarray(2 * seq - 2, 2 * seq - 1) }))
  expect(joinNeighbours(apart)).toEqual(apart)
  expect(joinChunks(apart).bytes.toString()).toBe('a,b')
})

test('memory of logs that nobody holds any more is freed, also by another copy of this module', async () => {
  vi.resetModules()
  const { freeUnused } = await import('./chunk')
  const used = () => process.memoryUsage().arrayBuffers
  const before = used()
  const contents = Array.from({ length: 1000 }, () => Buffer.alloc(16_000))
  for (let megabytes = 0; megabytes < 1_000; megabytes += 16) {
    chunksOf(contents)
    freeUnused(0)
    await new Promise(setImmediate)
  }
  expect(used() - before).toBeLessThan(400e6)
})

test('a chunk that begins after the cursor is whole, and one that lacks the next entry is refused', () => {
  const bytes = Buffer.from('{"seq":5,"at":1},{"seq":7,"at":1}')
  expect(chunkAfter({ first: 5, last: 7, bytes }, 2)).toBe(bytes)
  expect(chunkAfter({ first: 5, last: 7, bytes }, 7)).toBeUndefined()
  expect(() => chunkAfter({ first: 5, last: 7, bytes }, 5)).toThrow('Entry 6 is missing in the chunk 5-7.')
})

test('chunks are joined as the store joins their texts', () => {
  const chunk = (seq: number) => ({ first: seq, last: seq, bytes: Buffer.from(`{"seq":${seq},"at":1}`) })
  expect(joinChunks([1, 2, 3].map(chunk)).bytes.toString()).toBe('{"seq":1,"at":1},{"seq":2,"at":1},{"seq":3,"at":1}')
})

test('the rest of a chunk from an entry that is whole is not copied', () => {
  const printer = new EntryPrinter()
  const one = (data: string): NewEntry => ({ at: 1, kind: 'gap', since: 1, reason: data })
  const bytes = Buffer.from([1, 2, 3].map((seq) => printer.print(seq, one(`${seq}`))).join(','))
  const rest = chunkAfter({ first: 1, last: 3, bytes }, 1)
  expect(rest?.buffer).toBe(bytes.buffer)
  expect(rest?.byteOffset).toBeGreaterThan(bytes.byteOffset)
})
