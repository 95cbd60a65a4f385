import { afterEach, beforeEach, expect, test } from 'vitest'
import { drainViewers, onDrain } from './shutdown'

// The whole process shares these, so each test begins without them.
let shutdown: AbortController
const reset = (controller?: AbortController) =>
  Object.assign(globalThis, {
    pilothouseShutdown: controller,
    pilothouseViewers: undefined,
    pilothouseDrain: undefined,
  })
beforeEach(() => {
  shutdown = new AbortController()
  reset(shutdown)
})
afterEach(() => void reset())

test.each([3, 1_000])('at a stop, %i viewers leave in portions', async (count) => {
  let told = 0
  for (let viewer = 0; viewer < count; viewer++) onDrain(() => told++)
  shutdown.abort()
  expect(told).toBeGreaterThan(0)
  expect(told).toBeLessThan(Math.max(count / 20, 2))
  await drainViewers()
  expect(told).toBe(count)
})

test('a viewer who left before is not told, and one who comes while they leave is', async () => {
  const told: string[] = []
  const stay = onDrain(() => told.push('left before'))
  onDrain(() => {
    told.push('first')
    onDrain(() => told.push('late'))
  })
  stay()
  shutdown.abort()
  await drainViewers()
  await drainViewers()
  expect(told).toEqual(['first', 'late'])
})
