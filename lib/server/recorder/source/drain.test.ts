import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { SseEvent } from '@/lib/stream/sse'
import { recorderSettings } from '../log/timing'
import { drain } from './drain'

const { timing } = recorderSettings({ quietMs: 20_000, heartbeatMinMs: 6_000, heartbeatMaxMs: 30_000, watchMs: 1_000 })
const bytes = (text: string) => new TextEncoder().encode(text)

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A stream that the test feeds, and what became of it. */
function drained(more: Partial<Parameters<typeof drain>[1]> = {}) {
  let source!: ReadableStreamDefaultController<Uint8Array>
  const cancelled: unknown[] = []
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      source = controller
    },
    cancel: (reason) => void cancelled.push(reason),
  })
  const heard: SseEvent[] = []
  const abort = new AbortController()
  let ending: unknown
  const end = drain(body, {
    onEvents: (events) => heard.push(...events),
    frameRest: () => 0,
    room: () => undefined,
    isRunOver: async () => false,
    signal: abort.signal,
    timing,
    ...more,
  }).then((how) => {
    ending = how
  })
  return { source, heard, abort, end, cancelled, ending: () => ending, datas: () => heard.map(({ data }) => data) }
}
const tick = (ms = 0) => vi.advanceTimersByTimeAsync(ms)

test('events are passed on as they come, until the server closes the stream', async () => {
  const { source, datas, ending } = drained()
  source.enqueue(bytes('data: a\n\ndata: b'))
  await tick()
  expect([datas(), ending()]).toEqual([['a'], undefined])
  source.enqueue(bytes('c\n\n'))
  source.close()
  await tick()
  expect([datas(), ending()]).toEqual([['a', 'bc'], { how: 'closed' }])
  expect(vi.getTimerCount()).toBe(0)
})

test('a broken connection has its reason, from the innermost cause that has words', async () => {
  for (const [error, reason] of [
    [new Error('terminated'), 'The connection broke (terminated).'],
    [
      new TypeError('terminated', { cause: new Error('other side closed') }),
      'The connection broke (other side closed).',
    ],
    [new TypeError('terminated', { cause: new Error('') }), 'The connection broke (terminated).'],
    [new TypeError('terminated', { cause: 'text' }), 'The connection broke (terminated).'],
    ['text', 'The connection broke (unknown error).'],
  ] as const) {
    const { source, ending } = drained()
    source.error(error)
    await tick()
    expect(ending()).toEqual({ how: 'broken', reason })
  }
})

test('an event that is too large is refused, not read again', async () => {
  const { source, ending, cancelled } = drained({
    onEvents: () => {
      throw Object.assign(new Error('An event is too large.'), { name: 'SseTooLargeError' })
    },
  })
  source.enqueue(bytes('data: a\n\n'))
  await tick()
  expect(ending()).toEqual({ how: 'refused', reason: 'An event is too large.' })
  expect(cancelled).toEqual(['refused'])
})

test('a reader that is stopped ends at once, also before it began and while it waits', async () => {
  const silent = drained()
  await tick()
  silent.abort.abort()
  await tick()
  expect([silent.ending(), silent.cancelled]).toEqual([{ how: 'stopped' }, ['stopped']])

  const abort = new AbortController()
  abort.abort()
  const late = drained({ signal: abort.signal })
  await tick()
  expect([late.ending(), late.cancelled]).toEqual([{ how: 'stopped' }, ['stopped']])

  const paused = drained({ frameRest: () => 50_000 })
  paused.source.enqueue(bytes('data: a\n\n'))
  await tick()
  paused.abort.abort()
  await tick()
  expect([paused.ending(), paused.datas()]).toEqual([{ how: 'stopped' }, ['a']])
  expect(vi.getTimerCount()).toBe(0)
})

test('a trickle gathers until the frame is sent, a larger read is followed at once', async () => {
  const { source, datas } = drained({ frameRest: () => 30 })
  source.enqueue(bytes('data: a\n\n'))
  await tick()
  source.enqueue(bytes('data: b\n\n'))
  await tick(29)
  expect(datas()).toEqual(['a'])
  await tick(1)
  expect(datas()).toEqual(['a', 'b'])
  await tick(30)
  source.enqueue(bytes(`data: ${'x'.repeat(4_096)}\n\n`))
  source.enqueue(bytes('data: d\n\n'))
  await tick()
  expect(datas().at(-1)).toBe('d')
})

test('nothing more is read while the store is full', async () => {
  let open = () => {}
  let isFull = true
  const { source, datas } = drained({
    room: () => (isFull ? new Promise<void>((resolve) => (open = resolve)) : undefined),
  })
  source.enqueue(bytes('data: a\n\n'))
  source.enqueue(bytes('data: b\n\n'))
  await tick(60_000)
  expect(datas()).toEqual(['a'])
  isFull = false
  open()
  await tick()
  expect(datas()).toEqual(['a', 'b'])
})

