import { expect, test } from 'vitest'
import { turns } from './turns'

test('so many at once, the others in order, also after a failure', async () => {
  const inTurn = turns(2)
  const ends: (() => void)[] = []
  const begun: number[] = []
  const start = (n: number) =>
    inTurn(async () => {
      begun.push(n)
      await new Promise<void>((resolve, reject) => ends.push(n === 1 ? () => reject(new Error('one')) : resolve))
      return n
    })
  const all = Promise.allSettled([1, 2, 3, 4].map(start))
  expect(begun).toEqual([1, 2])
  ends[0]?.()
  await expect.poll(() => begun).toEqual([1, 2, 3])
  ends[1]?.()
  await expect.poll(() => begun).toEqual([1, 2, 3, 4])
  ends[2]?.()
  ends[3]?.()
  expect((await all).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual(['failed', 2, 3, 4])
  expect(await inTurn(async () => 5)).toBe(5)
})
