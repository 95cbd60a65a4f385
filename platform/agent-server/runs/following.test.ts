import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Bus } from '../persistence/bus'
import type { Db } from '../persistence/db'
import { StreamCut } from './events'
import { type FollowedRun, Hub } from './hub'

// How the log of a run follows what other processes store of it, in memory.

const PER_ATTEMPT = 1_000_000_000
const WATCH_MS = 1000

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

type Stored = { run_id: string; id: number; event: string; data: string }
const stored = (...ids: number[]): Stored[] => ids.map((id) => ({ run_id: 'one', id, event: 'custom', data: '' }))

/** A hub over stored events of the run `one`; `status` is undefined once its record is gone. */
function hubOver(events: Stored[] = [], status: string | undefined = 'running') {
  const state = { events, status: status as string | undefined, marks: 0, isDown: false }
  const sent: unknown[] = []
  const bus = Object.assign(new EventEmitter(), {
    ...{ instance: 1, tellEvents: () => {} },
    send: async (message: object) => void sent.push(message),
  })
  const query = async (text: string, values: never[]) => {
    if (state.isDown) throw new Error('no database')
    if (text.includes('set is_watched')) {
      state.marks += 1
      return state.status === 'pending' ? [{ run_id: 'one' }] : []
    }
    if (text.includes('max(id)')) return [{ id: state.events.at(-1)?.id ?? null }]
    if (text.includes('status from runs')) return state.status ? [{ run_id: 'one', status: state.status }] : []
    if (text.includes('unnest')) {
      const [, [after = -1]] = values as unknown as [string[], number[]]
      return state.events.filter(({ id }) => id > after)
    }
    const [, after, until, limit] = values as unknown as number[]
    return state.events.filter(({ id }) => id > (after as number) && id <= (until as number)).slice(0, limit)
  }
  const hub = new Hub({ query } as unknown as Db, bus as unknown as Bus, () => {})
  return { hub, bus, sent, state }
}
const RUN: FollowedRun = {
  ...{ run_id: 'one', status: 'running', is_resumable: true, is_watched: false, attempt: 1, creator: 2, owner: 2 },
}
const settle = () => new Promise((resolve) => setImmediate(resolve))
const message = (bus: EventEmitter, kind: string, run = 'one') => bus.emit('message', { kind, run })
const isKept = { isKept: true, isFollowed: false }

describe('a log', () => {
  test('is one for all who hold it, and gone with the last of them', () => {
    const { hub } = hubOver()
    const [first, second] = [hub.acquire('one'), hub.acquire('one')]
    expect([first.log, hub.size]).toEqual([second.log, 1])
    first.release()
    first.release()
    expect(hub.size).toBe(1)
    second.release()
    expect(hub.size).toBe(0)
    const third = hub.acquire('one')
    second.release()
    expect([third.log === first.log, hub.size]).toEqual([false, 1])
  })

  test('numbers the events of each attempt in its own range', async () => {
    const { hub } = hubOver()
    const first = hub.begin('one', 1, isKept)
    expect([first.log.publish('a', '').id, first.log.publish('b', '').id]).toEqual([0, 1])
    first.release()
    const third = hub.begin('one', 3, isKept)
    await third.ready
    expect(third.log.publish('c', '').id).toBe(2 * PER_ATTEMPT)
  })

  test.each([
    [true, false, true],
    [false, true, true],
    [false, false, false],
  ])('kept %s or followed %s is stored: %s', (kept, isFollowed, expected) => {
    const { writer } = hubOver().hub.begin('one', 1, { isKept: kept, isFollowed })
    expect([writer.isKept, writer.isFollowed]).toEqual([expected, isFollowed])
  })

  test('of an attempt is stored from the moment when another process reads it, which is told where that begins', () => {
    const { hub, bus, sent } = hubOver()
    const { log, writer } = hub.begin('one', 1, { isKept: false, isFollowed: false })
    log.publish('custom', '')
    message(bus, 'watch', 'other')
    expect([writer.isKept, sent]).toEqual([false, []])
    message(bus, 'watch')
    expect([writer.isKept, writer.isFollowed, sent]).toEqual([true, true, [{ kind: 'watched', run: 'one', id: 0 }]])
  })

  test('that this process only reads is not announced', () => {
    const { hub, bus, sent } = hubOver()
    hub.acquire('one')
    message(bus, 'watch')
    expect(sent).toEqual([])
  })
})

