import { describe, expect, test } from 'vitest'
import { type LogReader, RunLog, StreamCut } from './events'

const log = () => new RunLog('run', 0)
const data = 'x'.repeat(1_000_000)
const readAll = async (reader: LogReader) => {
  const ids: number[] = []
  for (let taken = await reader.take(10); taken; taken = await reader.take(10)) ids.push(...taken.map(({ id }) => id))
  return ids
}

describe('the log of a run', () => {
  test('gives each reader every event since it joined, whatever others read', async () => {
    const one = log()
    const [first, second] = [one.attach(), one.attach()]
    one.publish('custom', '1')
    const third = one.attach()
    one.publish('custom', '2')
    one.end()
    expect(await Promise.all([first, second, third].map(readAll))).toEqual([[0, 1], [0, 1], [1]])
    expect(await one.attach().take(10)).toBeUndefined()
  })

  test('returns an empty list after the timeout', async () => {
    const reader = log().attach()
    const begun = performance.now()
    expect(await reader.take(30)).toEqual([])
    expect(performance.now() - begun).toBeGreaterThan(25)
  })

  test('returns large backlogs in pieces', async () => {
    const one = log()
    const reader = one.attach()
    for (let n = 0; n < 5; n++) one.publish('custom', data)
    expect((await reader.take(10, 1_500_000))?.map(({ id }) => id)).toEqual([0, 1])
    one.end()
    expect(await readAll(reader)).toEqual([2, 3, 4])
  })

  test('cuts only the reader that stops reading', async () => {
    const one = log()
    const [slow, quick] = [one.attach(), one.attach()]
    for (let n = 0; n < 40; n++) {
      one.publish('custom', data)
      await quick.take(10)
    }
    await expect(slow.take(10)).rejects.toThrow(StreamCut)
    one.publish('custom', '1')
    expect(await quick.take(10)).toHaveLength(1)
  })

  test('never reuses the event ids of an earlier attempt', () => {
    const one = log()
    one.publish('metadata', '1')
    one.continueFrom(1_000_000_000)
    expect(one.publish('metadata', '2').id).toBe(1_000_000_000)
    one.continueFrom(5)
    expect(one.publish('custom', '3').id).toBe(1_000_000_001)
  })
})

describe('the pace of a run', () => {
  test('follows its fastest reader', async () => {
    const one = log()
    const [slow, quick] = [one.attach(), one.attach()]
    for (let n = 0; n < 6; n++) one.publish('custom', data)
    let isPaced = false
    const paced = one.pace().then(() => {
      isPaced = true
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(isPaced).toBe(false)
    while (quick.size > 0) await quick.take(10)
    await paced
    expect(slow.size).toBe(6_000_000)
  })

  test('is only briefly held up by stalled readers, and resumes at once when the last one leaves', async () => {
    const one = log()
    const dead = one.attach()
    for (let n = 0; n < 6; n++) one.publish('custom', data)
    const begun = performance.now()
    await one.pace()
    expect(performance.now() - begun).toBeLessThan(1500)
    await one.pace()
    expect(performance.now() - begun).toBeLessThan(1500)
    one.detach(dead)
    const next = one.attach()
    for (let n = 0; n < 6; n++) one.publish('custom', data)
    const paced = one.pace()
    one.detach(next)
    await paced
    expect(performance.now() - begun).toBeLessThan(1900)
  })
})
