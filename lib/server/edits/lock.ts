import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@/lib/errors'
import { changingUnder, type Lease, takeLease } from '../process/lease'

/** How long an edit waits for the previous one, and how often it looks. */
const WAIT_MS = 60_000
const LOOK_MS = 150

const shared = globalThis as { pilothouseEdits?: Map<string, Promise<unknown>> }

/** What a lock covers: its kind, the workspace, then the ids. Compared part by part, so `a b` + `c` is not `a` + `b c`. */
export type LockKey = readonly [kind: LockKind, workspace: string, ...ids: string[]]
type LockKind = 'deployment' | 'new deployment' | 'assistant' | 'thread' | 'item' | 'cron' | 'listener'

/**
 * Runs edits with the same key one at a time, across all instances of the console. An edit that has lost its lock, because
 * its console hung, sends nothing more.
 * @throws AppError conflict after `WAIT_MS`
 */
export async function withEditLock<T>(parts: LockKey, work: () => Promise<T>): Promise<T> {
  const key = JSON.stringify(['edit', ...parts])
  shared.pilothouseEdits ??= new Map()
  const queue = shared.pilothouseEdits
  const before = queue.get(key) ?? Promise.resolve()
  const mine = before.then(() => alone(key, work))
  const done = mine.catch(() => undefined)
  queue.set(key, done)
  try {
    return await mine
  } finally {
    if (queue.get(key) === done) queue.delete(key)
  }
}

async function alone<T>(key: string, work: () => Promise<T>): Promise<T> {
  const lease = await waitFor(key)
  try {
    return await changingUnder(lease, work)
  } finally {
    await lease.end()
  }
}

async function waitFor(key: string): Promise<Lease> {
  for (const end = performance.now() + WAIT_MS; ; await sleep(LOOK_MS)) {
    const lease = await takeLease(key)
    if (lease) return lease
    if (performance.now() > end)
      throw new AppError('conflict', 'Someone else is saving this right now. Nothing was sent; try again.')
  }
}
