import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, isNull, lt, notExists, sql } from 'drizzle-orm'
import { cookies } from 'next/headers'
import { decode, encode } from 'next-auth/jwt'
import { cache } from 'react'
import { z } from 'zod'
import { db } from '../process/db'
import { env } from '../process/env'
import { readOrCreateKey } from '../process/key-file'
import { accounts, endedSessions } from '../process/schema'
import type { Account } from './accounts'

/** A session ends this long after sign-in, whatever happens in it. */
export const SESSION_SECONDS = 8 * 3600

/** What a session's token says. Roles are not in it: they are looked up, so that a change acts at once. */
export const SessionClaims = z.object({
  sub: z.uuid(),
  session: z.string().min(1),
  version: z.number().int(),
  /** Epoch milliseconds. next-auth moves the token's own times each time it is renewed; this one stays. */
  signedInAt: z.number(),
})
export type SessionClaims = z.output<typeof SessionClaims>

/** The session to check against the store, apart from the token. */
export type SessionStamp = { id: string; version: number; endsAt: number }

export const sessionSecret = (): string => env().NEXTAUTH_SECRET ?? readOrCreateKey('session-secret')
export const isHttps = (): boolean => env().NEXTAUTH_URL.startsWith('https:')

/** Cookies are shared between the ports of a host, so without TLS the port tells one console from another. */
export function cookieName(name: string): string {
  const { port } = new URL(env().NEXTAUTH_URL)
  return isHttps() ? `__Host-pilothouse.${name}` : `pilothouse-${port || '80'}.${name}`
}

export const claimsFor = (account: Pick<Account, 'id' | 'sessionVersion'>): SessionClaims => ({
  sub: account.id,
  session: randomUUID(),
  version: account.sessionVersion,
  signedInAt: Date.now(),
})

export const endOf = (claims: SessionClaims): number => claims.signedInAt + SESSION_SECONDS * 1000

/** The text of a session cookie. */
export const encodeSession = (claims: SessionClaims, more: { email: string; name: string }): Promise<string> =>
  encode({ token: { ...more, ...claims }, secret: sessionSecret(), maxAge: SESSION_SECONDS })

/** The claims of a session cookie; null for what is forged, damaged, of another secret, or past its end. */
export async function decodeSession(token: string | undefined): Promise<SessionClaims | null> {
  if (!token) return null
  const decoded = await decode({ token, secret: sessionSecret() }).catch(() => null)
  const claims = SessionClaims.safeParse(decoded)
  return claims.success && Date.now() < endOf(claims.data) ? claims.data : null
}

/** The account of a session that is still good in the store: not disabled, not signed out, of the current version. */
export async function activeAccount(
  id: string,
  session: Pick<SessionStamp, 'id' | 'version'>,
): Promise<Account | null> {
  const store = await db()
  const ended = store.select({ one: sql`1` }).from(endedSessions).where(eq(endedSessions.id, session.id))
  const [found] = await store
    .select({ id: accounts.id, email: accounts.email, name: accounts.name, sessionVersion: accounts.sessionVersion })
    .from(accounts)
    .where(
      and(
        eq(accounts.id, id),
        eq(accounts.sessionVersion, session.version),
        isNull(accounts.disabledAt),
        notExists(ended),
      ),
    )
  return found ?? null
}

/** What this request's session claims, before the store was asked whether it still stands; null without one. */
export async function claimedSession(): Promise<{ account: string; stamp: SessionStamp } | null> {
  const claims = await decodeSession((await cookies()).get(cookieName('session'))?.value)
  return (
    claims && {
      account: claims.sub,
      stamp: { id: claims.session, version: claims.version, endsAt: endOf(claims) },
    }
  )
}

/** Whether this request carries a session cookie at all, even one that is no longer valid. */
export const hasSessionCookie = async (): Promise<boolean> => (await cookies()).has(cookieName('session'))

/** The session of this request, checked against the store; null without one. Once per request while a page renders. */
export const currentSession = cache(async (): Promise<{ account: Account; stamp: SessionStamp } | null> => {
  const claimed = await claimedSession()
  const account = claimed && (await activeAccount(claimed.account, claimed.stamp))
  return account && { account, stamp: claimed.stamp }
})

/** Ends one session before its time: its token is refused from now on. */
export async function endSession(claims: SessionClaims): Promise<void> {
  const store = await db()
  await store
    .insert(endedSessions)
    .values({ id: claims.session, endsAt: new Date(endOf(claims)) })
    .onConflictDoNothing()
  await store.delete(endedSessions).where(lt(endedSessions.endsAt, sql`now() - interval '1 day'`))
}

/** Puts a fresh session of the account into this answer's cookies. Only in actions and route handlers. */
export async function setSessionCookie(account: Account): Promise<void> {
  const token = await encodeSession(claimsFor(account), account)
  const jar = await cookies()
  jar.set(cookieName('session'), token, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    secure: isHttps(),
    maxAge: SESSION_SECONDS,
  })
}
