import 'server-only'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Role } from '@/lib/contracts/wire/api'
import { type Account, createAccount } from './access/accounts'
import type { Actor } from './access/actor'
import { claimsFor, endOf } from './access/session'
import { forgetAuditQueue } from './audit/trail'
import { adoptClock, type Clock } from './process/clock'
import { adoptStore, db } from './process/db'
import { adoptEnv } from './process/env'
import { memberships } from './process/schema'

// For tests only: a separate console on a database from `testDatabase()`.

/**
 * Turns this process into a console on the database at `url`, with its own data folder and settings, and short lookups.
 * Call `close` before you drop the database.
 */
export async function testConsole(url: string, settings: Record<string, string> = {}) {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-console-'))
  const given = { DATABASE_URL: url, PILOTHOUSE_DATA: dataDir, NEXTAUTH_SECRET: 'x'.repeat(32), ...settings }
  /** Overrides settings from now on, starting from the initial ones. */
  const set = (more: Record<string, string>) => adoptEnv({ ...given, ...more })
  set({})
  adoptClock(quickClock)
  await adoptStore(url)
  await db()
  return {
    dataDir,
    set,
    async close() {
      forgetAuditQueue()
      await adoptStore(undefined)
      adoptEnv(undefined)
      adoptClock(undefined)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Waits in order, but not for long. */
export const quickClock: Clock = { pause: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 5))) }

let count = 0

/** A signed-in user without a password, with a role in each of these workspaces (`*` for all). */
export async function testActor(roles: Record<string, Role>): Promise<Actor & { kind: 'user'; account: Account }> {
  const store = await db()
  count += 1
  const account = await createAccount(store, { email: `person-${count}@example.com`, name: `Person ${count}` })
  for (const [workspace, role] of Object.entries(roles))
    await store.insert(memberships).values({ account: account.id, workspace, role })
  return { ...actorOf(account), account }
}

/** The actor of a new session of the account. */
export function actorOf(account: Account): Actor & { kind: 'user' } {
  const claims = claimsFor(account)
  return {
    id: account.id,
    email: account.email,
    kind: 'user',
    session: { id: claims.session, version: claims.version, endsAt: endOf(claims) },
  }
}
