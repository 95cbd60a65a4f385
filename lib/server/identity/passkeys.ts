import 'server-only'
import { and, asc, count, eq, isNull, sql } from 'drizzle-orm'
import { db, type StoreOrTransaction } from '../process/db'
import { accounts, endedSessions, passkeys } from '../process/schema'

export type StoredPasskey = typeof passkeys.$inferSelect

/** The passkeys of an account, the oldest first. */
export async function passkeysOf(account: string): Promise<StoredPasskey[]> {
  const store = await db()
  return await store.select().from(passkeys).where(eq(passkeys.account, account)).orderBy(asc(passkeys.createdAt))
}

/** Whether anybody has a passkey, so that the sign-in page offers it. */
export async function hasPasskeys(): Promise<boolean> {
  const [found] = await (await db()).select({ id: passkeys.id }).from(passkeys).limit(1)
  return found !== undefined
}

/** A passkey of an enabled account. */
export async function findPasskey(id: string): Promise<StoredPasskey | undefined> {
  const store = await db()
  const [found] = await store
    .select({ passkey: passkeys })
    .from(passkeys)
    .innerJoin(accounts, and(eq(accounts.id, passkeys.account), isNull(accounts.disabledAt)))
    .where(eq(passkeys.id, id))
  return found?.passkey
}

/** Returns false if the passkey is known already. */
export async function storePasskey(passkey: typeof passkeys.$inferInsert): Promise<boolean> {
  const store = await db()
  const made = await store.insert(passkeys).values(passkey).onConflictDoNothing().returning({ id: passkeys.id })
  return made.length > 0
}

export async function notePasskeyUse(id: string, counter: number): Promise<void> {
  const store = await db()
  await store.update(passkeys).set({ counter, lastUsedAt: sql`now()` }).where(eq(passkeys.id, id))
}

/** Returns false if the account has no such passkey. Without any, the password alone signs in again. */
export async function erasePasskey(account: string, id: string): Promise<boolean> {
  const store = await db()
  return await store.transaction(async (transaction) => {
    const erased = await transaction
      .delete(passkeys)
      .where(and(eq(passkeys.account, account), eq(passkeys.id, id)))
      .returning({ id: passkeys.id })
    const [left] = await transaction.select({ n: count() }).from(passkeys).where(eq(passkeys.account, account))
    if (left?.n === 0) await requirePasskey(transaction, account, false)
    return erased.length > 0
  })
}

/** Removes all passkeys, for an account whose owner has lost them. */
export async function erasePasskeys(store: StoreOrTransaction, account: string): Promise<void> {
  await store.delete(passkeys).where(eq(passkeys.account, account))
  await requirePasskey(store, account, false)
}

export async function requirePasskey(store: StoreOrTransaction, account: string, isRequired: boolean): Promise<void> {
  await store.update(accounts).set({ requiresPasskey: isRequired }).where(eq(accounts.id, account))
}

/** Whether a challenge is used for the first time, on any instance. It lies with the ended sessions, which expire alike. */
export async function spendChallenge(challenge: string): Promise<boolean> {
  const store = await db()
  const spent = await store
    .insert(endedSessions)
    .values({ id: `challenge ${challenge}`, endsAt: sql`now()` })
    .onConflictDoNothing()
    .returning({ id: endedSessions.id })
  return spent.length > 0
}
