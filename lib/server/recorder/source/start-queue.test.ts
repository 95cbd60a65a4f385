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

test('a place is kept for as long as it is promised, to the moment', () => {
  const { clock, ask, queue } = queueAt()
  expect(queue.waiting).toBe(0)
  expect(ask('a', 0)).toMatchObject({ retryAfterMs: 700 })
  clock.now += 3_700
  expect(queue.waiting).toBe(1)
  clock.now += 1
  expect(queue.waiting).toBe(0)
  // It may come back until it is forgotten.
  clock.now += 89_998
  expect(ask('b', 0)).toMatchObject({ place: 1, of: 1 })
  expect(ask('a', 0)).toMatchObject({ place: 1, of: 2 })
  clock.now += 3_700 + 90_000
  expect(ask('c', 0)).toMatchObject({ place: 1, of: 1 })
  expect(ask('a', 0)).toMatchObject({ place: 2, of: 2 })

  const patient = queueAt({ most: 3, longestMs: 3_000 })
  patient.ask('a', 0)
  patient.clock.now += 3_000
  expect(patient.ask('a', 0).kind).toBe('wait')
  patient.clock.now += 1
  expect(patient.ask('a', 0).kind).toBe('late')
})

test('a start without a key does not wait, though there is a place', () => {
  expect(queueAt().ask(undefined, 0)).toEqual({ kind: 'full' })
})

test('a start asks again later the more are ahead of it, but not too late', () => {
  const { ask } = queueAt({ most: 100, longestMs: 600_000 })
  const pauses = Array.from({ length: 60 }, (_, n) => ask(`s${n}`, 0)).map(
    (turn) => 'retryAfterMs' in turn && turn.retryAfterMs,
  )
  expect([pauses[0], pauses[1], pauses[43], pauses[59]]).toEqual([700, 800, 5_000, 5_000])
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