describe('a run of another process', () => {
  test('is read after its last stored event, and to its end', async () => {
    const { hub, sent, state, bus } = hubOver(stored(0, 1, 2))
    const { log, release } = hub.acquire('one')
    const reader = log.attach()
    await hub.follow(RUN)
    await settle()
    expect([reader.size, log.lastId, sent]).toEqual([0, 2, [{ kind: 'watch', run: 'one' }]])
    state.events = stored(0, 1, 2, 3)
    bus.emit('events', ['one'])
    await settle()
    expect((await reader.take(1))?.map(({ id }) => id)).toEqual([3])
    await hub.follow(RUN)
    expect(sent).toHaveLength(1)
    state.status = 'success'
    message(bus, 'ended')
    await settle()
    expect(log.isOver).toBe(true)
    release()
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each(['watched', 'ended'])('that stores nothing yet is read once it is %s', async (kind) => {
    const { hub, bus, sent } = hubOver()
    hub.acquire('one')
    let isFollowed = false
    const following = hub.follow({ ...RUN, is_resumable: false }).then(() => {
      isFollowed = true
    })
    await settle()
    expect(sent).toEqual([{ kind: 'watch', run: 'one' }])
    message(bus, kind, 'other')
    message(bus, 'claimed')
    await settle()
    expect(isFollowed).toBe(false)
    message(bus, kind)
    await following
    expect(bus.listenerCount('message')).toBe(1)
  })

  test('that does not answer is read after a second', async () => {
    const { hub } = hubOver()
    hub.acquire('one')
    let isFollowed = false
    const following = hub.follow({ ...RUN, is_resumable: false }).then(() => {
      isFollowed = true
    })
    await vi.advanceTimersByTimeAsync(WATCH_MS - 1)
    expect(isFollowed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await following
  })

  test('that was made there and is pending is marked, so that its events are stored from the first one', async () => {
    const { hub, state, sent, bus } = hubOver([], 'pending')
    const { log } = hub.acquire('one')
    const reader = log.attach()
    await hub.follow({ ...RUN, status: 'pending', is_resumable: false, attempt: 0, owner: null })
    expect([state.marks, sent]).toEqual([1, []])
    state.events = stored(0)
    state.status = 'running'
    message(bus, 'claimed')
    await settle()
    expect((await reader.take(1))?.map(({ id }) => id)).toEqual([0])
  })

  test('that has begun before it could be marked is followed like a running one', async () => {
    const { hub, sent } = hubOver(stored(0), 'running')
    const { log } = hub.acquire('one')
    await hub.follow({ ...RUN, status: 'pending', attempt: 0, owner: null })
    expect([log.lastId, sent]).toEqual([0, [{ kind: 'watch', run: 'one' }]])
  })

  test('that was made here and is pending needs no mark', async () => {
    const { hub, state, sent } = hubOver(stored(5), 'pending')
    const { log } = hub.acquire('one')
    await hub.follow({ ...RUN, status: 'pending', is_resumable: false, attempt: 0, owner: null, creator: 1 })
    expect([state.marks, sent, log.lastId]).toEqual([0, [], -1])
  })

  test('that is pending again is read after what its attempts have stored', async () => {
    const { hub, sent } = hubOver(stored(0, 1), 'pending')
    const [resumable, other] = [hub.acquire('one'), hubOver(stored(0, 1), 'pending')]
    await hub.follow({ ...RUN, status: 'pending', attempt: 0, creator: 1, owner: null })
    const { log } = other.hub.acquire('one')
    await other.hub.follow({ ...RUN, status: 'pending', is_resumable: false, attempt: 1, creator: 1, owner: null })
    expect([resumable.log.lastId, log.lastId, sent]).toEqual([1, 1, []])
  })

  test('that this process owns is not asked to be announced', async () => {
    const { hub, sent } = hubOver(stored(0))
    hub.acquire('one')
    await hub.follow({ ...RUN, owner: 1 })
    expect(sent).toEqual([])
  })

  test('that nobody holds, or that is written here, is not followed', async () => {
    const { hub, sent } = hubOver(stored(0, 1))
    await hub.follow(RUN)
    const { log } = hub.begin('one', 1, isKept)
    await hub.follow(RUN)
    expect([sent, log.lastId]).toEqual([[], -1])
  })
})

describe('a reader that hears nothing', () => {
  test('waits on while the run is pending, and gets what was stored once it has begun', async () => {
    const { hub, state } = hubOver(stored(0), 'pending')
    const { log } = hub.acquire('one')
    await hub.check('one')
    await settle()
    expect(log.lastId).toBe(-1)
    state.status = 'running'
    await hub.check('one')
    await settle()
    expect(log.lastId).toBe(0)
  })

  test('gets the end of a run that is gone', async () => {
    const { hub, state } = hubOver()
    const { log } = hub.acquire('one')
    state.status = undefined
    await hub.check('one')
    await settle()
    expect(log.isOver).toBe(true)
  })

  test('asks nothing where the run is written or followed here, or held by nobody', async () => {
    const { hub, state } = hubOver(stored(0, 1))
    hub.acquire('one')
    await hub.follow(RUN)
    const written = hubOver(stored(0, 1))
    const { log } = written.hub.begin('one', 1, isKept)
    for (const one of [state, written.state]) one.isDown = true
    await hub.check('one')
    await written.hub.check('one')
    await hub.check('other')
    expect(log.lastId).toBe(-1)
  })
})

describe('stored events', () => {
  test('are read in pages between two ids', async () => {
    const { hub } = hubOver(stored(0, 1, 2, 3, 4))
    const read = async (...args: [number, number?, number?]) => {
      const pages: number[][] = []
      for await (const page of hub.stored('one', ...args)) pages.push(page.map(({ id }) => id))
      return pages
    }
    expect(await read(-1, 4, 2)).toEqual([[0, 1], [2, 3], [4]])
    expect(await read(0, 2, 2)).toEqual([[1, 2]])
    expect(await read(2)).toEqual([[3, 4]])
    expect(await read(4)).toEqual([])
  })
})

test('a stop cuts all readers, and mirrors nothing more', async () => {
  const { hub, state, bus } = hubOver(stored(0))
  const { log } = hub.acquire('one')
  const reader = log.attach()
  await hub.follow(RUN)
  hub.cut(new StreamCut('The process is stopping.'))
  await expect(reader.take(1)).rejects.toThrow('stopping')
  state.events = stored(0, 1)
  bus.emit('events', ['one'])
  await settle()
  expect([log.lastId, vi.getTimerCount()]).toEqual([0, 0])
})

test('an attempt that is given up without readers is followed by nobody', async () => {
  const { hub, state } = hubOver()
  const held = hub.acquire('one')
  const begun = hub.begin('one', 1, isKept)
  begun.release()
  state.events = stored(0)
  await vi.advanceTimersByTimeAsync(2000)
  expect([held.log.lastId, hub.size, vi.getTimerCount()]).toEqual([-1, 1, 0])
  held.release()
  expect(hub.size).toBe(0)
})