/** A source that the test answers read by read. */
function sourced(more: Partial<Parameters<typeof drain>[1]> = {}) {
  const takes: ((bytes: Uint8Array | undefined, failure?: unknown) => void)[] = []
  const cancels: unknown[] = []
  const source = {
    read: (take: (typeof takes)[number]) => takes.push(take),
    cancel: (how: unknown) => cancels.push(how),
  }
  const body = Object.assign(new ReadableStream<Uint8Array>(), { source })
  const calls: string[][] = []
  const abort = new AbortController()
  const end = drain(body, {
    onEvents: (events) => calls.push(events.map(({ data }) => data)),
    ...{ frameRest: () => 0, room: () => undefined, isRunOver: async () => false, signal: abort.signal, timing },
    ...more,
  })
  return { takes, cancels, calls, abort, end }
}

test('after the end nothing more is taken or read, whatever still comes, and the stream is closed once', async () => {
  const { takes, cancels, calls, abort, end } = sourced()
  takes[0]?.(bytes('data: a\n\n'))
  expect(takes).toHaveLength(2) // without any pause
  abort.abort()
  for (const late of [bytes('data: b\n\n'), undefined]) takes[1]?.(late)
  takes[1]?.(undefined, new Error('late'))
  expect(await end).toEqual({ how: 'stopped' })
  expect([calls, takes.length, cancels]).toEqual([[['a']], 2, ['stopped']])
})

test('a reader that is stopped while the store is full, or while it handles events, reads no more', async () => {
  let open = () => {}
  const full = sourced({ room: () => new Promise<void>((resolve) => (open = resolve)), frameRest: () => 50 })
  full.takes[0]?.(bytes('data: a\n\n'))
  full.abort.abort()
  open()
  await tick(1_000)
  expect([full.takes.length, vi.getTimerCount()]).toEqual([1, 0])

  const busy = sourced({ onEvents: () => busy.abort.abort(), frameRest: () => 50 })
  busy.takes[0]?.(bytes('data: a\n\n'))
  await tick(1_000)
  expect([busy.takes.length, busy.cancels, vi.getTimerCount()]).toEqual([1, ['stopped'], 0])
})

test('half an event is no event, and exactly four kilobytes are no trickle', () => {
  const { takes, calls, abort } = sourced({ frameRest: () => 30 })
  takes[0]?.(bytes('data: '.padEnd(4_096, 'x')))
  expect([calls, takes.length]).toEqual([[], 2])
  takes[1]?.(bytes('\n\n'))
  expect([calls.length, takes.length]).toEqual([1, 2])
  abort.abort()
})

describe('silence', () => {
  test('is broken by missing heartbeats, three of the longest pause between two', async () => {
    const { source, ending } = drained()
    for (const pause of [0, 2_000, 5_000]) {
      await tick(pause)
      source.enqueue(bytes(': ping\n\n'))
    }
    await tick(15_000)
    expect(ending()).toBeUndefined()
    await tick(1_000)
    expect(ending()).toEqual({ how: 'broken', reason: "The server's heartbeats stopped for 16 s." })
  })

  test.each([
    [100, 7],
    [20_000, 31],
  ])('with a heartbeat every %i ms is broken after %i s', async (pause, seconds) => {
    const { source, ending } = drained()
    source.enqueue(bytes(': ping\n\n'))
    await tick(pause)
    source.enqueue(bytes(': ping\n\n'))
    await tick((seconds - 1) * 1_000)
    expect(ending()).toBeUndefined()
    await tick(1_000)
    expect(ending()).toMatchObject({ how: 'broken' })
  })

  test('without heartbeats asks for the run, less and less often, and again after an event', async () => {
    const asked: number[] = []
    const { source, ending, abort } = drained({
      isRunOver: async () => {
        asked.push(Date.now() - 1_000_000)
        return false
      },
    })
    source.enqueue(bytes(': only one\n\n'))
    await tick(200_000)
    expect(asked.slice(0, 4)).toEqual([21_000, 41_000, 81_000, 82_000])
    const before = asked.length
    source.enqueue(bytes('data: a\n\n'))
    await tick(20_000)
    expect(asked).toHaveLength(before)
    await tick(1_000)
    expect(asked).toHaveLength(before + 1)
    expect(ending()).toBeUndefined()
    abort.abort()
    await tick()
  })

  test('of a run that is over closes the stream; a question that fails or takes long changes nothing', async () => {
    const over = drained({ isRunOver: async () => true })
    await tick(21_000)
    expect([over.ending(), over.cancelled]).toEqual([{ how: 'closed' }, ['closed']])

    let asked = 0
    const failing = drained({
      isRunOver: () => {
        asked++
        return Promise.reject(new Error('no answer'))
      },
    })
    await tick(45_000)
    expect([asked, failing.ending()]).toEqual([2, undefined])
    failing.abort.abort()

    let slow = 0
    const waiting = drained({
      isRunOver: () => {
        slow++
        return new Promise(() => {})
      },
    })
    await tick(300_000)
    expect([slow, waiting.ending()]).toEqual([1, undefined])
    waiting.abort.abort()
    await tick()
  })
})
