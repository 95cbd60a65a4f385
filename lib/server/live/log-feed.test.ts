import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { LogLine, LogsPage } from '@/lib/contracts/deployments/logs'
import { AppError } from '@/lib/errors'
import { LOG_WINDOW, LogFeed } from './log-feed'

const TIMING = { busyMs: 10, quietMs: 20, errorMaxMs: 20, lingerMs: 60 }

/** A log that pages by position, ten lines a page, and can be made to fail. */
function scriptedLog(count: number) {
  const log = { count, asked: [] as (string | undefined)[], failure: undefined as Error | undefined }
  const read = async (offset: string | undefined): Promise<LogsPage> => {
    log.asked.push(offset)
    if (log.failure) throw log.failure
    const from = Number(offset ?? 0)
    const size = Math.max(0, Math.min(10, log.count - from))
    const logs = Array.from({ length: size }, (_, index) => ({ id: from + index, message: `line ${from + index}` }))
    return { logs, next_offset: size > 0 ? String(from + size) : null }
  }
  return { log, read }
}
const linesOf = (feed: LogFeed, cursor = 0) => JSON.parse(`[${feed.read(cursor, Infinity).json}]`) as LogLine[]

test('reads a log once for all subscribers, and then reads new lines', async () => {
  const { log, read } = scriptedLog(35)
  const feed = new LogFeed(read, () => {}, TIMING)
  const ends = [feed.subscribe(() => {}), feed.subscribe(() => {})]
  await expect.poll(() => feed.phase).toBe('live')
  expect(log.asked.slice(0, 5)).toEqual([undefined, '10', '20', '30', '35'])
  log.count = 47
  await expect.poll(() => feed.last).toBe(47)
  expect(linesOf(feed).map(({ message }) => message)).toEqual(Array.from({ length: 47 }, (_, n) => `line ${n}`))
  expect(linesOf(feed, 45).map(({ seq }) => seq)).toEqual([46, 47])
  for (const end of ends) end()
})

test('drops the oldest lines beyond its window, and line numbers continue', async () => {
  const { read } = scriptedLog(55)
  const feed = new LogFeed(read, () => {}, TIMING, { ...LOG_WINDOW, lines: 20 })
  const end = feed.subscribe(() => {})
  await expect.poll(() => feed.phase).toBe('live')
  expect([feed.first, feed.last]).toEqual([36, 55])
  expect(linesOf(feed).map(({ seq }) => seq)).toEqual(Array.from({ length: 20 }, (_, n) => 36 + n))
  end()
})

test('reports a read error once, keeps its lines, and recovers', async () => {
  const { log, read } = scriptedLog(5)
  const feed = new LogFeed(read, () => {}, TIMING)
  let told = 0
  const end = feed.subscribe(() => told++)
  await expect.poll(() => feed.last).toBe(5)
  log.failure = new AppError('upstream_unreachable', 'No response.')
  await expect.poll(() => feed.problem?.message).toBe('No response.')
  const toldBefore = told
  const asked = log.asked.length
  await expect.poll(() => log.asked.length).toBeGreaterThan(asked + 2)
  expect(told).toBe(toldBefore)
  expect(linesOf(feed)).toHaveLength(5)
  log.failure = new AppError('upstream_failed', 'Status 500.')
  await expect.poll(() => feed.problem?.message).toBe('Status 500.')
  expect(told).toBe(toldBefore + 1)
  log.failure = undefined
  log.count = 6
  await expect.poll(() => feed.last).toBe(6)
  expect([feed.phase, feed.problem]).toEqual(['live', undefined])
  end()
})

test('survives a change of subscriptions, and ends when no subscriber returns', async () => {
  const { log, read } = scriptedLog(3)
  let isIdle = false
  const onIdle = () => {
    isIdle = true
  }
  const feed = new LogFeed(read, onIdle, TIMING)
  feed.subscribe(() => {})()
  await new Promise((resolve) => setTimeout(resolve, 20))
  const end = feed.subscribe(() => {})
  await new Promise((resolve) => setTimeout(resolve, 80))
  expect(isIdle).toBe(false)
  end()
  await expect.poll(() => isIdle).toBe(true)
  const asked = log.asked.length
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(log.asked.length).toBe(asked)
})

