import 'server-only'
import { AppError } from '@/lib/errors'
import { lockConnection } from '../process/lock-connection'
import { log } from '../process/log'

/** How long an edit waits for the previous one. */
const WAIT_MS = 60_000
const LOCK_TIMEOUT = '55P03'

const shared = globalThis as { pilothouseEdits?: Map<string, Promise<unknown>> }

/** What a lock covers: its kind, the workspace, then the ids. Compared part by part, so `a b` + `c` is not `a` + `b c`. */
export type LockKey = readonly [kind: LockKind, workspace: string, ...ids: string[]]
type LockKind = 'deployment' | 'new deployment' | 'assistant' | 'thread' | 'item' | 'cron'

/**
 * Runs edits with the same key one at a time, across all instances of the console. The lock has its own connection: one
 * from the pool could starve the queries of the edit that holds it.
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
  // The edit still checks for conflicts itself.
  const client = await lockConnection('pilothouse-edit', (error) => log.warn('edit.lock_lost', { error }))
  try {
    await client.query(`set lock_timeout = ${WAIT_MS}`)
    await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [key])
    return await work()
  } catch (error) {
    if ((error as { code?: unknown }).code !== LOCK_TIMEOUT) throw error
    throw new AppError('conflict', 'Someone else is saving this right now. Nothing was sent; try again.')
  } finally {
    await client.end().catch(() => undefined)
  }
}
