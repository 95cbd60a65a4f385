import { expect, test } from 'vitest'
import { FRAME_MS, frameMs, nextFrame } from './timing'

const after = (frame: number, ...used: number[]) => used.reduce(nextFrame, frame)

test('frames grow while the process has no time to spare, up to a limit, and shrink when it has', () => {
  expect(after(FRAME_MS, 0.5, 0.91)).toBe(FRAME_MS)
  expect(after(FRAME_MS, 0.95)).toBeGreaterThan(FRAME_MS)
  const longest = after(FRAME_MS, 1, 1, 1, 1, 1, 1)
  expect(longest).toBe(120)
  expect(after(longest, 0.8)).toBe(longest)
  expect([after(60, 0.92), after(60, 0.75), after(50, 0.93), after(60, 0.74)]).toEqual([60, 60, 100, 48])
  expect(after(longest, 0.5)).toBeLessThan(longest)
  expect(after(longest, ...Array.from({ length: 10 }, () => 0.5))).toBe(FRAME_MS)
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
