import { beforeEach, expect, test, vi } from 'vitest'
import { decodeFrame } from '@/lib/live/connection'
import { SseParser } from '@/lib/stream/sse'
import { systemActor } from '../access/actor'
import { RecordingLog } from '../recorder/log/recording-log'
import { RecordingSource } from './recording-source'

const opened = vi.hoisted(() => ({ open: vi.fn() }))
vi.mock('../records/recordings', () => ({ openRecording: opened.open }))

const MOST = 1_000_000
let log: RecordingLog
/** A log with three entries; with `cuts`, as it is after as many crashes. */
function logWith(cuts: number[] = [], entries = 3): RecordingLog {
  const made = new RecordingLog({ id: 'r', workspace: 'w' }, cuts, { phase: 'live', last: 0, totalBytes: 0 })
  for (let n = 1; n <= entries; n++) made.append({ at: n, kind: 'event', event: 'custom', data: `${n}` })
  made.seal()
  return made
}
beforeEach(() => {
  log = logWith()
  opened.open.mockReset().mockImplementation(async () => ({
    log,
    read: (cursor: number, maxBytes: number) => log.read(cursor, maxBytes),
  }))
})

const onNews = vi.fn()
const source = (more: object = {}) =>
  new RecordingSource(
    systemActor('live'),
    { id: 's', workspace: 'w', kind: 'recording', recording: 'r', cursor: 0, ...more },
    () => onNews(),
  )
type Told = { id: string; reset?: true; cursor?: number; epoch: number; phase?: string; seqs?: number[] }
/** What a browser would read. */
const told = (parts: Buffer[]): Told[] =>
  new SseParser().push(Buffer.concat(parts)).map(({ data }) => {
    const frame = decodeFrame(data) as Told & { entries?: Iterable<{ seq: number }> }
    return { ...frame, ...(frame.entries && { seqs: [...frame.entries].map(({ seq }) => seq) }) }
  })
const taken = async (one: RecordingSource) => told(await one.take(MOST))

test('a viewer gets what follows its cursor, then only what is new', async () => {
  const one = source({ cursor: 1 })
  expect(one.hasMore).toBe(true)
  expect(await taken(one)).toMatchObject([{ id: 's', epoch: 0, phase: 'live', seqs: [2, 3] }])
  expect(one.hasMore).toBe(false)
  expect(await taken(one)).toEqual([])
  log.setPhase('reconnecting')
  expect(one.hasMore).toBe(true)
  expect(await taken(one)).toMatchObject([{ phase: 'reconnecting', seqs: [] }])
  log.append({ at: 4, kind: 'event', event: 'custom', data: '4' })
  log.seal()
  expect(await taken(one)).toMatchObject([{ seqs: [4] }])
})

test.each([
  ['of the same count of crashes', { cursor: 2, epoch: 1 }, [5], []],
  ['of before, within what survived', { cursor: 2, epoch: 0 }, [2], [{ reset: true, epoch: 1, cursor: 2 }]],
  ['of before, beyond what survived', { cursor: 3, epoch: 0 }, [2], [{ reset: true, epoch: 1, cursor: 0 }]],
  ['without a count, within what survived', { cursor: 1 }, [1], []],
])('a cursor %s', async (_, given, cuts, resets) => {
  log = logWith(cuts)
  const all = await taken(source(given))
  expect(all.slice(0, -1)).toMatchObject(resets)
  expect(all.filter(({ reset }) => reset)).toHaveLength(resets.length)
  const from = all[0]?.cursor ?? given.cursor
  expect(all.at(-1)?.seqs).toEqual([1, 2, 3].filter((seq) => seq > from))
})

test('a source that is closed while its recording opens follows nothing', async () => {
  const one = source()
  const frames = one.take(MOST)
  one.close()
  expect(await frames).toEqual([])
  expect(log.listeners).toBe(0)
})

test('a source follows its log until it is closed', async () => {
  const one = source()
  await taken(one)
  expect(log.listeners).toBe(1)
  onNews.mockClear()
  log.setPhase('ended')
  expect(onNews).toHaveBeenCalledTimes(1)
  one.close()
  expect(log.listeners).toBe(0)
})

test('a log that is no longer kept up to date is opened once more, from where the viewer is', async () => {
  const one = source()
  await taken(one)
  const before = log
  log = logWith([], 5)
  before.abandon()
  expect(one.hasMore).toBe(true)
  expect(await taken(one)).toMatchObject([{ seqs: [4, 5] }])
  expect([before.listeners, log.listeners]).toEqual([0, 1])
  expect(opened.open).toHaveBeenCalledTimes(2)
})

test('a recording that could not be opened is asked for again', async () => {
  opened.open.mockRejectedValueOnce(new Error('away'))
  const one = source()
  await expect(one.take(MOST)).rejects.toThrow('away')
  expect(await taken(one)).toMatchObject([{ seqs: [1, 2, 3] }])
})

test('an outage is told when nothing else is, and its end as well', async () => {
  const one = source()
  log.setOutage(new Error('away'))
  expect(await taken(one)).toMatchObject([{ seqs: [1, 2, 3] }])
  expect(() => one.take(MOST)).toThrow('away')
  log.setOutage(undefined)
  expect(await taken(one)).toMatchObject([{ phase: 'live', seqs: [] }])
  expect(await taken(one)).toEqual([])
})

test('viewers at the same place of a log share a frame, unless they call it differently', async () => {
  const [one, two, other] = [source(), source(), source({ id: 'other' })]
  const all = async () => [await one.take(MOST), await two.take(MOST), await other.take(MOST)] as const
  await all()
  log.append({ at: 4, kind: 'event', event: 'custom', data: '4' })
  log.seal()
  const [a, b, c] = await all()
  expect(b[0]).toBe(a[0])
  expect(c[0]).not.toBe(a[0])
  expect(told(c)).toMatchObject([{ id: 'other', seqs: [4] }])
  const late = source({ cursor: 2 })
  expect(told(await late.take(MOST))).toMatchObject([{ seqs: [3, 4] }])
  log.setPhase('ended')
  expect(told(await source({ cursor: 3 }).take(MOST))).toMatchObject([{ phase: 'ended', seqs: [4] }])
})
