import 'server-only'
import { createHash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { db } from '../process/db'
import { idempotencyKeys } from '../process/schema'

/** How long a repeat waits for the first request. */
const WAIT_MS = 20_000
const LOOK_MS = 150

type Request = { actor: Actor; key: string; operation: string; input: unknown }

/**
 * Runs `work` once per key and account; a repeat, such as a double click, gets the first result, and failures can be
 * retried. Throws AppError conflict for a key that was used with another input.
 */
export async function withIdempotencyKey<T>(
  { actor, key, operation, input }: Request,
  work: () => Promise<T>,
): Promise<T> {
  const store = await db()
  const bodyHash = createHash('sha256').update(JSON.stringify(input)).digest('base64url')
  const own = { account: actor.id, key }
  const where = and(eq(idempotencyKeys.account, actor.id), eq(idempotencyKeys.key, key))
  const inserted = await store
    .insert(idempotencyKeys)
    .values({ ...own, operation, bodyHash })
    .onConflictDoNothing()
    .returning({ key: idempotencyKeys.key })
  if (inserted.length === 0) return await resultOf<T>(where, operation, bodyHash)
  try {
    const value = await work()
    await store.update(idempotencyKeys).set({ result: { value } }).where(where)
    return value
  } catch (error) {
    await store.delete(idempotencyKeys).where(where)
    throw error
  }
}

/** Waits for the result of the first request with this key. */
async function resultOf<T>(where: ReturnType<typeof and>, operation: string, bodyHash: string): Promise<T> {
  const store = await db()
  for (const end = Date.now() + WAIT_MS; ; ) {
    const [row] = await store.select().from(idempotencyKeys).where(where)
    if (!row)
      throw new AppError(
        'conflict',
        'The first of two identical requests failed. Check the current state, then try again.',
      )
    if (row.operation !== operation || row.bodyHash !== bodyHash)
      throw new AppError(
        'conflict',
        'This request was already sent with different content. Reload the page and try again.',
      )
    if (row.result !== null) return (row.result as { value: T }).value // as it was stored above
    if (Date.now() > end)
      throw new AppError('conflict', 'The same request is still in progress. Reload the page to see its result.')
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }
}

/** A UUID derived from `words`. Creating a record with it twice cannot create two records. */
export function idFromKey(words: readonly string[]): string {
  const digits = createHash('sha256').update(JSON.stringify(words)).digest('hex')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5')
}
