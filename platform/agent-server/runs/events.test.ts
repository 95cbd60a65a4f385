import { afterEach, describe, expect, test, vi } from 'vitest'
import { decodeEvents, type Entry, encodeEvent, type LogReader, RunLog, StreamCut } from './events'

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

describe('a reader of a run', () => {
  const LONG = 3_600_000
  /** The result, which must not wait for anything. */
  const atOnce = <T>(work: Promise<T>): Promise<T> =>
    Promise.race([work, new Promise<never>((_, reject) => setImmediate(reject, new Error('It waits.')))])

  test('gets at once what is there, and waits only for the next event', async () => {
    const one = log()
    const reader = one.attach()
    one.publish('custom', '1')
    expect((await atOnce(reader.take(LONG)))?.map(({ id }) => id)).toEqual([0])
    const next = reader.take(LONG)
    one.publish('custom', '2')
    expect((await atOnce(next))?.map(({ id }) => id)).toEqual([1])
    const last = reader.take(LONG)
    one.end()
    expect([await atOnce(last), await atOnce(reader.take(LONG))]).toEqual([undefined, undefined])
  })

  test('gets the events of a backlog up to the limit', async () => {
    const one = log()
    const reader = one.attach()
    for (let n = 0; n < 5; n++) one.publish('custom', data)
    expect(await atOnce(reader.take(LONG, 2_000_000))).toHaveLength(2)
    expect(reader.size).toBe(3_000_000)
    expect(await atOnce(reader.take(LONG, 1))).toHaveLength(1)
    expect([await atOnce(reader.take(LONG, 9_000_000)), reader.size]).toMatchObject([{ length: 2 }, 0])
  })

  test('may be 32 million characters behind, and nothing is kept for it after that', async () => {
    const one = log()
    const reader = one.attach()
    for (let n = 0; n < 32; n++) one.publish('custom', data)
    expect(reader.size).toBe(32_000_000)
    one.publish('custom', '1')
    one.publish('custom', data)
    expect(reader.size).toBe(0)
    await expect(atOnce(reader.take(LONG))).rejects.toThrow('too slow')
  })

  test('that waits learns of a cut, which detaches everybody', async () => {
    const one = log()
    const [waits, reads] = [one.attach(), one.attach()]
    const waiting = waits.take(LONG)
    one.cut(new StreamCut('The process is stopping.'))
    await expect(atOnce(waiting)).rejects.toThrow('stopping')
    await expect(atOnce(reads.take(LONG))).rejects.toThrow('stopping')
    expect(one.hasReaders).toBe(false)
  })

  test('gets an event once, in ascending order, however often it is relayed', async () => {
    const one = log()
    const reader = one.attach()
    for (const id of [3, 3, 2, 4]) one.relay({ id, event: 'custom', data: '' })
    expect([(await atOnce(reader.take(LONG)))?.map(({ id }) => id), one.lastId]).toEqual([[3, 4], 4])
  })

  test('decides with the others which events are worth making', () => {
    const one = log()
    expect([one.hasReaders, one.isRead('values')]).toEqual([false, false])
    const [values, custom] = ['values', 'custom'].map((wanted) => one.attach((event) => event === wanted))
    expect(['values', 'custom', 'updates'].map((event) => one.isRead(event))).toEqual([true, true, false])
    for (const reader of [values, custom]) one.detach(reader as LogReader)
    expect([one.hasReaders, one.isRead('values'), one.isOver]).toEqual([false, false, false])
    one.end()
    expect(one.isOver).toBe(true)
  })
})

describe('the text of events', () => {
  test('is read back from parts of any size, also with what is no event', async () => {
    const events: Entry[] = [
      { id: 1, event: 'values', data: '{"text":"ü"}' },
      { id: 2, event: 'end', data: 'id: no' },
    ]
    const text = `: heartbeat\n${events.map(encodeEvent).join(': heartbeat\n')}id: 3\n\ndata: no id\n\n${encodeEvent({ id: '4-5', event: 'x', data: '' })}id: 6\ndata: cut`
    for (const size of [1, 7, 1000]) {
      const bytes = Buffer.from(text)
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, n) =>
        bytes.subarray(n * size, (n + 1) * size),
      )
      const found = []
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          for (const part of parts) controller.enqueue(part)
          controller.close()
        },
      })
      for await (const one of decodeEvents(body)) found.push(one)
      expect(found).toEqual([
        { id: '1', data: '{"text":"ü"}' },
        { id: '2', data: 'id: no' },
        { id: '4-5', data: '' },
      ])
    }
  })
})

describe('the pace of a run', () => {
  afterEach(() => void vi.useRealTimers())

  /** Whether the run may go on, without any time passing. */
  const isFree = async (one: RunLog) =>
    Promise.race([one.pace().then(() => true), new Promise((resolve) => setImmediate(resolve, false))])

  test('is its own until all readers are four million characters behind', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const one = log()
    expect(await isFree(one)).toBe(true)
    const reader = one.attach()
    for (let n = 0; n < 3; n++) one.publish('custom', data)
    expect(await isFree(one)).toBe(true)
    one.publish('custom', data)
    expect(await isFree(one)).toBe(false)
    const ahead = one.attach()
    expect(await isFree(one)).toBe(true)
    one.detach(ahead)
    one.detach(reader)
    expect(await isFree(one)).toBe(true)
  })

  test('waits again for a reader that stood still once it reads', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const one = log()
    const reader = one.attach()
    for (let n = 0; n < 6; n++) one.publish('custom', data)
    const paced = one.pace()
    vi.advanceTimersByTime(999)
    expect(await Promise.race([paced.then(() => true), new Promise((resolve) => setImmediate(resolve, false))])).toBe(
      false,
    )
    vi.advanceTimersByTime(1)
    await paced
    expect([reader.isStalled, await isFree(one)]).toEqual([true, true])
    await reader.take(1)
    expect([reader.isStalled, await isFree(one)]).toEqual([false, false])
    const free = one.pace()
    while (reader.size >= 4_000_000) await reader.take(1)
    await free
  })

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
