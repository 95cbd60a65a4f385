import { afterEach, describe, expect, test, vi } from 'vitest'
import type { LogEntry } from '@/lib/stream/log'
import { browserClock, type RunClock } from './browser-clock'
import { RunStore } from './run-store'

/** A manual clock; each reading takes `costMs`. */
function handClock(costMs = 0) {
  const laters: (() => void)[] = []
  const frames: (() => void)[] = []
  let time = 0
  const clock: RunClock = {
    now: () => {
      time += costMs
      return time
    },
    later: (task) => laters.push(task),
    nextFrame: (task) => frames.push(task),
  }
  const drain = (tasks: (() => void)[]) => tasks.splice(0).map((task) => task()).length
  return { clock, later: () => drain(laters), frame: () => drain(frames) }
}

const events = (from: number, count: number): LogEntry[] =>
  Array.from({ length: count }, (_, index) => ({
    seq: from + index,
    at: from + index,
    kind: 'event',
    event: 'custom',
    data: '1',
  }))

describe('following a recording', () => {
  test('asks again from its last entry after an error', () => {
    const { clock, later, frame } = handClock()
    const store = new RunStore(clock)
    store.feed.entries(events(1, 2), { total: 2, phase: 'live' })
    later()
    store.feed.error({ code: 'internal', message: 'The object storage does not answer.' })
    frame()
    store.retry()
    expect([store.error, store.turn, store.view.seq, frame()]).toEqual([undefined, 1, 2, 1])
  })

  test('calls listeners once per animation frame, however much arrives', () => {
    const { clock, later, frame } = handClock()
    const store = new RunStore(clock)
    let heard = 0
    store.subscribe(() => heard++)
    for (let block = 0; block < 50; block++) {
      store.feed.entries(events(block * 20 + 1, 20), { total: 1_000, phase: 'live' })
      later()
    }
    expect(store.view.seq).toBe(1_000)
    expect([heard, store.getVersion()]).toEqual([0, 0])
    expect(frame()).toBe(1)
    expect([heard, store.getVersion()]).toEqual([1, 1])
    frame()
    expect(heard).toBe(1)
  })

  test('applies a large replay in ordered slices and reports progress between them', () => {
    const { clock, later, frame } = handClock(3)
    const store = new RunStore(clock)
    store.feed.entries(events(1, 1_000), { total: 1_000, phase: 'live' })
    later()
    expect(store.view.seq).toBeGreaterThan(0)
    expect(store.view.seq).toBeLessThan(200)
    frame()
    expect(store.getVersion()).toBe(1)
    for (let turn = 0; turn < 40; turn++) later()
    expect(store.view.seq).toBe(1_000)
    expect(store.total).toBe(1_000)
  })

  test('renders a flood rarely, but at once when it pauses or the run ends', async () => {
    const { clock, later, frame } = handClock()
    const store = new RunStore(clock)
    const pour = (block: number) => {
      store.feed.entries(events(block * 1_000 + 1, 1_000), { total: 100_000, phase: 'live' })
      later()
    }
    pour(0)
    expect(frame()).toBe(1)
    for (let block = 1; block < 20; block++) {
      pour(block)
      expect(frame()).toBe(0)
    }
    await expect.poll(frame).toBe(1)
    expect([store.view.seq, store.getVersion()]).toEqual([20_000, 2])
    pour(20)
    expect(frame()).toBe(0)
    const end: LogEntry = { seq: 21_001, at: 21_001, kind: 'final', outcome: 'success' }
    store.feed.entries([end], { total: 21_001, phase: 'ended' })
    later()
    expect(frame()).toBe(1)
  })

  test('a live run that is said to have ended, but not yet how, is no file that ends early', () => {
    const { clock, later } = handClock()
    const store = new RunStore(clock)
    store.feed.entries(events(1, 2), { total: 2, phase: 'ended' })
    later()
    expect(store.endsEarly).toBe(false)
  })

  test('ignores duplicate entries', () => {
    const { clock, later } = handClock()
    const store = new RunStore(clock)
    store.feed.entries(events(1, 10), { total: 10, phase: 'live' })
    store.feed.entries(events(1, 12), { total: 12, phase: 'live' })
    later()
    expect(store.view.seq).toBe(12)
    expect(store.view.log.length).toBe(12)
  })

  test('reports missing entries as an error', () => {
    const { clock, later } = handClock()
    const store = new RunStore(clock)
    store.feed.entries([...events(1, 5), ...events(7, 5)], { total: 11, phase: 'live' })
    later()
    expect(store.view.seq).toBe(5)
    expect(store.error?.message).toContain('missing')
  })

  test('reports an error at the next frame and clears it with new entries', () => {
    const { clock, later, frame } = handClock()
    const store = new RunStore(clock)
    store.feed.error({ code: 'not_found', message: 'There is no such recording.' })
    frame()
    expect(store.error?.code).toBe('not_found')
    store.feed.entries(events(1, 1), { total: 1, phase: 'live' })
    later()
    expect(store.error).toBeUndefined()
  })

  test('a pause only counts new entries; resuming continues from the last entry', () => {
    const { clock, later, frame } = handClock()
    const store = new RunStore(clock)
    store.feed.entries(events(1, 10), { total: 10, phase: 'live' })
    later()
    store.pause()
    store.feed.entries(events(11, 90), { total: 100, phase: 'live' })
    later()
    frame()
    expect([store.view.seq, store.total, store.turn]).toEqual([10, 100, 0])
    store.resume()
    expect(store.turn).toBe(1)
    store.feed.entries(events(11, 95), { total: 105, phase: 'live' })
    later()
    expect(store.view.seq).toBe(105)
    expect(store.error).toBeUndefined()
  })
})

