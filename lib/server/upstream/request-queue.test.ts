import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AppError } from '@/lib/errors'
import { type Patience, RequestQueue, type RequestRate } from './request-queue'

// With faked time and without jitter, so that the tests can say when each request is sent.

const START = 1_000_000
let sent: [string, number][] = []
const now = () => Date.now() - START
beforeEach(() => {
  vi.useFakeTimers({ now: START })
  vi.spyOn(Math, 'random').mockReturnValue(0)
  // Faked timers leave this module out.
  vi.spyOn(timers, 'setTimeout').mockImplementation((ms, value, { signal } = {}) => {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(resolve, Math.max(1, ms ?? 1), value)
      const leave = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      if (signal?.aborted) leave()
      signal?.addEventListener('abort', leave)
    })
  })
  syncBuiltinESMExports()
  sent = []
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

const queueOf = (patience: Partial<Patience> = {}, limit?: RequestRate) =>
  new RequestQueue({ waitMs: 1_000_000, backOffMs: 1_000, ...patience }, limit)
const tooMany = (retryAfterMs?: number) =>
  new AppError('rate_limited', 'Slow down.', { upstreamStatus: 429, retryAfterMs })

/** Sends a request, which is refused with these errors first. */
async function send(queue: RequestQueue, name: string, refusals: Error[] = [], signal?: AbortSignal) {
  const left = [...refusals]
  const work = async () => {
    sent.push([name, now()])
    const refusal = left.shift()
    if (refusal) throw refusal
    return name
  }
  return await queue.run(work, signal).catch((error: Error) => error)
}
const times = () => sent.map(([, at]) => at)

describe('with a known limit', () => {
  test('as many requests as fit in the window are sent at once, the others in turn when it allows them', async () => {
    const queue = queueOf({}, { count: 2, windowMs: 1_000 })
    const all = ['a', 'b', 'c', 'd', 'e'].map((name) => send(queue, name))
    await vi.runAllTimersAsync()
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd', 'e'])
    expect(sent).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 1_000],
      ['d', 1_000],
      ['e', 2_000],
    ])
  })

  test('a request whose answer takes a while counts from its answer: the server may have got it late', async () => {
    const queue = queueOf({}, { count: 2, windowMs: 1_000 })
    const late = queue.run(() => new Promise((resolve) => setTimeout(resolve, 300)))
    const others = [send(queue, 'b'), send(queue, 'c'), send(queue, 'd')]
    await vi.runAllTimersAsync()
    await Promise.all([late, ...others])
    expect(sent).toEqual([
      ['b', 0],
      ['c', 1_000],
      ['d', 1_300],
    ])
  })

  test('a request counts until its answer, also one that takes longer than the window, and for a window after that', async () => {
    const queue = queueOf({}, { count: 2, windowMs: 1_000 })
    const slow = queue.run(() => new Promise((resolve) => setTimeout(resolve, 2_500)))
    const others = ['b', 'c', 'd', 'e', 'f'].map((name) => send(queue, name))
    await vi.runAllTimersAsync()
    await Promise.all([slow, ...others])
    expect(times()).toEqual([0, 1_000, 2_000, 3_000, 3_500])
  })

  test('while as many requests as fit wait for their answers, no other one is sent', async () => {
    const queue = queueOf({}, { count: 1, windowMs: 1_000 })
    const slow = queue.run(() => new Promise((resolve) => setTimeout(resolve, 2_500)))
    const next = send(queue, 'b')
    await vi.runAllTimersAsync()
    await Promise.all([slow, next])
    expect(times()).toEqual([3_500])
  })

  test('a request counts from when it was sent, and no longer than the window', async () => {
    const queue = queueOf({}, { count: 2, windowMs: 1_000 })
    await send(queue, 'a')
    await vi.advanceTimersByTimeAsync(600)
    await send(queue, 'b')
    const third = send(queue, 'c')
    const fourth = send(queue, 'd')
    await vi.runAllTimersAsync()
    await Promise.all([third, fourth])
    expect(times()).toEqual([0, 600, 1_000, 1_600])
  })

  test('a request that would wait too long fails at once, and says how long', async () => {
    const queue = queueOf({ waitMs: 1_000 }, { count: 1, windowMs: 600 })
    const all = ['a', 'b', 'c'].map((name) => send(queue, name))
    await vi.runAllTimersAsync()
    const [first, second, third] = await Promise.all(all)
    expect([first, second]).toEqual(['a', 'b'])
    expect(third).toMatchObject({ code: 'rate_limited', view: { retryAfterMs: 600 } })
    expect(times()).toEqual([0, 600])
  })

  test('a request that has just enough time waits', async () => {
    const queue = queueOf({ waitMs: 600 }, { count: 1, windowMs: 600 })
    const all = ['a', 'b'].map((name) => send(queue, name))
    await vi.runAllTimersAsync()
    expect(await Promise.all(all)).toEqual(['a', 'b'])
  })

  test('those behind a request whose caller has left are sent without it', async () => {
    const queue = queueOf({}, { count: 1, windowMs: 1_000 })
    const leaving = new AbortController()
    const all = [send(queue, 'a'), send(queue, 'b', [], leaving.signal), send(queue, 'c')]
    await vi.advanceTimersByTimeAsync(500)
    leaving.abort(new Error('left'))
    // At once, not when its turn comes.
    expect(await all[1]).toEqual(new Error('left'))
    await vi.runAllTimersAsync()
    expect(await Promise.all(all)).toEqual(['a', new Error('left'), 'c'])
    expect(sent).toEqual([
      ['a', 0],
      ['c', 1_000],
    ])
    expect(await send(queue, 'd', [], leaving.signal)).toEqual(new Error('left'))
    expect(sent).toHaveLength(2)
  })
})