describe('with a clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const timing = { busyMs: 1_000, quietMs: 6_000, errorMaxMs: 5_000, lingerMs: 20_000 }
  function timed(count: number, window = LOG_WINDOW) {
    const { log, read } = scriptedLog(count)
    const times: number[] = []
    const feed = new LogFeed(
      (offset) => {
        times.push(Date.now() - 1_000_000)
        return read(offset)
      },
      () => {},
      timing,
      window,
    )
    return { log, times, feed }
  }

  test('a log is read less often the longer it stays silent, up to a bound', async () => {
    const { log, times, feed } = timed(5)
    const end = feed.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(30_000)
    // Two pages at once, then every second until a tenth of the silence is longer.
    expect(times.slice(0, 4)).toEqual([0, 0, 1_000, 2_000])
    const silent = times.filter((time) => time > 10_000)
    for (const [index, time] of silent.entries())
      if (index > 0) expect(time - (silent[index - 1] ?? 0)).toBe(Math.floor((silent[index - 1] ?? 0) / 10))
    await vi.advanceTimersByTimeAsync(100_000)
    expect((times.at(-1) ?? 0) - (times.at(-2) ?? 0)).toBe(6_000)
    log.count = 6
    await vi.advanceTimersByTimeAsync(6_000)
    const before = times.length
    await vi.advanceTimersByTimeAsync(3_000)
    expect(times.length - before).toBeGreaterThanOrEqual(3)
    end()
  })

  test('a subscriber that leaves twice or alone ends nothing for the others', async () => {
    const { times, feed } = timed(5)
    const [leave, stay] = [feed.subscribe(() => {}), feed.subscribe(() => {})]
    await vi.advanceTimersByTimeAsync(1_000)
    leave()
    leave()
    await vi.advanceTimersByTimeAsync(3 * timing.lingerMs)
    expect(times.at(-1)).toBeGreaterThan(1_000 + 2 * timing.lingerMs)
    stay()
    await vi.advanceTimersByTimeAsync(3 * timing.lingerMs)
    expect(times.at(-1)).toBeLessThan(1_000 + 4.5 * timing.lingerMs)
  })

  test('pauses double while a log cannot be read, and begin again after it could', async () => {
    const { log, times, feed } = timed(0)
    log.failure = new AppError('upstream_unreachable', 'No response.')
    const end = feed.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(17_000)
    expect([times, feed.phase]).toEqual([[0, 1_000, 3_000, 7_000, 12_000, 17_000], 'reconnecting'])
    expect(feed.problem).toEqual({ code: 'upstream_unreachable', message: 'No response.', at: 1_000_000 })
    log.failure = new AppError('rate_limited', 'Too many requests.', { retryAfterMs: 8_000 })
    await vi.advanceTimersByTimeAsync(13_000)
    expect(times.slice(6)).toEqual([22_000, 30_000])
    log.failure = undefined
    await vi.advanceTimersByTimeAsync(8_000)
    expect([feed.phase, feed.problem]).toEqual(['live', undefined])
    log.failure = new AppError('upstream_unreachable', 'No response.')
    await vi.advanceTimersByTimeAsync(10_000)
    const [first = 0, second = 0] = times.slice(times.indexOf(38_000) + 1)
    expect(second - first).toBe(1_000)
    end()
  })

  test('a log is starting until its end was read once, and live from then on', async () => {
    const { log, feed } = timed(25)
    const phases: string[] = []
    const end = feed.subscribe(() => phases.push(`${feed.phase} ${feed.last}`))
    await vi.advanceTimersByTimeAsync(500)
    log.count = 45
    await vi.advanceTimersByTimeAsync(10_000)
    expect(phases).toEqual(['starting 10', 'starting 20', 'starting 25', 'live 25', 'live 35', 'live 45'])
    end()
  })

  test('a feed is kept for a while after its last subscriber, and is not read again by one who comes back', async () => {
    const { times, feed } = timed(1)
    const end = feed.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(0)
    end()
    end()
    await vi.advanceTimersByTimeAsync(19_999)
    const again = feed.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(60_000)
    expect(times.filter((time) => time === 0)).toHaveLength(2)
    expect(times.at(-1)).toBeGreaterThan(70_000)
    again()
    await vi.advanceTimersByTimeAsync(20_000)
    const reads = times.length
    await vi.advanceTimersByTimeAsync(60_000)
    expect(times).toHaveLength(reads)
  })

  test('a window of characters drops the oldest lines, and a reader continues after them', async () => {
    const { feed } = timed(10, { lines: 100, chars: 100 })
    const end = feed.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(0)
    expect([feed.first, feed.last]).toEqual([9, 10])
    expect(linesOf(feed, 0).map(({ seq }) => seq)).toEqual([9, 10])
    expect(feed.read(0, Infinity).cursor).toBe(10)
    expect(feed.read(10, Infinity)).toEqual({ json: '', cursor: 10 })
    expect(feed.read(99, Infinity)).toEqual({ json: '', cursor: 99 })
    end()
  })

  test('a reader takes about as much as it has room for, and at least one line', async () => {
    const { feed } = timed(10)
    const end = feed.subscribe(() => {})
    await vi.advanceTimersByTimeAsync(0)
    const [line = ''] = feed.read(0, 1).json.split('},')
    expect(feed.read(0, 1).cursor).toBe(1)
    expect(feed.read(3, line.length).cursor).toBe(4)
    expect(feed.read(3, line.length + 1).cursor).toBe(5)
    end()
  })
})