describe('browser clock', () => {
  afterEach(() => {
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })

  test('rests three times as long as a slow repaint took, and renders a key press first', async () => {
    let time = 1_000
    let frames: (() => void)[] = []
    vi.spyOn(performance, 'now').mockImplementation(() => time)
    vi.stubGlobal('requestAnimationFrame', (task: () => void) => frames.push(task))
    let timers: { at: number; run: () => void }[] = []
    vi.stubGlobal('setTimeout', (run: (...args: unknown[]) => void, ms: number, ...args: unknown[]) =>
      timers.push({ at: time + ms, run: () => run(...args) }),
    )
    const presses: ((event: { timeStamp: number }) => void)[] = []
    vi.stubGlobal('addEventListener', (_: string, listener: (typeof presses)[0]) => presses.push(listener))
    const frame = async () => {
      const due = timers.filter(({ at }) => at <= time)
      timers = timers.filter(({ at }) => at > time)
      for (const { run } of due) run()
      const now = frames
      frames = []
      for (const task of now) task()
      await new Promise<void>((resolve) => browserClock.later(resolve)) // the repaint has finished
    }
    const drawn: number[] = []
    const draw = (costMs: number) =>
      browserClock.nextFrame(() => {
        drawn.push(time)
        time += costMs
      })
    draw(20)
    await frame()
    draw(4)
    await frame()
    expect(frames).toEqual([]) // no frame is requested while resting
    time += 50
    await frame()
    expect(drawn).toEqual([1_000])
    time += 11
    await frame()
    expect(drawn).toEqual([1_000, 1_081])
    draw(4)
    await frame()
    expect(drawn).toHaveLength(3)

    // A key press renders before the run; then the run renders once, but not when the next key is expected.
    const press = () => {
      for (const one of presses) one({ timeStamp: time })
    }
    /** Milliseconds until a requested repaint happens. */
    const wait = async (pressing = () => {}) => {
      const [before, asked] = [drawn.length, time]
      draw(0)
      while (drawn.length === before) {
        time += 10
        pressing()
        await frame()
      }
      return (drawn.at(-1) ?? 0) - asked
    }
    press()
    expect(await wait()).toBe(70)
    expect(await wait()).toBe(130)
    expect(await wait()).toBe(10)
    // Constant typing does not stop the run from rendering.
    expect(await wait(press)).toBe(250)
  })

  test('renders nothing in a hidden tab, and everything at once when it is shown', async () => {
    vi.spyOn(performance, 'now').mockReturnValue(100_000)
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    const frames: (() => void)[] = [] // a hidden tab gets none
    vi.stubGlobal('requestAnimationFrame', (task: () => void) => frames.push(task))
    const store = new RunStore()
    let heard = 0
    store.subscribe(() => heard++)
    for (let block = 0; block < 5; block++) {
      store.feed.entries(events(block * 200 + 1, 200), { total: 1_000, phase: 'live' })
      await new Promise<void>((resolve) => browserClock.later(resolve))
      vi.advanceTimersByTime(60_000)
    }
    expect([store.view.seq, heard, frames.length]).toEqual([1_000, 0, 1])
    frames[0]?.()
    expect([heard, store.getVersion()]).toEqual([1, 1])
  })
})
