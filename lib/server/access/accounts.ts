import 'server-only'
import { and, eq, isNull, sql } from 'drizzle-orm'
import { z } from 'zod'
import { AppError } from '@/lib/errors'
import { db, type StoreOrTransaction } from '../process/db'
import { log } from '../process/log'
import { accounts } from '../process/schema'
import { isCommonPassword } from './common-passwords'
import { hashPassword, isPassword, PASSWORD_LENGTH } from './password'
import { takePasswordAttempt, takeSignInAttempt } from './rate-limit'

/** A browser that an account has signed in from. */
export type KnownDevice = { account: string; id: string }
export type Account = {
  id: string
  email: string
  name: string
  sessionVersion: number
  /** Signed in with a password that must be changed first. */
  hasInitialPassword?: boolean
}

/** ASCII only, so that no lookalike of another address passes. */
export const Email = z.string().trim().toLowerCase().max(254).pipe(z.email('Enter an e-mail address.'))
export const NewPassword = z
  .string()
  .min(PASSWORD_LENGTH.min, `Use at least ${PASSWORD_LENGTH.min} characters.`)
  .max(PASSWORD_LENGTH.max, `Use at most ${PASSWORD_LENGTH.max} characters.`)

export const accountColumns = {
  id: accounts.id,
  email: accounts.email,
  name: accounts.name,
  sessionVersion: accounts.sessionVersion,
}

/**
 * The account if the password is right; null for a wrong password and an unknown or disabled account, in the same time.
 * Throws AppError rate_limited, with the time to wait, after too many attempts for the account or from the address;
 * attempts of others do not count for a device that the account has signed in from. Throws AppError forbidden if the
 * password is right and the account's passkey is missing.
 */
export async function checkPassword(
  email: unknown,
  password: unknown,
  address: string,
  device: KnownDevice | null = null,
  /** The account of the passkey that was given with the password; null without one. */
  passkeyAccount: () => Promise<string | null> = async () => null,
): Promise<Account | null> {
  const given = Email.safeParse(email)
  if (!given.success || typeof password !== 'string' || password.length > PASSWORD_LENGTH.max) return null
  const store = await db()
  const [found] = await store
    .select({
      ...accountColumns,
      passwordHash: accounts.passwordHash,
      hasInitialPassword: accounts.hasInitialPassword,
      requiresPasskey: accounts.requiresPasskey,
    })
    .from(accounts)
    .where(and(eq(accounts.email, given.data), isNull(accounts.disabledAt)))
  const attempt = await takeSignInAttempt(
    given.data,
    address,
    device?.account === found?.id ? (device?.id ?? null) : null,
  )
  if (!attempt.isAllowed) {
    log.warn('sign_in.rate_limited', { email: given.data, address })
    throw tooManyAttempts(attempt.retryAfterMs)
  }
  const isRight = await isPassword(password, found?.passwordHash)
  const isWhole = isRight && found ? !found.requiresPasskey || (await passkeyAccount()) === found.id : false
  const why = isRight && !isWhole ? 'the passkey is missing' : undefined
  log.info(isWhole ? 'sign_in.done' : 'sign_in.refused', { email: given.data, address, by: 'password', why })
  if (!found || !isRight) return null
  await attempt.forgive()
  if (!isWhole) throw new AppError('forbidden', 'Sign in with your password and a passkey.')
  const { passwordHash: _, hasInitialPassword, requiresPasskey: _required, ...account } = found
  return hasInitialPassword ? { ...account, hasInitialPassword } : account
}

const tooManyAttempts = (retryAfterMs: number) =>
  new AppError('rate_limited', `Too many attempts. Try again in ${Math.ceil(retryAfterMs / 60_000)} min.`, {
    retryAfterMs,
  })

/**
 * Creates an account. An initial password must be changed at the first sign-in. Throws AppError conflict if the e-mail
 * address already has an account.
 */
