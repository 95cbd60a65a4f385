import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, eq, isNull, notExists, sql } from 'drizzle-orm'
import { cookies, headers } from 'next/headers'
import { decode, encode } from 'next-auth/jwt'
import { cache } from 'react'
import { z } from 'zod'
import { BASE_PATH, withBasePath } from '@/lib/base-path'
import { noteSession, refuseSession } from '../identity/sessions'
import { db } from '../process/db'
import { env } from '../process/env'
import { readOrCreateKey } from '../process/key-file'
import { accounts, endedSessions } from '../process/schema'
import type { Account, KnownDevice } from './accounts'

/** A session ends this long after sign-in, even if it is in use. */
export const SESSION_SECONDS = 8 * 3600

/** The claims in a session's token. Roles are looked up instead, so that changes apply immediately. */
export const SessionClaims = z.object({
  sub: z.uuid(),
  session: z.string().min(1),
  version: z.number().int(),
  /** Epoch milliseconds. Unlike the token's own times, next-auth does not change it on renewal. */
  signedInAt: z.number(),
  /** Signed in with an initial password: the session may only change it. */
  hasInitialPassword: z.boolean().optional(),
})
export type SessionClaims = z.output<typeof SessionClaims>

/** The part of a session that is checked against the store. */
export type SessionStamp = { id: string; version: number; endsAt: number; hasInitialPassword?: boolean }

export const sessionSecret = (): string => env().NEXTAUTH_SECRET ?? readOrCreateKey('session-secret')
export const isHttps = (): boolean => env().NEXTAUTH_URL.startsWith('https:')

/**
 * Ports of a host share cookies, so without TLS the name contains the port to separate consoles. A path is in the name too: a
 * console at the top of the host and one below a path would otherwise read each other's. `__Host-` allows no path.
 */
export function cookieName(name: string): string {
  const { port } = new URL(env().NEXTAUTH_URL)
  const path = BASE_PATH.replaceAll('/', '-')
  if (isHttps()) return `${path ? '__Secure' : '__Host'}-pilothouse${path}.${name}`
  return `pilothouse-${port || '80'}${path}.${name}`
}

export const claimsFor = (account: Pick<Account, 'id' | 'sessionVersion' | 'hasInitialPassword'>): SessionClaims => ({
  sub: account.id,
  session: randomUUID(),
  version: account.sessionVersion,
  signedInAt: Date.now(),
  ...(account.hasInitialPassword && { hasInitialPassword: true }),
})

/** For clocks of several instances that differ. */
const CLOCK_SKEW_MS = 60_000

/** Whether the session has begun and not ended, by its claims alone. */
export const isCurrent = (claims: SessionClaims, now = Date.now()): boolean =>
  claims.signedInAt <= now + CLOCK_SKEW_MS && now < endOf(claims)

export const stampOf = (claims: SessionClaims): SessionStamp => ({
  id: claims.session,
  version: claims.version,
  endsAt: endOf(claims),
  ...(claims.hasInitialPassword && { hasInitialPassword: true }),
})

export const endOf = (claims: SessionClaims): number => claims.signedInAt + SESSION_SECONDS * 1000

/** The value of a session cookie. */
export const encodeSession = (claims: SessionClaims, more: { email: string; name: string }): Promise<string> =>
  encode({ token: { ...more, ...claims }, secret: sessionSecret(), maxAge: SESSION_SECONDS })

/** A page sends its cookie with each request, and to decrypt it takes most of a millisecond. */
const KEPT_TOKENS = 1_000
const opened = new Map<string, { claims: SessionClaims; secret: string }>()

/** The claims of a session cookie; null if it is forged, damaged, expired or signed with another secret. */
export async function decodeSession(token: string | undefined): Promise<SessionClaims | null> {
  if (!token) return null
  const secret = sessionSecret()
  const known = opened.get(token)
  const claims = known?.secret === secret ? known.claims : await openToken(token, secret)
  return claims && isCurrent(claims) ? claims : null
}

async function openToken(token: string, secret: string): Promise<SessionClaims | null> {
  const decoded = await decode({ token, secret }).catch(() => null)
  const claims = SessionClaims.safeParse(decoded).data ?? null
  if (!claims) return null
  const [oldest] = opened.keys()
  if (oldest !== undefined && opened.size >= KEPT_TOKENS) opened.delete(oldest)
  opened.set(token, { claims, secret })
  return claims
}

/** The account of a valid session; null if it is disabled, signed out or has a newer session version. */
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

/** The value of the session cookie in a `Cookie` header. */
export function sessionCookieIn(header: string | null | undefined): string | undefined {
  const start = `${cookieName('session')}=`
  const found = header?.split(/; */).find((pair) => pair.startsWith(start))
  return found?.slice(start.length)
}

/** The session that this request claims, not checked against the store; null without one. */
export async function claimedSession(given?: Headers): Promise<{ account: string; stamp: SessionStamp } | null> {
  const name = cookieName('session')
  const token = given ? sessionCookieIn(given.get('cookie')) : (await cookies()).get(name)?.value
  const claims = await decodeSession(token)
  return claims && { account: claims.sub, stamp: stampOf(claims) }
}

