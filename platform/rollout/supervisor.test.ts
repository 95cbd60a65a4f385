import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AgentChild } from '../compute/process/child'
import { Supervisor } from './supervisor'

// Uses fake time, for the supervisor's own waits too.
vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number, value: unknown, options: { signal?: AbortSignal } = {}) =>
    new Promise((resolve, reject) => {
      setTimeout(resolve, ms, value)
      options.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error))
    }),
}))
beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

/** A child without a process; `crash` ends it. */
function fakeChild() {
  let end = (_how: string) => {}
  let isRunning = true
  const ended = new Promise<string>((resolve) => {
    end = resolve
  })
  const crash = (how = 'exit code 1') => {
    isRunning = false
    end(how)
  }
  const child = {
    name: 'process 1',
    pid: 1,
    group: 1,
    host: '127.0.0.1',
    port: 1,
    secret: '',
    openRequests: 0,
    authenticates: false,
    isIdle: false,
    ended,
    isRunning: () => isRunning,
    status: { ready: 1, wanted: 1 },
    receive: async () => {},
    retire: () => {},
    stop: async () => crash('stopped'),
    release: async () => crash('stopped'),
  }
  return { child: child as AgentChild & { isIdle: boolean }, crash }
}
function createSupervisor(more = {}) {
  const lines: string[] = []
  const options = { drainMs: 200, graceMs: 10, log: (_level: string, line: string) => lines.push(line), ...more }
  return { supervisor: new Supervisor(options), lines }
}

test('repeated crashes back off, and a longer-lived child resets the delay', async () => {
  const { supervisor, lines } = createSupervisor({ stableMs: 150 })
  const started: ReturnType<typeof fakeChild>[] = []
  const launch = async () => {
    const made = fakeChild()
    started.push(made)
    if (started.length < 3) setTimeout(made.crash, 5)
    return made.child
  }
  supervisor.restore(launch)
  await pass(5 + 250 + 5 + 500)
  expect(started).toHaveLength(3)
  await pass(200)
  started[2]?.crash()
  await pass(250)
  expect(started).toHaveLength(4)
  await supervisor.stop()
  expect(lines.filter((line) => line.startsWith('Restarting'))).toEqual([
    'Restarting it in 0.25 s (the first time).',
    'Restarting it in 0.5 s (time 2 in a row).',
    'Restarting it in 0.25 s (the first time).',
  ])
  expect(lines[0]).toMatch(/^The agent server exited: exit code 1\. It had run for 0\.0 s\.$/)
})

test('stop waits for children that are starting and leaves none running', async () => {
  const { supervisor } = createSupervisor()
  const { child } = fakeChild()
  let isBegun = false
  supervisor.restore(async () => {
    isBegun = true
    await new Promise((resolve) => setTimeout(resolve, 100))
    return child
  })
  expect(isBegun).toBe(true)
  const stopped = supervisor.stop()
  await pass(100)
  await stopped
  expect(child.isRunning()).toBe(false)
})

test('a replaced child is stopped once it is idle with no open requests, or at the drain limit', async () => {
  const { supervisor, lines } = createSupervisor()
  const [first, second, third] = [fakeChild().child, fakeChild().child, fakeChild().child]
  const launch = async () => fakeChild().child
  supervisor.adopt(first, launch)
  first.openRequests = 1
  supervisor.adopt(second, launch)
  first.isIdle = true
  await pass(60)
  expect(first.isRunning()).toBe(true)
  first.openRequests = 0
  await pass(60)
  expect(first.isRunning()).toBe(false)
  expect(lines.at(-1)).toMatch(/^The previous agent server \(process 1\) exited 0\.1 s after the switch\.$/)

  supervisor.adopt(third, launch)
  await pass(100)
  expect(second.isRunning()).toBe(true)
  await pass(200)
  expect(second.isRunning()).toBe(false)
  expect(lines.at(-2)).toMatch(
    /still had runs in progress after 0\.2 s\. It is stopped now, and its runs continue here/,
  )
  await supervisor.stop()
})

test('a replaced child whose cluster does not remove it is told, and holds up no stop', async () => {
  const { supervisor, lines } = createSupervisor()
  const [first, second] = [fakeChild().child, fakeChild().child]
  const launch = async () => fakeChild().child
  for (const one of [first, second])
    one.stop = async () => {
      throw new Error('The listener is away.')
    }
  first.isIdle = true
  for (const one of [first, second, fakeChild().child]) supervisor.adopt(one, launch)
  await pass(60)
  expect(lines).toEqual(['The previous agent server (process 1) was not removed: The listener is away.'])
  const stopped = supervisor.stop(10, 'release')
  await pass(300)
  await stopped
  expect(lines).toHaveLength(1)
})

test('gateways are told when servers come, move or crash, and a drain waits for what they have open', async () => {
  const told: (number | undefined)[] = []
  let open = 1
  const { supervisor } = createSupervisor({
    onChange: () => told.push(supervisor.current?.port),
    openElsewhere: async () => open,
    drainMs: 10_000,
  })
  const [first, second] = [fakeChild(), fakeChild()]
  const group = Object.assign(first.child, { ports: [1, 2] })
  supervisor.adopt(group, () => new Promise(() => {}))
  Object.assign(group, { port: 2 })
  group.onChange?.()
  supervisor.adopt(second.child, () => new Promise(() => {}))
  // Of one without several ports too: whether its callers need a key may become known later.
  second.child.onChange?.()
  Object.assign(first.child, { isIdle: true })
  await pass(5000)
  expect(first.child.isRunning()).toBe(true)
  open = 0
  await pass(500)
  expect(first.child.isRunning()).toBe(false)
  second.crash()
  await pass(1)
  expect(told).toEqual([1, 2, 1, 1, undefined])
})
