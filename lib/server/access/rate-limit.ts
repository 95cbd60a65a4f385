import 'server-only'
import { and, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm'
import { parseAddress } from '@/lib/contracts/wire/address'
import { db, LOCKS, type StoreOrTransaction } from '../process/db'
import { signInAttempts } from '../process/schema'

type Limit = { key: string; max: number }
export type Attempt =
  | { isAllowed: true /** Call it after a success: the attempt no longer counts. */; forgive(): Promise<void> }
  | { isAllowed: false; retryAfterMs: number }

const WINDOW_MS = 15 * 60_000
const WINDOW = sql`now() - interval '15 minutes'`

/**
 * Takes one sign-in attempt, counted in the database for all instances: few per address and account, more per address
 * over all accounts. A device that the account's owner has signed in from has its own limit, so that strangers cannot
 * lock the owner out.
 */
export async function takeSignInAttempt(email: string, address: string, device: string | null): Promise<Attempt> {
  const from = network(address)
  return device
    ? await take([{ key: `device:${device}`, max: 10 }])
    : await take([
        { key: `pair:${JSON.stringify([email, from])}`, max: 5 },
        { key: `email:${email}`, max: 25 },
        { key: `address:${from}`, max: 60 },
      ])
}

/** Takes one attempt to confirm the password in a session of the account. */
export const takePasswordAttempt = (account: string): Promise<Attempt> => take([{ key: `password:${account}`, max: 5 }])

/** An attempt is allowed if no limit is used up, and counts from then on, before its result is known. */
async function take(limits: Limit[]): Promise<Attempt> {
  const store = await db()
  return await store.transaction(async (transaction) => {
    // In the order of their numbers, so that two attempts never wait for each other.
    await transaction.execute(
      sql`select pg_advisory_xact_lock(${LOCKS.attempts}, number) from unnest(${sql.param(limits.map(({ key }) => key))}::text[]) as key, hashtext(key) as number order by number`,
    )
    await transaction.delete(signInAttempts).where(lt(signInAttempts.at, WINDOW))
    let retryAfterMs = 0
    for (const limit of limits) retryAfterMs = Math.max(retryAfterMs, await waitOf(transaction, limit))
    if (retryAfterMs > 0) return { isAllowed: false, retryAfterMs: Math.max(retryAfterMs, 1000) }
    const taken = await transaction
      .insert(signInAttempts)
      .values(limits.map(({ key }) => ({ key })))
      .returning({ id: signInAttempts.id })
    const ids = taken.map(({ id }) => id)
    return {
      isAllowed: true,
      forgive: async () => void (await store.delete(signInAttempts).where(inArray(signInAttempts.id, ids))),
    }
  })
}

/** How long until the limit has room again; 0 if it has. */
async function waitOf(store: StoreOrTransaction, { key, max }: Limit): Promise<number> {
  const [last] = await store
    .select({ ageMs: sql<number>`(extract(epoch from now() - ${signInAttempts.at}) * 1000)::float` })
    .from(signInAttempts)
    .where(and(eq(signInAttempts.key, key), gt(signInAttempts.at, WINDOW)))
    .orderBy(desc(signInAttempts.at))
    .offset(max - 1)
    .limit(1)
  return last ? WINDOW_MS - last.ageMs : 0
}

/** A host that has one IPv6 address usually has its whole /64. */
export function network(address: string): string {
  const parsed = parseAddress(address)
  return parsed?.kind() === 'ipv6' ? parsed.toNormalizedString().split(':').slice(0, 4).join(':') : address
}
