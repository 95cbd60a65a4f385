import 'server-only'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { AppError } from '@/lib/errors'
import { createAccount } from '../access/accounts'
import { EVERYWHERE } from '../access/actor'
import { isCommonPassword } from '../access/common-passwords'
import { generatePassword } from '../access/password'
import { db, LOCKS } from '../process/db'
import { env } from '../process/env'
import { log } from '../process/log'
import { accounts, memberships } from '../process/schema'

const shared = globalThis as { pilothouseFirstAdmin?: Promise<void> }

const file = () => path.join(/* turbopackIgnore: true */ env().PILOTHOUSE_DATA, 'first-sign-in.txt')

/**
 * Creates the first admin if there is no account, once however many processes start. A generated password is written to
 * `first-sign-in.txt` in the data folder, readable only by this user.
 */
export function ensureFirstAdmin(): Promise<void> {
  shared.pilothouseFirstAdmin ??= makeFirstAdmin().catch((error: unknown) => {
    shared.pilothouseFirstAdmin = undefined
    throw error
  })
  return shared.pilothouseFirstAdmin
}

async function makeFirstAdmin(): Promise<void> {
  const { PILOTHOUSE_ADMIN_EMAIL: email, PILOTHOUSE_ADMIN_PASSWORD: given } = env()
  const store = await db()
  await store.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(${LOCKS.firstRun})`)
    const [any] = await transaction.select({ id: accounts.id }).from(accounts).limit(1)
    if (any) return
    const password = given ?? generatePassword()
    // A given password is the operator's own choice; a generated one lies in a file and must be changed.
    if (given !== undefined && (await isCommonPassword(given, [email])))
      throw new AppError('invalid', 'PILOTHOUSE_ADMIN_PASSWORD is common or easy to guess. Choose another one.')
    const account = await createAccount(transaction, {
      email,
      name: 'Administrator',
      password,
      hasInitialPassword: given === undefined,
    })
    await transaction.insert(memberships).values({ account: account.id, workspace: EVERYWHERE, role: 'admin' })
    // Before the commit: an account whose password nobody knows is worse than a note about none.
    if (given === undefined) noteFirstSignIn(email, password)
    else forgetFirstSignIn() // from an earlier database
    log.info('first_admin.made', { email, isGenerated: given === undefined })
  })
}

function noteFirstSignIn(email: string, password: string): void {
  const draft = `${file()}.${process.pid}`
  mkdirSync(path.dirname(file()), { recursive: true, mode: 0o700 })
  writeFileSync(draft, `Address:  ${env().NEXTAUTH_URL}\nEmail:    ${email}\nPassword: ${password}\n`, { mode: 0o600 })
  renameSync(draft, file())
}

/** Deletes the note once its password has been changed. */
export function forgetFirstSignIn(): void {
  rmSync(file(), { force: true })
}
