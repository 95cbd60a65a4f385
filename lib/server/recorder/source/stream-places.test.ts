import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { AppError } from '@/lib/errors'
import { adoptEnv } from '../../process/env'
import type { Destination } from '../../upstream/destination'
import { holdStream, waitingStarts } from './stream-places'

const settings = (queued: number) =>
  adoptEnv({
    ...{ DATABASE_URL: 'postgres://nobody@127.0.0.1/none' },
    ...{ PILOTHOUSE_STREAMS: '1', PILOTHOUSE_QUEUED_STARTS: String(queued) },
  })
beforeAll(() => settings(0))
afterEach(() => {
  settings(0)
  vi.useRealTimers()
})
afterAll(() => adoptEnv(undefined))

const server = (address: string) => ({ what: 'agent server', base: new URL(address) }) as Destination
/** What a start is refused with. */
function refusalOf(to: Destination, ticket: string | undefined) {
  try {
    holdStream(to, ticket)
  } catch (error) {
    if (error instanceof AppError) return error.view
    throw error
  }
}

test('a start takes one stream until it is released, and again if it comes later', () => {
  const to = server('http://127.0.0.3:1')
  const isFree = () => {
    try {
      holdStream(to, undefined)()
      return true
    } catch {
      return false
    }
  }
  const release = holdStream(to, 'one')
  holdStream(to, 'one')() // a repeat, which takes nothing and gives nothing back
  expect(isFree()).toBe(false)
  release()
  release()
  expect(isFree()).toBe(true)
  const again = holdStream(to, 'one')
  expect(isFree()).toBe(false)
  again()
})

test('a start that finds no free stream is told its place, and each server has a queue of its own', () => {
  settings(2)
  const [one, other] = [server('http://127.0.0.4:1'), server('http://127.0.0.5:1')]
  const before = waitingStarts()
  const release = [holdStream(one, 'a'), holdStream(other, 'a')]
  expect(refusalOf(one, 'b')).toMatchObject({ code: 'rate_limited', retryAfterMs: 700, queue: { place: 1, of: 1 } })
  expect(refusalOf(one, 'c')).toMatchObject({ code: 'rate_limited', retryAfterMs: 800, queue: { place: 2, of: 2 } })
  expect(refusalOf(other, 'c')).toMatchObject({ queue: { place: 1, of: 1 } })
  expect(waitingStarts() - before).toBe(3)
  for (const full of ['d', undefined]) {
    expect(refusalOf(one, full)).toMatchObject({
      code: 'rate_limited',
      message: expect.stringContaining('no more starts'),
    })
    expect(refusalOf(one, full)).not.toHaveProperty('queue')
  }
  for (const one of release) one()
  holdStream(one, 'b')()
  expect(waitingStarts() - before).toBe(2)
})

test('a start that waited for ten minutes is refused, and no longer waits', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  settings(2)
  const to = server('http://127.0.0.6:1')
  const before = waitingStarts()
  const release = holdStream(to, 'a')
  expect(refusalOf(to, 'b')).toHaveProperty('queue')
  for (let waited = 0; waited < 600_000; waited += 3_000) {
    vi.setSystemTime(Date.now() + 3_000)
    expect(refusalOf(to, 'b')).toHaveProperty('queue')
  }
  vi.setSystemTime(Date.now() + 1)
  expect(refusalOf(to, 'b')).toMatchObject({
    code: 'rate_limited',
    message: expect.stringContaining('within 10 minutes'),
  })
  expect(waitingStarts() - before).toBe(0)
  release()
})