describe('after a refusal', () => {
  test.each([
    [
      'twice as long each time, when the server names no time',
      [tooMany(), tooMany(), tooMany()],
      [0, 1_000, 3_000, 7_000],
    ],
    ['as long as the server says', [tooMany(5_000)], [0, 5_000]],
    ['no shorter than usual, when the server names a shorter time', [tooMany(10)], [0, 1_000]],
  ])('a request waits %s', async (_, refusals, expected) => {
    const one = send(queueOf(), 'a', refusals)
    await vi.runAllTimersAsync()
    expect(await one).toBe('a')
    expect(times()).toEqual(expected)
  })

  test('a wait grows to thirty seconds at most', async () => {
    const one = send(
      queueOf(),
      'a',
      Array.from({ length: 8 }, () => tooMany()),
    )
    await vi.runAllTimersAsync()
    await one
    const waits = times().map((at, index) => at - (times()[index - 1] ?? 0))
    expect(waits).toEqual([0, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
  })

  test('a wait is a fifth longer at most, so that not all consoles come back at once', async () => {
    vi.mocked(Math.random).mockReturnValue(1)
    const one = send(queueOf(), 'a', [tooMany()])
    await vi.runAllTimersAsync()
    await one
    expect(times()).toEqual([0, 1_200])
  })

  test('later requests wait too, then come one after the other, sooner with each success', async () => {
    const queue = queueOf()
    const all = [send(queue, 'a', [tooMany()]), send(queue, 'b'), send(queue, 'c'), send(queue, 'd')]
    await vi.runAllTimersAsync()
    await Promise.all(all)
    // Half of the wait apart at first, and 70 % of that after each success.
    expect(sent).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 1_000],
      ['d', 1_350],
      ['a', 1_595],
    ])
    const more = Array.from({ length: 8 }, (_, index) => send(queue, `${index}`))
    await vi.runAllTimersAsync()
    await Promise.all(more)
    const end = now()
    await Promise.all([send(queue, 'e'), send(queue, 'f')])
    expect(now()).toBe(end)
  })

  test('the distance of later requests counts from the last one, with a known limit too', async () => {
    const queue = queueOf({}, { count: 10, windowMs: 100_000 })
    await Promise.all([send(queue, 'a'), send(queue, 'b'), send(queue, 'c')])
    const all = [send(queue, 'd', [tooMany()]), send(queue, 'e'), send(queue, 'f'), send(queue, 'g')]
    await vi.runAllTimersAsync()
    await Promise.all(all)
    expect(times()).toEqual([0, 0, 0, 0, 0, 1_000, 1_350, 1_595])
  })

  test('a request that would wait beyond its patience fails with the refusal', async () => {
    const refusal = tooMany(5_000)
    expect(await send(queueOf({ waitMs: 4_999 }), 'a', [refusal])).toBe(refusal)
    const patient = send(queueOf({ waitMs: 5_000 }), 'b', [refusal])
    await vi.runAllTimersAsync()
    expect(await patient).toBe('b')
  })

  test('a success starts the waits over', async () => {
    const queue = queueOf()
    const first = send(queue, 'a', [tooMany(), tooMany()])
    await vi.runAllTimersAsync()
    await first
    await vi.advanceTimersByTimeAsync(60_000)
    sent = []
    const second = send(queue, 'b', [tooMany()])
    await vi.runAllTimersAsync()
    await second
    const [start = 0, retried = 0] = times()
    expect(retried - start).toBe(1_000)
  })

  test.each([
    new Error('broken'),
    new AppError('upstream_failed', 'No.', { upstreamStatus: 500 }),
    Object.assign(new Error('not ours'), { view: { upstreamStatus: 429 } }),
  ])('with another failure (%s) a request is not sent again', async (error) => {
    const queue = queueOf()
    expect(await send(queue, 'a', [error])).toBe(error)
    expect(await send(queue, 'b')).toBe('b')
    expect(sent).toEqual([
      ['a', 0],
      ['b', 0],
    ])
  })
})
