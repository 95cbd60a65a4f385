import { expect, test } from 'vitest'
import { FRAME_MS, frameMs, nextFrame } from './timing'

const after = (frame: number, ...used: number[]) => used.reduce(nextFrame, frame)

test('frames grow while the process has little time to spare, and shrink when it has', () => {
  expect(after(FRAME_MS, 0.5, 0.91)).toBe(FRAME_MS)
  expect(after(FRAME_MS, 0.95)).toBeGreaterThan(FRAME_MS)
  const long = after(FRAME_MS, 1, 1)
  expect(long).toBe(100)
  expect(after(long, 0.8, 0.98, 0.95)).toBe(long)
  expect([after(60, 0.92), after(60, 0.75), after(40, 0.93), after(60, 0.74)]).toEqual([60, 60, 80, 48])
  expect(after(long, 0.5)).toBeLessThan(long)
  expect(after(long, ...Array.from({ length: 10 }, () => 0.5))).toBe(FRAME_MS)
})

test('where no time is left, they grow further, and shrink when there is some', () => {
  expect(after(100, 0.99)).toBe(120)
  expect(after(100, ...Array.from({ length: 10 }, () => 1))).toBe(240)
  expect([after(240, 0.95), after(240, 0.92), after(110, 0.9)]).toEqual([240, 192, 100])
})

test('a process without a moment to spare gets longer frames, until it has time again', async () => {
  const end = Date.now() + 700
  while (Date.now() < end) {
    const turn = Date.now() + 300
    while (Date.now() < turn) frameMs()
    await new Promise(setImmediate)
  }
  expect(frameMs()).toBeGreaterThan(FRAME_MS)
  while (frameMs() > FRAME_MS) await new Promise((resolve) => setTimeout(resolve, 50))
})
