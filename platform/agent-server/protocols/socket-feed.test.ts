import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { detailOf, SocketFeed } from './socket-feed'
import { firstNumber } from './thread-events'

type Reading = {
  filter: { channels: string[]; since: number; namespaces?: string[][]; depth?: number }
  signal: AbortSignal
  /** Sends an event of the thread. */
  event(number: number, method?: string, namespace?: string[]): void
  end(): void
}
type Sent = { seq: number }

/** A feed whose thread is `answer`; each reader that it starts is one of `readings`. */
function feedOf(answer: (count: number) => Response | undefined = () => undefined) {
  const readings: Reading[] = []
  const sent: Sent[] = []
  const refused: [number, string][] = []
  const failures: unknown[] = []
  const feed = new SocketFeed(
    async (operation, body, signal) => {
      expect(operation).toBe('stream/events')
      let controller: ReadableStreamDefaultController<Uint8Array> | undefined
      const stream = new ReadableStream<Uint8Array>({
        start: (given) => {
          controller = given
        },
      })
      readings.push({
        filter: JSON.parse(body),
        signal,
        event: (number, method = 'values', namespace = []) => {
          const event = { type: 'event', seq: number, method, params: { namespace, data: { event: 'x' } } }
          controller?.enqueue(Buffer.from(`id: ${number}\nevent: ${method}\ndata: ${JSON.stringify(event)}\n\n`))
        },
        end: () => controller?.close(),
      })
      return answer(readings.length) ?? new Response(stream)
    },
    {
      send: async (text) => {
        sent.push(JSON.parse(text))
      },
      refuse: (...given) => {
        refused.push(given)
      },
      fail: (error) => {
        failures.push(error)
      },
    },
  )
  open.push(feed)
  const until = (isReached: () => boolean) => vi.waitFor(() => expect(isReached()).toBe(true), 5_000)
  const numbers = () => sent.map(({ seq }) => seq)
  const reading = async (count: number) => {
    await until(() => readings.length >= count)
    return readings[count - 1] as Reading
  }
  return { feed, readings, numbers, refused, failures, until, reading }
}
const open: SocketFeed[] = []
afterEach(() => {
  for (const feed of open.splice(0)) feed.close()
})

const R1 = firstNumber(1)
const R2 = firstNumber(2)

describe('the subscriptions of a socket', () => {
  test('that come together are read together: all of their channels, after what all of them had', async () => {
    const { feed, readings, reading } = feedOf()
    feed.add({ channels: ['values', 'lifecycle'], since: 7 })
    feed.add({ channels: ['lifecycle', 'custom:count'], since: 5 })
    const { filter } = await reading(1)
    expect(filter).toEqual({ channels: ['values', 'lifecycle', 'custom:count'], since: 5 })
    expect(readings).toHaveLength(1)
  })

  test.each([
    [
      { namespaces: [['a']], depth: 1 },
      { namespaces: [['a']], depth: 1 },
      { namespaces: [['a']], depth: 1 },
    ],
    [{ depth: 0 }, { depth: 0 }, { depth: 0 }],
    [{ namespaces: [['a']] }, { namespaces: [['b']] }, {}],
    [{ namespaces: [['a']] }, {}, {}],
    [{}, {}, {}],
  ])('for %j and %j are read for the place %j', async (one, other, place) => {
    const { feed, reading } = feedOf()
    feed.add({ channels: ['values'], ...one })
    feed.add({ channels: ['values'], ...other })
    expect((await reading(1)).filter).toEqual({ channels: ['values'], since: 0, ...place })
  })

  test('get each event once, in order, if one of them wants it', async () => {
    const { feed, reading, numbers, until } = feedOf()
    feed.add({ channels: ['values'] })
    feed.add({ channels: ['values', 'lifecycle'], namespaces: [[]], depth: 0 })
    const { event } = await reading(1)
    event(R1 + 1)
    event(R1 + 2, 'lifecycle')
    event(R1 + 3, 'lifecycle', ['a:1'])
    event(R1 + 4, 'updates')
    event(R1 + 4)
    event(R1 + 5, 'values', ['a:1'])
    event(R1 + 5, 'values', ['a:1'])
    event(R1 + 3)
    event(R1 + 6)
    await until(() => numbers().includes(R1 + 6))
    expect(numbers()).toEqual([R1 + 1, R1 + 2, R1 + 5, R1 + 6])
  })

  test('get the events of a run that another one has overtaken', async () => {
    const { feed, reading, numbers, until } = feedOf()
    feed.add({ channels: ['values'], since: R1 + 1 })
    const { event } = await reading(1)
    event(R1 + 1)
    event(R2 + 1)
    event(R1 + 2)
    event(R2 + 2)
    await until(() => numbers().includes(R2 + 2))
    expect(numbers()).toEqual([R2 + 1, R1 + 2, R2 + 2])
  })

  test('are read again for a new one, from where it begins, and only it gets again what the others had', async () => {
    const { feed, reading, numbers, until } = feedOf()
    feed.add({ channels: ['values'] })
    const first = await reading(1)
    first.event(R1 + 1)
    first.event(R1 + 2)
    await until(() => numbers().length === 2)
    feed.add({ channels: ['lifecycle'], since: R1 + 1 })
    const second = await reading(2)
    expect([first.signal.aborted, second.filter]).toEqual([true, { channels: ['values', 'lifecycle'], since: R1 + 1 }])
    second.event(R1 + 2)
    second.event(R1 + 2, 'lifecycle')
    second.event(R1 + 3, 'lifecycle')
    first.event(R1 + 9)
    await until(() => numbers().length === 3)
    expect(numbers()).toEqual([R1 + 1, R1 + 2, R1 + 3])
    feed.add({ channels: ['values'], since: R1 + 8 })
    expect((await reading(3)).filter.since).toBe(R1 + 3)
  })

  test('may be at most 256, which are refused before they are read', async () => {
    const { feed } = feedOf()
    const ids = Array.from({ length: 256 }, () => feed.add({ channels: ['values'] }))
    expect(new Set(ids).size).toBe(256)
    expect(() => feed.add({ channels: ['values'] })).toThrow('A WebSocket has at most 256 subscriptions.')
    expect(feed.remove(ids[0])).toBe(true)
    feed.add({ channels: ['values'] })
  })

  test('of an unknown channel or form are refused, and nothing is read', async () => {
    const { feed, readings } = feedOf()
    expect(() => feed.add({ channels: ['nonsense'] })).toThrow('nonsense is not a channel')
    expect(() => feed.add({})).toThrow()
    expect(feed.remove('none')).toBe(false)
    expect(readings).toEqual([])
  })

  test('end their reader with the last one', async () => {
    const { feed, reading } = feedOf()
    const [a, b] = [feed.add({ channels: ['values'] }), feed.add({ channels: ['values'] })]
    const { signal } = await reading(1)
    expect([feed.remove(a), signal.aborted]).toEqual([true, false])
    expect([feed.remove(b), signal.aborted]).toEqual([true, true])
    expect(feed.remove(b)).toBe(false)
  })
})

