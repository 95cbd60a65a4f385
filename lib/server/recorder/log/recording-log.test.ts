import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { NewEntry } from '@/lib/stream/entry-text'
import { type Chunk, decodeChunk } from './chunk'
import { RecordingLog } from './recording-log'
import { FRAME_MS } from './timing'

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
afterEach(() => void vi.useRealTimers())

/** A fake `setImmediate` takes this long. */
const IMMEDIATE_MS = 1

const entry = (data: string): NewEntry => ({ at: 1, kind: 'event', event: 'custom', data })
function opened(last = 0) {
  const log = new RecordingLog({ id: 'one', workspace: 'tests' }, [3, 7], { phase: 'live', last, totalBytes: 0 })
  const chunks: Chunk[] = []
  log.onChunk = (chunk) => chunks.push(chunk)
  return { log, chunks }
}
const seqs = (chunks: readonly Chunk[] | undefined) => chunks?.flatMap(decodeChunk).map(({ seq }) => seq)
/** A chunk of these entries, as another instance made it. */
function chunkOf(first: number, ...data: string[]): Chunk {
  const { log, chunks } = opened(first - 1)
  for (const one of data) log.append(entry(one))
  log.seal()
  return chunks[0] as Chunk
}

test('entries of one turn leave together and at once; later ones wait for the frame', async () => {
  const { log, chunks } = opened(4)
  let told = 0
  log.subscribe(() => told++)
  expect([log.append(entry('a')), log.append(entry('b')), log.last, log.epoch]).toEqual([5, 6, 4, 2])
  await Promise.resolve()
  expect([chunks.map(({ first, last }) => [first, last]), log.last, told]).toEqual([[[5, 6]], 6, 1])
  log.append(entry('c'))
  expect(log.frameRest).toBe(FRAME_MS - 2)
  log.sealDue()
  await vi.advanceTimersByTimeAsync(FRAME_MS - 3)
  log.append(entry('d'))
  expect(chunks).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(log.frameRest).toBe(0)
  log.sealDue()
  expect(chunks.map(({ first, last }) => [first, last])).toEqual([
    [5, 6],
    [7, 8],
  ])
  await vi.advanceTimersByTimeAsync(1_000)
  log.seal()
  expect([chunks.length, told]).toEqual([2, 2])
  log.append(entry('e'))
  await Promise.resolve()
  expect(chunks).toHaveLength(3)
})

test('a clock that is set back holds up no frame', async () => {
  const { log, chunks } = opened()
  log.append(entry('a'))
  await Promise.resolve()
  vi.setSystemTime(Date.now() - 3_600_000)
  log.append(entry('b'))
  await vi.advanceTimersByTimeAsync(FRAME_MS + IMMEDIATE_MS)
  expect(chunks).toHaveLength(2)
})

test('a frame that is not sent early leaves on its own', async () => {
  const { log, chunks } = opened()
  log.append(entry('a'))
  await Promise.resolve()
  log.append(entry('b'))
  await vi.advanceTimersByTimeAsync(FRAME_MS - 1)
  expect(chunks).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1 + IMMEDIATE_MS)
  expect(chunks).toHaveLength(2)
})

test('what a read brings leaves with the frame that is due in the same turn', async () => {
  vi.useRealTimers()
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const [other] = (await once(server, 'connection')) as [Socket]
  await new Promise((sent) => other.write('c', sent)) // waits in the kernel
  const { log, chunks } = opened()
  log.append(entry('a'))
  await Promise.resolve()
  log.append(entry('b'))
  const read = () =>
    socket.once('data', (bytes) => {
      log.append(entry(String(bytes)))
      log.sealDue()
    })
  setTimeout(read, log.frameRest)
  const until = performance.now() + FRAME_MS * 2
  while (performance.now() < until); // a busy turn, after which the read and the frame are both due
  await vi.waitFor(() => expect(log.last).toBe(3))
  expect(chunks.map(({ first, last }) => [first, last])).toEqual([
    [1, 1],
    [2, 3],
  ])
  socket.destroy()
  server.close()
})

