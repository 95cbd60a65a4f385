import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Actor, systemActor } from './actor'
import { recentRightsOf } from './recent-rights'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('checks close to each other share one answer, and a later one asks again', async () => {
  const actor = systemActor('poller')
  const first = recentRightsOf(actor, 'default', 100)
  vi.advanceTimersByTime(99)
  expect(recentRightsOf(actor, 'default', 100)).toBe(first)
  vi.advanceTimersByTime(1)
  const second = recentRightsOf(actor, 'default', 100)
  expect(second).not.toBe(first)
  expect(await second).toEqual({ role: 'viewer', deployments: {} })
  vi.advanceTimersByTime(50)
  await recentRightsOf(actor, 'other', 10)
  vi.advanceTimersByTime(20)
  expect(recentRightsOf(actor, 'default', 100)).toBe(second)
  // Who wants a newer one gets it, and others share that.
  const third = recentRightsOf(actor, 'default', 0)
  expect(third).not.toBe(second)
  expect(recentRightsOf(actor, 'default', 100)).toBe(third)
})

test('an answer is never shared for longer than ten seconds', async () => {
  const actor = systemActor('patient')
  const first = recentRightsOf(actor, 'default', 60_000)
  vi.advanceTimersByTime(9_999)
  expect(recentRightsOf(actor, 'default', 60_000)).toBe(first)
  vi.advanceTimersByTime(1)
  expect(recentRightsOf(actor, 'default', 60_000)).not.toBe(first)
})

test('after an outage the next check asks again, and a newer answer stays', async () => {
  const shared = globalThis as { pilothouseStore?: Promise<unknown> }
  const own = shared.pilothouseStore
  const person: Actor = { id: '0190a1b2-0000-4000-8000-000000000001', email: '', kind: 'user' }
  try {
    shared.pilothouseStore = Promise.reject(new Error('The store is down.'))
    const failed = recentRightsOf(person, 'default', 100)
    expect(recentRightsOf(person, 'default', 100)).toBe(failed)
    await expect(failed).rejects.toThrow('down')
    let fail = (_: Error) => {}
    shared.pilothouseStore = new Promise((_, reject) => {
      fail = reject
    })
    const second = recentRightsOf(person, 'default', 100)
    expect(second).not.toBe(failed)
    shared.pilothouseStore = new Promise(() => {})
    const third = recentRightsOf(person, 'default', 0)
    fail(new Error('The store is down.'))
    await expect(second).rejects.toThrow('down')
    expect(recentRightsOf(person, 'default', 100)).toBe(third)
  } finally {
    if (own) shared.pilothouseStore = own
    else delete shared.pilothouseStore
  }
})

test('people, sessions and workspaces have answers of their own', async () => {
  const session = (id: string) => ({ id, version: 1, endsAt: 0 })
  const actors: Actor[] = [
    systemActor('one'),
    systemActor('two'),
    systemActor('one', ['a']),
    { ...systemActor('one'), session: session('a') },
    { ...systemActor('one'), session: session('b') },
  ]
  const answers = actors.flatMap((actor) => ['left', 'right'].map((workspace) => recentRightsOf(actor, workspace, 100)))
  expect(new Set(answers).size).toBe(10)
})
