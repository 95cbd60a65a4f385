import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, gt, lt, or, sql } from 'drizzle-orm'
import { db, type StoreOrTransaction } from '../process/db'
import { alertLease } from '../process/schema'

/** Long enough for a round, short enough that another instance takes over within a minute. */
const LEASE_SECONDS = 45

/** Names this process, or an evaluator of a test. */
export const newHolder = (): string => randomUUID()

/** Takes or renews the lease. False while another instance holds it. By the clock of the database. */
export async function takeLease(holder: string): Promise<boolean> {
  const store = await db()
  const until = sql`now() + make_interval(secs => ${LEASE_SECONDS})`
  const taken = await store
    .insert(alertLease)
    .values({ id: 1, holder, until })
    .onConflictDoUpdate({
      target: alertLease.id,
      set: { holder, until },
      setWhere: or(eq(alertLease.holder, holder), lt(alertLease.until, sql`now()`)),
    })
    .returning({ holder: alertLease.holder })
  return taken.length > 0
}

/**
 * Locks the lease for a transaction that writes what a round found. False if another instance has taken over since: then
 * nothing may be written, so that no alert is sent twice.
 */
export async function holdLease(transaction: StoreOrTransaction, holder: string): Promise<boolean> {
  const held = await transaction
    .update(alertLease)
    .set({ evaluatedAt: sql`now()` })
    .where(and(eq(alertLease.id, 1), eq(alertLease.holder, holder), gt(alertLease.until, sql`now()`)))
    .returning({ holder: alertLease.holder })
  return held.length > 0
}

/** Lets another instance take over at once. */
export async function endLease(holder: string): Promise<void> {
  await (await db()).update(alertLease).set({ until: sql`now()` }).where(eq(alertLease.holder, holder))
}
