import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { onHeartbeat } from './heartbeat'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('callbacks of one interval share a timer, which ends with the last of them', () => {
  const beats: string[] = []
  const stops = ['a', 'b'].map((name) => onHeartbeat(100, () => beats.push(name)))
  const other = onHeartbeat(250, () => beats.push('other'))
  expect(vi.getTimerCount()).toBe(2)
  vi.advanceTimersByTime(250)
  expect(beats).toEqual(['a', 'b', 'a', 'b', 'other'])
  stops[0]?.()
  stops[0]?.()
  expect(vi.getTimerCount()).toBe(2)
  vi.advanceTimersByTime(50)
  expect(beats.slice(5)).toEqual(['b'])
  stops[1]?.()
  expect(vi.getTimerCount()).toBe(1)
  other()
  expect(vi.getTimerCount()).toBe(0)
  const again = onHeartbeat(100, () => beats.push('again'))
  vi.advanceTimersByTime(100)
  expect(beats.slice(6)).toEqual(['again'])
  again()
})
