import 'server-only'
import { sql } from 'drizzle-orm'
import { AppError } from '@/lib/errors'
import { createAccount, setPassword } from '../access/accounts'
import { EVERYWHERE } from '../access/actor'
import { isCommonPassword } from '../access/common-passwords'
import { generatePassword } from '../access/password'
import { forgetSignInLink, linkAccount, makeSignInLink } from '../access/sign-in-link'
import { db, LOCKS } from '../process/db'
import { env } from '../process/env'
import { log } from '../process/log'
import { readPrivateFile, removePrivateFile, writePrivateFile } from '../process/private-file'
import { accounts, memberships } from '../process/schema'

const shared = globalThis as { pilothouseFirstAdmin?: Promise<void> }

const FILE = 'first-sign-in.txt'

/**
 * Creates the first admin if there is no account, once however many processes start. A generated password is written to
 * `first-sign-in.txt` in the data folder, a sign-in link to `sign-in-link.txt`, both readable only by this user.
 */
export function ensureFirstAdmin(): Promise<void> {
  shared.pilothouseFirstAdmin ??= makeFirstAdmin().catch((error: unknown) => {
    shared.pilothouseFirstAdmin = undefined
    throw error
  })
  return shared.pilothouseFirstAdmin
}

async function makeFirstAdmin(): Promise<void> {
  const { PILOTHOUSE_ADMIN_EMAIL: email, PILOTHOUSE_ADMIN_PASSWORD: given, OIDC_ISSUER } = env()
  const isByLink = env().PILOTHOUSE_SIGN_IN === 'link'
  const store = await db()
  await store.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(${LOCKS.firstRun})`)
    const [any] = await transaction.select({ id: accounts.id }).from(accounts).limit(1)
    // Until now that account signed in by link.
    const known = any && (await linkAccount(transaction))
    if (any && (isByLink || !known || OIDC_ISSUER)) return renewFirstSignIn()
    const password = isByLink ? undefined : (given ?? generatePassword())
    // A given password is the operator's own choice; a generated one lies in a file and must be changed.
    if (given !== undefined && (await isCommonPassword(given, [email])))
      throw new AppError('invalid', 'PILOTHOUSE_ADMIN_PASSWORD is common or easy to guess. Choose another one.')
    const isInitial = password !== given
    if (known && password) await setPassword(transaction, known.id, password, { isInitial })
    else {
      const account = await createAccount(transaction, {
        ...{ email, name: 'Administrator', hasInitialPassword: isInitial },
        ...(password !== undefined && { password }),
      })
      await transaction.insert(memberships).values({ account: account.id, workspace: EVERYWHERE, role: 'admin' })
    }
    // Before the commit: an account whose password nobody knows is worse than a note about none.
    if (password && isInitial) noteFirstSignIn(email, password)
    else forgetFirstSignIn() // from an earlier database
    log.info('first_admin.made', { email, isGenerated: isInitial })
  })
  if (isByLink && (await linkAccount(store))) makeSignInLink()
  else forgetSignInLink()
}

const addressLine = () => `Address:  ${env().NEXTAUTH_URL}`
const noteFirstSignIn = (email: string, password: string) =>
  writePrivateFile(FILE, `${addressLine()}\nEmail:    ${email}\nPassword: ${password}\n`)

/** A data folder that was restored on another machine has the address of the one before. */
function renewFirstSignIn(): void {
  const note = readPrivateFile(FILE)
  const renewed = note?.replace(/^Address: .*$/m, addressLine)
  if (renewed !== undefined && renewed !== note) writePrivateFile(FILE, renewed)
}

/** Deletes the note once its password has been changed. */
export const forgetFirstSignIn = (): void => removePrivateFile(FILE)
