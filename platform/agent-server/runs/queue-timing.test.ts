import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { NOW, queueOver, row, settle } from '../fixtures/memory-queue'
import type { RunRow } from './run-record'

// When the queue looks for runs and other processes, in memory.

const POLL_MS = 1000
const RESERVED_MS = 200
const DEAD_AFTER_MS = 1500

beforeEach(() => void vi.useFakeTimers({ now: NOW, toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const pass = async (ms: number) => {
  await vi.advanceTimersByTimeAsync(ms)
  await settle()
}
const waiting = { kind: 'waiting', run: '', creator: 1, dueMs: 0 }

describe('a run', () => {
  test('that waits is executed at once, and its times are observed', async () => {
    const { queue, state, begin, end } = queueOver([
      row('one', { kwargs: { after_seconds: 2 } as never, is_resumable: true }),
    ])
    await begin()
    expect([queue.size, state.begun]).toEqual([1, [{ run: 'one', attempt: 1, isKept: true, isFollowed: false }]])
    await pass(250)
    await end('one')
    expect(state.ended).toMatchObject([{ run: 'one', result: { kind: 'failed', error: { message: 'It is over.' } } }])
    expect(state.observed).toEqual([
      ['began', NOW - 3000],
      ['ended', 'error', 250],
    ])
    expect([queue.size, state.logs.length]).toEqual([0, 1])
  })

  test.each([
    ['of another process', { creator: 2 }, true],
    ['that another process reads', { is_watched: true }, true],
    ['in its second attempt', { attempt: 2 }, true],
    ['of this process', {}, false],
  ])('%s is announced to the others: %s', async (_, more, isFollowed) => {
    const { state, queue } = queueOver([row('one', more as Partial<RunRow>)])
    queue.start()
    await settle()
    expect(state.begun).toMatchObject([{ isFollowed }])
    expect(state.sent).toEqual(isFollowed ? [{ kind: 'claimed', run: 'one' }] : [])
    expect(state.observed).toHaveLength('attempt' in more ? 0 : 1)
  })

  test('that was cancelled before it began does not begin', async () => {
    const { state, begin, end } = queueOver([row('one', { cancel: 'interrupt' })])
    await begin()
    await end('one')
    expect(state.ended).toEqual([{ run: 'one', result: { kind: 'stopped', reason: 'interrupt' } }])
  })

  test.each([
    ['was cancelled', [{ run_id: 'one', cancel: 'rollback', owner: 1 }], 'rollback'],
    ['has another owner', [{ run_id: 'one', cancel: 'interrupt', owner: 2 }], 'gone'],
    ['was deleted', [], 'gone'],
  ])('stops when a message says that it %s', async (_, rows, reason) => {
    const { state, begin, end, tell } = queueOver([row('one')])
    await begin()
    const { looks } = state
    state.rows = rows
    for (const message of [
      { kind: 'watch', run: 'one' },
      { kind: 'cancel', run: 'other' },
    ])
      tell(message)
    await settle()
    expect(state.looks).toBe(looks)
    tell({ kind: 'cancel', run: 'one' })
    await settle()
    await end('one')
    expect(state.ended).toEqual([{ run: 'one', result: { kind: 'stopped', reason } }])
  })

  test('whose end cannot be stored is tried again, and reported', async () => {
    const { state, begin, end } = queueOver([row('one')])
    await begin()
    state.finishErrors = [new Error('no database')]
    vi.useRealTimers()
    await end('one')
    expect(state.logs.at(-1)).toContain('The end of the run (failed) cannot be stored: Error: no database')
    await expect.poll(() => state.ended.length).toBe(1)
  })
})

describe('the queue looks for runs', () => {
  test('as long as it finds as many as it asked for', async () => {
    const { state, queue } = queueOver(Array.from({ length: 5 }, (_, n) => row(`run ${n}`)))
    queue.start()
    await settle()
    expect([queue.size, state.claims.length]).toEqual([5, 3])
  })

  test('at once when this process made one, and tells nobody', async () => {
    const { state, begin, offer } = queueOver()
    await begin()
    offer({})
    await settle()
    expect([state.claims.length, state.sent]).toEqual([1, []])
  })

  test('when the reservation of its creator is over, whom it tells', async () => {
    const { state, begin, offer, tell } = queueOver([], 1_000_000)
    await begin()
    offer({ creator: 2 })
    expect(state.sent).toEqual([{ kind: 'waiting', run: 'one', creator: 2, dueMs: 0 }])
    await pass(RESERVED_MS)
    expect(state.claims).toHaveLength(0)
    await pass(1)
    expect(state.claims).toHaveLength(1)
    tell({ kind: 'waiting', run: 'one', creator: 2, dueMs: -150 })
    await pass(50)
    expect(state.claims).toHaveLength(1)
    await pass(1)
    expect(state.claims).toHaveLength(2)
    tell({ kind: 'waiting', run: 'one', creator: 2, dueMs: -1000 })
    await settle()
    expect(state.claims).toHaveLength(3)
  })

  test('when a run is due, but leaves those of next month to the regular look', async () => {
    const { state, begin, offer } = queueOver([], 1_000_000)
    await begin()
    offer({ dueMs: 300 })
    offer({ dueMs: 2 ** 31 })
    await pass(300)
    expect(state.claims).toHaveLength(0)
    await pass(1)
    expect([state.claims.length, state.sent]).toEqual([1, []])
  })

  test('every second, and after a lost connection', async () => {
    const { state, begin, bus } = queueOver()
    await begin()
    await pass(POLL_MS - 1)
    expect(state.claims).toHaveLength(0)
    await pass(1)
    expect(state.claims).toHaveLength(1)
    await pass(POLL_MS)
    expect(state.claims).toHaveLength(2)
    bus.emit('reconnected')
    await settle()
    expect(state.claims).toHaveLength(3)
  })

  test('not while others take this process for dead', async () => {
    const { state, begin, bus, offer } = queueOver()
    await begin()
    bus.isConnected = false
    offer({})
    await settle()
    expect([state.claims.length, state.sent]).toEqual([0, [{ kind: 'waiting', run: 'one', creator: 1, dueMs: 0 }]])
  })

  test('up to a hundred, and leaves the rest to others until one has ended', async () => {
    const { queue, state, pending, offer, end } = queueOver(Array.from({ length: 101 }, (_, n) => row(`run ${n}`)))
    queue.start()
    await settle()
    await pass(0)
    await expect.poll(() => queue.size).toBe(100)
    expect([pending.length, state.sent]).toEqual([1, [waiting]])
    offer({ run: 'run 100' })
    await settle()
    expect(state.sent).toHaveLength(2)
    await end('run 0')
    expect([queue.size, pending.length, state.claims.at(-1)?.limit]).toEqual([100, 0, 1])
  })

  test('again at once if another process has claimed at the same moment', async () => {
    const { queue, state, begin, pending, offer } = queueOver()
    await begin()
    pending.push(row('one'))
    state.claimError = Object.assign(new Error('duplicate key'), { code: '23505' })
    offer({})
    await settle()
    expect([queue.size, state.claims.length, state.returned, state.logs]).toEqual([1, 2, [], []])
  })

  test('after a failure only once what it may have claimed is given back', async () => {
    const { state, begin, pending, offer } = queueOver([row('one')])
    await begin()
    state.claimError = new Error('no database')
    offer({})
    await settle()
    expect([state.logs, state.returned]).toEqual([['error: The queue cannot be read: no database'], []])
    pending.push(row('two'))
    offer({})
    await settle()
    expect(state.returned).toEqual([['one']])
    offer({})
    await settle()
    expect(state.returned).toHaveLength(1)
  })
})

describe('a suspect', () => {
  test('is executed alone of its kind, until it has stored two steps', async () => {
    const { state, offer, watchers, queue } = queueOver([row('bad', { crashes: 5 })])
    queue.start()
    await settle()
    expect(state.sent).toEqual([waiting])
    offer({})
    await settle()
    expect(state.claims.at(-1)?.hasSuspect).toBe(true)
    const { length } = state.claims
    watchers.get('bad')?.onStep()
    await settle()
    expect(state.claims).toHaveLength(length)
    watchers.get('bad')?.onStep()
    await settle()
    expect([state.claims.length, state.claims.at(-1)?.hasSuspect]).toEqual([length + 1, false])
    watchers.get('bad')?.onStep()
    await settle()
    expect(state.claims).toHaveLength(length + 1)
    const other = queueOver([row('good', { crashes: 4 })])
    await other.begin()
    other.offer({})
    await settle()
    expect(other.state.claims.at(-1)?.hasSuspect).toBe(false)
  })
})

describe('a process that is gone', () => {
  test('loses its runs once it was missed twice, a second and a half apart', async () => {
    const { state, begin } = queueOver([], 1_000_000)
    state.gone = [7]
    await begin()
    await pass(DEAD_AFTER_MS - 1)
    expect(state.taken).toEqual([])
    await pass(1)
    expect([state.taken, state.removed]).toEqual([[7], [7]])
    expect(state.logs).toEqual(['info: The process that executed the run has ended, 2 times without a new step.'])
    expect(state.claims.length).toBeGreaterThan(0)
  })

  test('keeps them if it came back in between', async () => {
    const { state, begin } = queueOver([])
    state.gone = [7]
    await begin()
    state.gone = []
    await pass(POLL_MS)
    state.gone = [7]
    await pass(POLL_MS)
    await pass(DEAD_AFTER_MS - POLL_MS)
    expect(state.taken).toEqual([])
    await pass(DEAD_AFTER_MS)
    expect(state.taken).toEqual([7])
  })

  test('cannot be looked for in a store that does not answer, which is reported and tried again', async () => {
    const { state, begin } = queueOver()
    state.pollError = new Error('no database')
    await begin()
    expect(state.logs).toEqual(['error: The store cannot be read: no database'])
    await pass(POLL_MS)
    expect(state.logs).toHaveLength(2)
  })
})

describe('the end of a process', () => {
  test('lets its runs go on while it is drained, and begins no others', async () => {
    const { queue, state, begin, end, offer, pending } = queueOver([row('one')])
    await begin()
    let isDrained = false
    const draining = queue.drain().then(() => {
      isDrained = true
    })
    pending.push(row('two'))
    state.gone = [7]
    offer({ run: 'two' })
    await pass(5 * POLL_MS)
    expect([isDrained, state.claims, state.taken]).toEqual([false, [], []])
    expect(state.sent).toContainEqual({ kind: 'waiting', run: 'two', creator: 1, dueMs: 0 })
    await end('one')
    await draining
    expect([queue.size, pending.length]).toEqual([0, 1])
  })

  test('gives runs back that do not stop in time', async () => {
    const { queue, state, begin, end } = queueOver([row('one')])
    await begin()
    await queue.stop(1)
    expect(queue.size).toBe(1)
    await end('one')
    expect(state.ended).toEqual([{ run: 'one', result: { kind: 'stopped', reason: 'released' } }])
  })

  test('looks for nothing any more, and leaves an end that cannot be stored to others', async () => {
    const { queue, state, begin, end } = queueOver([row('one')])
    await begin()
    const stopping = queue.stop(60_000)
    state.finishErrors = [new Error('no database')]
    await end('one')
    await stopping
    await pass(5 * POLL_MS)
    expect([state.ended, state.claims, queue.size]).toEqual([[], [], 0])
  })
})
