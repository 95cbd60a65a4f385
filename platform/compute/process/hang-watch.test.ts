import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchForHang } from './hang-watch'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A process that answers while `isResponsive`, and what it was asked meanwhile once it is again. */
function watched(limitMs: number) {
  const child = Object.assign(new EventEmitter(), { connected: true, send: () => void asked() })
  let pending = 0
  let isResponsive = true
  const answer = () => {
    for (; pending > 0; pending -= 1) child.emit('message', { pong: true })
  }
  const asked = () => {
    pending += 1
    if (isResponsive) answer()
  }
  const onHang = vi.fn()
  const stop = watchForHang(child as unknown as ChildProcess, limitMs, onHang)
  return {
    child,
    onHang,
    stop,
    block: () => {
      isResponsive = false
    },
    unblock: () => {
      isResponsive = true
      answer()
    },
  }
}

test('a process that answers nothing for the limit hangs, once', () => {
  const { block, onHang } = watched(1000)
  vi.advanceTimersByTime(10_000)
  block()
  vi.advanceTimersByTime(1000)
  expect(onHang).not.toHaveBeenCalled()
  vi.advanceTimersByTime(100)
  expect(onHang).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(10_000)
  expect(onHang).toHaveBeenCalledTimes(1)
})

test('computations that block it for almost as long, one after the other, are no hang', () => {
  const { block, unblock, onHang } = watched(1000)
  for (let times = 0; times < 5; times += 1) {
    block()
    vi.advanceTimersByTime(999)
    unblock()
    vi.advanceTimersByTime(100)
  }
  expect(onHang).not.toHaveBeenCalled()
})

test('a pause of the whole machine is no hang', () => {
  const { block, unblock, onHang } = watched(1000)
  vi.advanceTimersByTime(150)
  block()
  vi.advanceTimersByTime(100)
  vi.setSystemTime(Date.now() + 3_600_000)
  // What is due comes once, before the answer.
  vi.advanceTimersToNextTimer()
  unblock()
  vi.advanceTimersByTime(10_000)
  expect(onHang).not.toHaveBeenCalled()
})

test('a process that is being stopped, or is no longer watched, is not asked', () => {
  const stopping = watched(1000)
  stopping.block()
  stopping.child.connected = false
  const unwatched = watched(1000)
  unwatched.block()
  unwatched.stop()
  vi.advanceTimersByTime(10_000)
  expect([stopping.onHang.mock.calls, unwatched.onHang.mock.calls]).toEqual([[], []])
})