/** Whether this request carries a session cookie at all, even one that is no longer valid. */
export const hasSessionCookie = async (): Promise<boolean> => (await cookies()).has(cookieName('session'))

/** The session of this request, checked against the store; null without one. Cached per request while a page renders. */
export const currentSession = cache(async (): Promise<{ account: Account; stamp: SessionStamp } | null> => {
  const claimed = await claimedSession()
  const account = claimed && (await activeAccount(claimed.account, claimed.stamp))
  if (account) await seeSession(account.id, claimed.stamp)
  return account && { account, stamp: claimed.stamp }
})

/** Notes for the list of sessions that this request belongs to the session. */
export async function seeSession(
  account: string,
  { id, version, endsAt }: SessionStamp,
  given?: Headers,
): Promise<void> {
  const sent = given ?? (await headers())
  await noteSession({
    ...{ id, account, version, endsAt },
    // The guard in front of the server has made it the client's address.
    address: sent.get('x-forwarded-for'),
    browser: sent.get('user-agent'),
  })
}

/** Ends a session early: its token is refused from now on. */
export const endSession = (claims: SessionClaims): Promise<void> =>
  refuseSession(claims.session, new Date(endOf(claims)))

/** Sets the cookie for a new session of the account. Only works in actions and route handlers. */
export async function setSessionCookie(account: Account): Promise<void> {
  const claims = claimsFor(account)
  await setCookie('session', await encodeSession(claims, account), SESSION_SECONDS)
  await seeSession(account.id, stampOf(claims))
}

async function setCookie(name: Parameters<typeof cookieName>[0], value: string, maxAge: number): Promise<void> {
  const options = { httpOnly: true, sameSite: 'lax', path: withBasePath('/'), secure: isHttps(), maxAge } as const
  ;(await cookies()).set(cookieName(name), value, options)
}

const DEVICE_SECONDS = 180 * 86_400
/** Derives another key than that of sessions: one cookie is never taken for the other. */
const DEVICE_SALT = 'known device'
const DeviceClaims = z.object({ account: z.uuid(), id: z.uuid() })

/** The device that this request says it comes from; null without a valid cookie. */
export async function knownDevice(): Promise<KnownDevice | null> {
  const token = (await cookies()).get(cookieName('device'))?.value
  const claims = token && (await decode({ token, secret: sessionSecret(), salt: DEVICE_SALT }).catch(() => null))
  return DeviceClaims.safeParse(claims).data ?? null
}

/** Sets the cookie of a device that has just signed in. It grants nothing but its own count of attempts. */
export async function rememberDevice(account: string, known: KnownDevice | null): Promise<void> {
  if (known?.account === account) return
  const token = { account, id: randomUUID() } satisfies KnownDevice
  const value = await encode({ token, secret: sessionSecret(), salt: DEVICE_SALT, maxAge: DEVICE_SECONDS })
  await setCookie('device', value, DEVICE_SECONDS)
}

/** A value that only this console can read, in a cookie of this browser. Null if it is missing, forged or too old. */
export async function readSealedCookie(name: string): Promise<string | null> {
  const token = (await cookies()).get(cookieName(name))?.value
  const claims = token && (await decode({ token, secret: sessionSecret(), salt: name }).catch(() => null))
  return SealedValue.safeParse(claims).data?.value ?? null
}

/** An empty value removes the cookie. */
export async function setSealedCookie(name: string, value: string, maxAge: number): Promise<void> {
  const seal = () => encode({ token: { value }, secret: sessionSecret(), salt: name, maxAge })
  await setCookie(name, value && (await seal()), maxAge)
}

const SealedValue = z.object({ value: z.string() })

const PROVIDER_SALT = 'session at the provider'
/** Browsers keep cookies of 4096 bytes, name and attributes included. */
const MAX_COOKIE_CHARS = 3_800
const ProviderClaims = z.object({ idToken: z.string().optional() })

/** Keeps what ends the session at the identity provider; null after a sign-in without it. */
export async function rememberProviderSession(idToken: string | undefined | null): Promise<void> {
  if (idToken === null) return await setCookie('provider', '', 0)
  const seal = (token: z.output<typeof ProviderClaims>) =>
    encode({ token, secret: sessionSecret(), salt: PROVIDER_SALT, maxAge: SESSION_SECONDS })
  const whole = await seal({ idToken })
  // Without the token the provider may ask the user to confirm.
  await setCookie('provider', whole.length > MAX_COOKIE_CHARS ? await seal({}) : whole, SESSION_SECONDS)
}

/** The session at the identity provider that this browser has, which is forgotten; null without one. */
export async function takeProviderSession(): Promise<z.output<typeof ProviderClaims> | null> {
  const token = (await cookies()).get(cookieName('provider'))?.value
  if (!token) return null
  await setCookie('provider', '', 0)
  const claims = await decode({ token, secret: sessionSecret(), salt: PROVIDER_SALT }).catch(() => null)
  return ProviderClaims.safeParse(claims).data ?? null
}