test('a burst becomes several chunks', () => {
  const { log, chunks } = opened()
  for (let n = 0; n < 5; n++) log.append(entry('x'.repeat(50_000)))
  expect(chunks.map(({ first, last }) => [first, last])).toEqual([[1, 3]])
})

test('reading from any cursor gives the rest, about as much as was asked for, and nothing at the end', () => {
  const { log } = opened(10)
  for (let n = 0; n < 8; n++) {
    log.append(entry('x'.repeat(40_000)))
    log.seal()
  }
  expect(log.read(18, 1e9)).toEqual([])
  expect(log.read(99, 1e9)).toEqual([])
  expect([log.firstHeld, log.read(9, 1e9)]).toEqual([11, undefined])
  for (let cursor = 10; cursor < 18; cursor++) {
    const own: number[] = []
    for (let at = cursor; at < 18; at = own.at(-1) ?? 18)
      own.push(...(seqs(log.read(at, 1)) ?? []).filter((seq) => seq > at))
    expect(own).toEqual(Array.from({ length: 18 - cursor }, (_, n) => cursor + 1 + n))
  }
  expect(log.read(10, 1)).toHaveLength(1)
  expect(log.totalBytes).toBeGreaterThan(320_000)
  expect(log.heldBytes).toBeGreaterThanOrEqual(log.totalBytes)
})

test('only stored segments leave the memory, the oldest first', () => {
  const { log } = opened()
  for (let n = 0; n < 12; n++) {
    log.append(entry('x'.repeat(30_000)))
    log.seal()
  }
  expect(log.evict()).toBe(0)
  log.stored = 5
  const held = log.heldBytes
  const freed = log.evict()
  expect(freed).toBeGreaterThan(30_000)
  expect(log.heldBytes).toBe(held - freed)
  expect([log.firstHeld > 1, log.read(0, 1)]).toEqual([true, undefined])
  while (log.evict() > 0);
  expect(log.firstHeld).toBeLessThanOrEqual(6)
  expect(opened().log.evict()).toBe(0)
})

test('chunks of another instance are taken once, in order, and numbers go on after them', () => {
  const { log } = opened()
  let told = 0
  log.subscribe(() => told++)
  expect(log.adopt(chunkOf(1, 'a', 'b'))).toBe(true)
  expect([log.adopt(chunkOf(4, 'd')), log.last]).toEqual([false, 2])
  expect(log.adopt(chunkOf(1, 'a', 'b', 'c'))).toBe(true)
  expect(log.adopt(chunkOf(2, 'b'))).toBe(true)
  expect([seqs(log.read(0, 1e9)), log.stored, told]).toEqual([[1, 2, 3], 3, 2])
  expect(log.append(entry('d'))).toBe(4)
})

test('a log that is filled from the store has that and goes on after it; an older one changes nothing', () => {
  const { log } = opened(2)
  log.fill([chunkOf(1, 'a')])
  expect([log.last, log.firstHeld]).toEqual([2, 3])
  log.fill([chunkOf(1, 'a', 'b'), chunkOf(3, 'c')])
  expect([log.last, log.stored, log.firstHeld, seqs(log.read(0, 1e9))]).toEqual([3, 3, 1, [1, 2, 3]])
  expect([log.heldBytes, log.totalBytes > 0, log.append(entry('d'))]).toEqual([log.totalBytes, true, 4])
})

test('listeners hear of phases and of the end, until they leave', () => {
  const { log } = opened()
  let told = 0
  const leave = log.subscribe(() => told++)
  log.setPhase('live')
  log.setPhase('reconnecting')
  expect([told, log.phase, log.listeners, log.isAbandoned]).toEqual([1, 'reconnecting', 1, false])
  log.abandon()
  expect([told, log.isAbandoned]).toEqual([2, true])
  vi.advanceTimersByTime(500)
  leave()
  log.setPhase('live')
  expect([told, log.listeners, log.usedAt]).toEqual([2, 0, 1_000_500])
})
