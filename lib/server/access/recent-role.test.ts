import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Actor, systemActor } from './actor'
import { recentRoleOf } from './recent-role'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('checks close to each other share one answer, and a later one asks again', async () => {
  const actor = systemActor('poller')
  const first = recentRoleOf(actor, 'default', 100)
  vi.advanceTimersByTime(99)
  expect(recentRoleOf(actor, 'default', 100)).toBe(first)
  vi.advanceTimersByTime(1)
  const second = recentRoleOf(actor, 'default', 100)
  expect(second).not.toBe(first)
  expect(await second).toBe('viewer')
  vi.advanceTimersByTime(50)
  // Another one's answer ends earlier, and is not kept for this one's sake.
  await recentRoleOf(actor, 'other', 10)
  vi.advanceTimersByTime(20)
  expect(recentRoleOf(actor, 'default', 100)).toBe(second)
})

test('people, sessions and workspaces have answers of their own', async () => {
  const session = (id: string) => ({ id, version: 1, endsAt: 0 })
  const actors: Actor[] = [
    systemActor('one'),
    systemActor('two'),
    { ...systemActor('one'), session: session('a') },
    { ...systemActor('one'), session: session('b') },
  ]
  const answers = actors.flatMap((actor) => ['left', 'right'].map((workspace) => recentRoleOf(actor, workspace, 100)))
  expect(new Set(answers).size).toBe(8)
})
