import { expect, test } from 'vitest'
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
