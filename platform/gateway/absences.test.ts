import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Absences } from './absences'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('a request waits for five seconds, from the first time that it is refused', async () => {
  const wait = new Absences().waiter('a')
  vi.advanceTimersByTime(60_000)
  expect(await wait()).toBe(true)
  vi.advanceTimersByTime(4999)
  expect(await wait()).toBe(true)
  vi.advanceTimersByTime(1)
  expect(await wait()).toBe(false)
})

test('an agent server that has taken no request for half a minute is not waited for, until it takes one', async () => {
  const absences = new Absences()
  expect(await absences.waiter('a')()).toBe(true)
  vi.advanceTimersByTime(30_000)
  expect(await absences.waiter('a')()).toBe(false)
  expect(await absences.waiter('b')()).toBe(true)
  absences.end('a')
  expect(await absences.waiter('a')()).toBe(true)
})