describe('a thread', () => {
  const missing = (count: number) => (seen: number) =>
    seen <= count ? Response.json({ detail: 'Thread not found.' }, { status: 404 }) : undefined

  describe('that does not exist yet', () => {
    beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
    afterEach(() => void vi.useRealTimers())
    const answered = () => new Promise((resolve) => setImmediate(resolve))

    test('is looked for at once when it may exist, and no more once it does', async () => {
      const { feed, readings, refused } = feedOf(missing(1))
      feed.add({ channels: ['values'] })
      feed.look()
      vi.advanceTimersByTime(10)
      await answered()
      expect(readings).toHaveLength(1)
      feed.look()
      vi.advanceTimersByTime(1)
      await answered()
      expect(readings).toHaveLength(2)
      feed.look()
      vi.advanceTimersByTime(10_000)
      await answered()
      expect([readings.length, refused]).toEqual([2, []])
    })

    test('is looked for again without a notice, less and less often', async () => {
      const { feed, readings } = feedOf(missing(8))
      feed.add({ channels: ['values'] })
      const after: number[] = []
      for (let ms = 0; readings.length < 9; ms += 5) {
        const count = readings.length
        vi.advanceTimersByTime(5)
        if (readings.length === count) continue
        after.push(ms + 5 - after.reduce((sum, one) => sum + one, 0))
        await answered()
      }
      expect(after).toEqual([10, 250, 500, 1000, 2000, 4000, 5000, 5000, 5000])
    })
  })

  test('that was deleted, or that cannot be read, ends the socket with the reason', async () => {
    const gone = feedOf()
    gone.feed.add({ channels: ['values'] })
    const reading = await gone.reading(1)
    reading.end()
    await gone.until(() => gone.refused.length > 0)
    expect(gone.refused).toEqual([[404, 'The thread was deleted.']])

    const denied = feedOf(() => Response.json({ detail: 'No such user' }, { status: 401 }))
    denied.feed.add({ channels: ['values'] })
    await denied.until(() => denied.refused.length > 0)
    expect(denied.refused).toEqual([[401, 'No such user']])

    const empty = feedOf(() => new Response(null, { status: 204 }))
    empty.feed.add({ channels: ['values'] })
    await empty.until(() => empty.refused.length > 0)
    expect(empty.refused).toEqual([[204, 'The request failed.']])
  })

  test('whose reader breaks is a failure, unless nobody reads any more', async () => {
    const broken = feedOf(() => {
      throw new Error('broken')
    })
    broken.feed.add({ channels: ['values'] })
    await broken.until(() => broken.failures.length > 0)
    expect(broken.failures).toMatchObject([{ message: 'broken' }])

    const { feed, reading, failures, refused } = feedOf()
    feed.add({ channels: ['values'] })
    const { end } = await reading(1)
    feed.close()
    end()
    await new Promise((resolve) => setImmediate(resolve))
    expect([failures, refused]).toEqual([[], []])
  })
})

test.each<[unknown, string]>([
  [{ detail: 'Busy' }, 'Busy'],
  [
    {
      detail: [
        { loc: ['body', 'a', 0], msg: 'wrong' },
        { loc: ['body'], msg: 'odd' },
      ],
    },
    'a.0: wrong; : odd',
  ],
  [{ detail: [{}] }, ': '],
  [{ detail: [] }, 'The request failed.'],
  [{ detail: { a: 1 } }, 'The request failed.'],
  [{}, 'The request failed.'],
  [null, 'The request failed.'],
])('the reason in the response %j is "%s"', async (body, reason) => {
  expect(await detailOf(Response.json(body, { status: 422 }))).toBe(reason)
})

test('a response without JSON has no reason', async () => {
  expect(await detailOf(new Response('<html>', { status: 502 }))).toBe('The request failed.')
})
