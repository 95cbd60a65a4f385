import 'server-only'
import { randomBytes, scryptSync } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { eq, sql } from 'drizzle-orm'
import type { Role } from '@/lib/contracts/wire/api'
import type { DeploymentRoles, Rights } from '@/lib/contracts/wire/rights'
import { testDatabase } from '@/scripts/testing'
import { type Account, createAccount } from './access/accounts'
import type { Actor } from './access/actor'
import { claimsFor, cookieName, encodeSession, SESSION_SECONDS, SessionClaims, stampOf } from './access/session'
import { browser } from './access/testing'
import { forgetAuditQueue } from './audit/trail'
import { adoptClock, type Clock } from './process/clock'
import { adoptStore, db, openStore } from './process/db'
import { adoptEnv } from './process/env'
import { accounts, memberships } from './process/schema'
import { within } from './process/within'

/** Without its database, a recorder would try to store for longer. */
const LAST_WORK_MS = 2_000

// For tests only.

export type TestConsole = Awaited<ReturnType<typeof testConsole>>

const MIGRATED = { name: 'migrated_console', migrate: async (url: string) => (await openStore(url)).close() }

/**
 * Turns this process into a console with its own database, data folder and settings, and short lookups. With `DATABASE_URL`
 * it uses that database, which the caller drops after `close`.
 */
export async function testConsole(settings: Record<string, string> = {}) {
  const database = settings.DATABASE_URL === undefined ? await testDatabase(MIGRATED) : undefined
  const databaseUrl = database?.url ?? settings.DATABASE_URL ?? ''
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-console-'))
  const given = { DATABASE_URL: databaseUrl, PILOTHOUSE_DATA: dataDir, NEXTAUTH_SECRET: 'x'.repeat(32), ...settings }
  /** Overrides settings from now on, starting from the initial ones. */
  const set = (more: Record<string, string>) => adoptEnv({ ...given, ...more })
  set({})
  adoptClock(quickClock)
  await adoptStore(databaseUrl)
  await db()
  return {
    dataDir,
    databaseUrl,
    set,
    async close() {
      await stopProcess()
      forgetAuditQueue()
      await adoptStore(undefined)
      adoptEnv(undefined)
      adoptClock(undefined)
      rmSync(dataDir, { recursive: true, force: true })
      await database?.drop()
    },
  }
}

/**
 * Ends what this process does in the background, as when it is told to stop: in a kept worker, a recorder that goes on opens
 * the database of the next file and takes over its recordings.
 */
async function stopProcess(): Promise<void> {
  const shared = globalThis as { pilothouseShutdown?: AbortController; pilothouseLastWork?: Promise<unknown>[] }
  shared.pilothouseShutdown?.abort()
  await within(LAST_WORK_MS, Promise.allSettled(shared.pilothouseLastWork ?? []), undefined)
  for (const name of ['Shutdown', 'LastWork', 'Viewers', 'Drain'])
    Reflect.deleteProperty(globalThis, `pilothouse${name}`)
}

/** What one instance has counted of limits is forgotten, as by a new instance; with `all`, what all have. */
export async function forgetLimits({ all = true } = {}): Promise<void> {
  Reflect.deleteProperty(globalThis, 'pilothouseLimiter')
  if (all) await (await db()).execute(sql`truncate console.limit_slices`)
}

/** Waits in order, but not for long. */
export const quickClock: Clock = { pause: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 5))) }

let count = 0

const isRights = (given: DeploymentRoles | Rights): given is Rights => typeof given.deployments === 'object'

/**
 * A signed-in user without a password, with a role in each of these workspaces (`*` for all), or with roles for some of its
 * deployments only.
 */
export async function testActor(
  roles: Record<string, Role | DeploymentRoles | Rights>,
): Promise<Actor & { kind: 'user'; account: Account }> {
  const store = await db()
  count += 1
  const account = await createAccount(store, { email: `person-${count}@example.com`, name: `Person ${count}` })
  for (const [workspace, given] of Object.entries(roles)) {
    const rights =
      typeof given === 'string' ? { role: given } : isRights(given) ? given : { role: null, deployments: given }
    await store.insert(memberships).values({ account: account.id, workspace, ...rights })
  }
  return { ...actorOf(account), account }
}

/** Sets a password whose hash is quick to check: on a busy machine, a real one takes seconds. */
export async function givePassword(account: string, password: string): Promise<void> {
  const salt = randomBytes(16)
  const hash = scryptSync(password, salt, 32, { N: 64, r: 1, p: 1 })
  const passwordHash = `scrypt$64$1$1$${salt.toString('base64url')}$${hash.toString('base64url')}`
  const store = await db()
  await store.update(accounts).set({ passwordHash }).where(eq(accounts.id, account))
}

export type TestPeople = Awaited<ReturnType<typeof testPeople>>

/** A user for each role in the workspace `default`, and one who has a role elsewhere only. */
export const testPeople = async () => ({
  stranger: await testActor({ elsewhere: 'admin' }),
  viewer: await testActor({ default: 'viewer' }),
  developer: await testActor({ default: 'developer' }),
  admin: await testActor({ default: 'admin' }),
})

/** The actor of a new session of the account. */
export function actorOf(account: Account): Actor & { kind: 'user' } {
  return {
    id: account.id,
    email: account.email,
    kind: 'user',
    session: stampOf(claimsFor(account)),
  }
}

/** Signs the test's browser in as this user: server actions called from now on are theirs. Returns the user. */
export async function signIn<User extends Actor>(user: User): Promise<User> {
  const { id, email, session } = user
  if (!session) throw new Error('Only users can sign in.')
  const signedInAt = session.endsAt - SESSION_SECONDS * 1000
  const claims = { ...session, sub: id, session: session.id, signedInAt }
  browser.cookies.set(cookieName('session'), await encodeSession(SessionClaims.parse(claims), { email, name: email }))
  return user
}
