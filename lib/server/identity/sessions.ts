import 'server-only'
import { and, desc, eq, gt, isNull, lt, notExists, sql } from 'drizzle-orm'
import { db } from '../process/db'
import { accounts, endedSessions, sessions } from '../process/schema'

export type SeenSession = {
  id: string
  account: string
  version: number
  endsAt: number
  address: string | null
  browser: string | null
}

const NOTED_MS = 60_000
const MAX_CHARS = 300
const noted = new Map<string, number>()

/**
 * Notes that a session was used, at most once a minute for one address and browser. The list of sessions is for people to
 * read: a failure to note one never fails the request.
 */
export async function noteSession(seen: SeenSession): Promise<void> {
  const now = Date.now()
  const key = JSON.stringify([seen.id, seen.address, seen.browser])
  if ((noted.get(key) ?? 0) > now - NOTED_MS) return
  for (const [one, at] of noted) if (at <= now - NOTED_MS) noted.delete(one)
  noted.set(key, now)
  try {
    const row = {
      address: seen.address?.slice(0, MAX_CHARS) ?? null,
      browser: seen.browser?.slice(0, MAX_CHARS) ?? null,
    }
    const store = await db()
    await store
      .insert(sessions)
      .values({ ...row, id: seen.id, account: seen.account, version: seen.version, endsAt: new Date(seen.endsAt) })
      .onConflictDoUpdate({ target: sessions.id, set: { ...row, lastSeenAt: sql`now()` } })
  } catch {
    noted.delete(key)
  }
}

/** The sessions of an account that may still act, the last used first. */
export async function listSeenSessions(account: string) {
  const store = await db()
  const ended = store.select({ one: sql`1` }).from(endedSessions).where(eq(endedSessions.id, sessions.id))
  return await store
    .select({
      id: sessions.id,
      address: sessions.address,
      browser: sessions.browser,
      endsAt: sessions.endsAt,
      lastSeenAt: sessions.lastSeenAt,
    })
    .from(sessions)
    .innerJoin(accounts, and(eq(accounts.id, sessions.account), eq(accounts.sessionVersion, sessions.version)))
    .where(
      and(
        eq(sessions.account, account),
        gt(sessions.endsAt, sql`now()`),
        isNull(accounts.disabledAt),
        notExists(ended),
      ),
    )
    .orderBy(desc(sessions.lastSeenAt), desc(sessions.id))
    .limit(200)
}

/** Refuses a session from now on, on every instance. */
export async function refuseSession(id: string, endsAt: Date): Promise<void> {
  const store = await db()
  await store.insert(endedSessions).values({ id, endsAt }).onConflictDoNothing()
  await store.delete(sessions).where(eq(sessions.id, id))
  await store.delete(endedSessions).where(lt(endedSessions.endsAt, sql`now() - interval '1 day'`))
  await store.delete(sessions).where(lt(sessions.endsAt, sql`now() - interval '1 day'`))
}

/** For tests: notes each session again. */
export function forgetNotedSessions(): void {
  noted.clear()
}
