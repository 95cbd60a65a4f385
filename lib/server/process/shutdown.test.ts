import { afterEach, beforeEach, expect, test } from 'vitest'
import { onFarewell, sendViewersAway } from './shutdown'

// The whole process shares these, so each test begins without them.
let shutdown: AbortController
const reset = (controller?: AbortController) =>
  Object.assign(globalThis, {
    pilothouseShutdown: controller,
    pilothouseViewers: undefined,
    pilothouseFarewell: undefined,
  })
beforeEach(() => {
  shutdown = new AbortController()
  reset(shutdown)
})
afterEach(() => void reset())

test.each([3, 1_000])('at a stop, %i viewers leave in portions', async (count) => {
  let told = 0
  for (let viewer = 0; viewer < count; viewer++) onFarewell(() => told++)
  shutdown.abort()
  expect(told).toBeGreaterThan(0)
  expect(told).toBeLessThan(Math.max(count / 20, 2))
  await sendViewersAway()
  expect(told).toBe(count)
})

test('a viewer who left before is not told, and one who comes during the farewell is', async () => {
  const told: string[] = []
  const stay = onFarewell(() => told.push('left before'))
  onFarewell(() => {
    told.push('first')
    onFarewell(() => told.push('late'))
  })
  stay()
  shutdown.abort()
  await sendViewersAway()
  await sendViewersAway()
  expect(told).toEqual(['first', 'late'])
})
