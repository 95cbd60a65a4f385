import { afterEach, expect, test } from 'vitest'
import { AppError } from '@/lib/errors'
import { adoptClock } from '../process/clock'
import { resolveAmbiguousWrite } from './ambiguous-write'

afterEach(() => adoptClock(undefined))

const lost = async () => {
  throw new AppError('upstream_failed', 'The server failed.')
}

test('after a lost response the outcome is looked up at once, and twice more for a slow server', async () => {
  const waits: number[] = []
  adoptClock({ pause: async (ms) => void waits.push(ms) })
  let reads = 0
  const write = { send: lost, read: async () => ++reads, isSame: () => false, resultOf: (found: number) => found }
  await expect(resolveAmbiguousWrite(write)).rejects.toThrow('nothing has changed so far')
  expect(waits).toEqual([0, 1_000, 2_500])
  expect(await resolveAmbiguousWrite({ ...write, isSame: (found) => found === 5 })).toBe(5)
  expect(waits).toEqual([0, 1_000, 2_500, 0, 1_000])
})
