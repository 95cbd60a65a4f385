import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { AgentChild } from './child'
import { Supervisor } from './supervisor'

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
    pid: 1,
    port: 1,
    secret: '',
    openRequests: 0,
    isIdle: false,
    ended,
    isRunning: () => isRunning,
    retire: () => {},
    stop: async () => crash('stopped'),
  }
  return { child: child as AgentChild & { isIdle: boolean }, crash }
}
function createSupervisor(more = {}) {
  const lines: string[] = []
  const options = { drainMs: 200, graceMs: 10, log: (_level: string, line: string) => lines.push(line), ...more }
  return { supervisor: new Supervisor(options), lines }
}

test('crashes in a row are answered ever later, and at once again after one that has lived for a while', async () => {
  const { supervisor, lines } = createSupervisor({ settledMs: 150 })
  const started: ReturnType<typeof fakeChild>[] = []
  const launch = async () => {
    const made = fakeChild()
    started.push(made)
    if (started.length < 3) setTimeout(made.crash, 5)
    return made.child
  }
  supervisor.restore(launch)
  while (started.length < 3) await sleep(10)
  await sleep(200)
  started[2]?.crash()
  while (started.length < 4) await sleep(10)
  await supervisor.stop()
  expect(lines.filter((line) => line.startsWith('Starting'))).toEqual([
    'Starting it again in 0.25 s (the first time).',
    'Starting it again in 0.5 s (time 2 in a row).',
    'Starting it again in 0.25 s (the first time).',
  ])
  expect(lines[0]).toMatch(/^The agent server ended by itself: exit code 1\. It had run for 0\.\d s\.$/)
})

test('stop waits for what is only being started, and leaves none of it', async () => {
  const { supervisor } = createSupervisor()
  const { child } = fakeChild()
  let isBegun = false
  supervisor.restore(async () => {
    isBegun = true
    await sleep(100)
    return child
  })
  expect(isBegun).toBe(true)
  await supervisor.stop()
  expect(child.isRunning()).toBe(false)
})

test('a replaced child is ended once it has said that it executes nothing and every request is answered, or at the limit', async () => {
  const { supervisor, lines } = createSupervisor()
  const [first, second, third] = [fakeChild().child, fakeChild().child, fakeChild().child]
  const launch = async () => fakeChild().child
  supervisor.adopt(first, launch)
  first.openRequests = 1
  supervisor.adopt(second, launch)
  first.isIdle = true
  await sleep(60)
  expect(first.isRunning()).toBe(true)
  first.openRequests = 0
  await sleep(60)
  expect(first.isRunning()).toBe(false)
  expect(lines.at(-1)).toMatch(/^The agent server before this one \(process 1\) has ended, 0\.\d s after the switch\.$/)

  supervisor.adopt(third, launch)
  await sleep(100)
  expect(second.isRunning()).toBe(true)
  await sleep(200)
  expect(second.isRunning()).toBe(false)
  expect(lines.at(-2)).toMatch(/had runs in progress after 0\.2 s: it is ended now\. Its runs go on here/)
  await supervisor.stop()
})
