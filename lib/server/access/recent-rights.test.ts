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
