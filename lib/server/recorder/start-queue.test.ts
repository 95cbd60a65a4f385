import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StartQueue } from './start-queue'

const LIMITS = { most: 3, longestMs: 600_000 }

function queueAt(limits = LIMITS) {
  const clock = { now: 1_000_000 }
  const queue = new StartQueue(() => clock.now)
  return { clock, queue, ask: (id: string | undefined, free: number) => queue.ask(id, free, limits) }
}

test('with a free stream a start goes at once, without one it waits in the order of asking', () => {
  const { ask } = queueAt()
  expect(ask('a', 1)).toEqual({ kind: 'go' })
  expect(ask('a', 0)).toEqual({ kind: 'wait', place: 1, of: 1, retryAfterMs: 700 })
  expect(ask('b', 0)).toEqual({ kind: 'wait', place: 2, of: 2, retryAfterMs: 800 })
  expect(ask('a', 0)).toMatchObject({ place: 1, of: 2 })
  // One stream is free: it is a's, although b asks first, and a newcomer does not overtake.
  expect(ask('b', 1)).toMatchObject({ kind: 'wait', place: 2 })
  expect(ask('c', 1)).toMatchObject({ kind: 'wait', place: 3, of: 3 })
  expect(ask('a', 1)).toEqual({ kind: 'go' })
  expect(ask('c', 0)).toMatchObject({ place: 2, of: 2 })
  expect(ask('b', 2)).toEqual({ kind: 'go' })
  expect(ask('c', 1)).toEqual({ kind: 'go' })
})

test('who stops asking holds nobody up, keeps the place for a while, and is then forgotten', () => {
  const { clock, ask, queue } = queueAt()
  ask('hidden', 0)
  ask('b', 0)
  clock.now += 3_750
  expect(queue.waiting).toBe(1)
  expect(ask('b', 0)).toMatchObject({ place: 1, of: 1 })
  expect(ask('hidden', 0)).toMatchObject({ place: 1, of: 2 })
  clock.now += 100_000
  expect(ask('b', 1)).toEqual({ kind: 'go' })
  expect(ask('c', 0)).toMatchObject({ place: 1, of: 1 })
  expect(ask('hidden', 0)).toMatchObject({ place: 2, of: 2 })
})

test('the queue is bounded in number and time, and what has no key does not wait', () => {
  const { clock, ask } = queueAt()
  for (const id of ['a', 'b', 'c']) expect(ask(id, 0).kind).toBe('wait')
  expect(ask('d', 0)).toEqual({ kind: 'full' })
  expect(ask(undefined, 0)).toEqual({ kind: 'full' })
  expect(ask(undefined, 3)).toEqual({ kind: 'full' })
  expect(ask(undefined, 4)).toEqual({ kind: 'go' })
  for (let spent = 0; spent <= 600_000; spent += 3_000) {
    clock.now += 3_000
    if (spent < 597_000) expect(ask('a', 0).kind).toBe('wait')
  }
  expect(ask('a', 1)).toEqual({ kind: 'late' })
  expect(ask('a', 1)).toEqual({ kind: 'go' })
  expect(queueAt({ ...LIMITS, most: 0 }).ask('a', 0)).toEqual({ kind: 'full' })
})

test('however streams become free, each start goes once, and those that keep asking go in their order', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(2), { minLength: 1, maxLength: 60 }),
      fc.integer({ min: 1, max: 12 }),
      (frees, count) => {
        const { clock, ask } = queueAt({ most: 20, longestMs: 1e9 })
        const ids = Array.from({ length: count }, (_, at) => `s${at}`)
        for (const id of ids) ask(id, 0)
        const gone: string[] = []
        for (const freed of [...frees, ...Array(count).fill(1)]) {
          let free = freed
          clock.now += 700
          for (const id of ids.toReversed())
            if (!gone.includes(id) && ask(id, free).kind === 'go') {
              gone.push(id)
              free -= 1
            }
        }
        // Those that ask in reverse within one round may swap; a round has at most `freed` of them.
        expect(new Set(gone).size).toBe(gone.length)
        expect(gone.length).toBe(count)
      },
    ),
  )
})