export async function createAccount(
  store: StoreOrTransaction,
  given: {
    id?: string
    email: string
    name?: string
    password?: string
    hasInitialPassword?: boolean
    oidcSubject?: string
  },
): Promise<Account> {
  const passwordHash = given.password === undefined ? null : await hashPassword(given.password)
  const [made] = await store
    .insert(accounts)
    .values({
      id: given.id,
      email: given.email,
      name: given.name ?? '',
      passwordHash,
      hasInitialPassword: given.hasInitialPassword,
      oidcSubject: given.oidcSubject,
    })
    .onConflictDoNothing()
    .returning(accountColumns)
  if (!made) throw new AppError('conflict', `An account for ${given.email} already exists.`)
  return made
}

/**
 * Ends all sessions of the account, including open streams, and returns the version for new ones. Throws AppError
 * not_found.
 */
export async function endSessions(store: StoreOrTransaction, account: string): Promise<number> {
  const [changed] = await store
    .update(accounts)
    .set({ sessionVersion: sql`${accounts.sessionVersion} + 1` })
    .where(eq(accounts.id, account))
    .returning({ version: accounts.sessionVersion })
  if (!changed) throw new AppError('not_found', 'This account does not exist.')
  return changed.version
}

/** Sets a password and ends all sessions of the account. Returns the version for new sessions. */
export async function setPassword(
  store: StoreOrTransaction,
  account: string,
  password: string,
  { isInitial = false } = {},
): Promise<number> {
  const passwordHash = await hashPassword(password)
  return await store.transaction(async (transaction) => {
    await transaction
      .update(accounts)
      .set({ passwordHash, hasInitialPassword: isInitial })
      .where(eq(accounts.id, account))
    return await endSessions(transaction, account)
  })
}

/** Throws AppError invalid, for this field, if the password is common or made of these words. */
export async function refuseCommonPassword(password: string, words: string[], field: string): Promise<void> {
  if (await isCommonPassword(password, words))
    throw new AppError('invalid', 'The new password is too easy to guess.', {
      fields: [{ path: [field], message: 'This password is common or easy to guess. Use several unrelated words.' }],
    })
}

export type AccountWays = Pick<Account, 'id' | 'email' | 'name'> & { hasPassword: boolean; requiresPasskey: boolean }

/** How an account can sign in. Throws AppError not_found. */
export async function accountWays(account: string): Promise<AccountWays> {
  const [found] = await (await db()).select().from(accounts).where(eq(accounts.id, account))
  if (!found) throw new AppError('not_found', 'This account does not exist.')
  const { id, email, name, passwordHash, requiresPasskey } = found
  return { id, email, name, hasPassword: passwordHash !== null, requiresPasskey }
}

/** Throws AppError invalid, for this field, if the password is wrong, and rate_limited after too many attempts. */
export async function confirmPassword(account: string, password: string, field: string): Promise<void> {
  const [found] = await (await db()).select().from(accounts).where(eq(accounts.id, account))
  // Somebody who finds an open session must not be able to guess the password here.
  const attempt = await takePasswordAttempt(account)
  if (!attempt.isAllowed) throw tooManyAttempts(attempt.retryAfterMs)
  if (!(await isPassword(password, found?.passwordHash)))
    throw new AppError('invalid', 'The current password is wrong.', {
      fields: [{ path: [field], message: 'This is not the current password.' }],
    })
  await attempt.forgive()
}

/** Changes the user's own password and ends all earlier sessions. Returns the updated account. */
export async function changeOwnPassword(account: string, current: string, next: string): Promise<Account> {
  const store = await db()
  const [found] = await store.select().from(accounts).where(eq(accounts.id, account))
  if (!found) throw new AppError('not_found', 'This account does not exist.')
  if (!found.passwordHash)
    throw new AppError('unsupported', 'This account has no password: it signs in with the identity provider or a link.')
  await confirmPassword(account, current, 'current')
  await refuseCommonPassword(next, [found.email, found.name], 'next')
  const sessionVersion = await setPassword(store, account, next)
  return { id: found.id, email: found.email, name: found.name, sessionVersion }
}
