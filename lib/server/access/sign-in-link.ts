import 'server-only'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { and, asc, eq, isNotNull, isNull } from 'drizzle-orm'
import { routes } from '@/lib/routes'
import { db, type StoreOrTransaction } from '../process/db'
import { env } from '../process/env'
import { log } from '../process/log'
import { removePrivateFile, writePrivateFile } from '../process/private-file'
import { accounts, memberships } from '../process/schema'
import { type Account, accountColumns } from './accounts'
import { EVERYWHERE } from './actor'

// PILOTHOUSE_SIGN_IN=link: the one person on this machine opens a link from the terminal instead of typing a password.

const digestOf = (token: string): Buffer => createHash('sha256').update(token).digest()

// On globalThis: instrumentation and the routes each have their own copy of this module.
const shared = globalThis as { pilothouseSignInLink?: Buffer | undefined }

const FILE = 'sign-in-link.txt'

/** The account that links sign in: the first administrator, as long as it has no other way. Undefined if there is none. */
export async function linkAccount(store: StoreOrTransaction): Promise<Account | undefined> {
  const [found] = await store
    .select(accountColumns)
    .from(accounts)
    .innerJoin(memberships, eq(memberships.account, accounts.id))
    .where(
      and(
        eq(accounts.email, env().PILOTHOUSE_ADMIN_EMAIL),
        eq(memberships.workspace, EVERYWHERE),
        isNull(accounts.passwordHash),
        isNull(accounts.oidcSubject),
        isNull(accounts.disabledAt),
      ),
    )
    .orderBy(asc(accounts.createdAt))
    .limit(1)
  return found
}

/** How people sign in to this console now. */
export async function signInWays(): Promise<{ byLink: boolean; byPassword: boolean }> {
  if (env().PILOTHOUSE_SIGN_IN !== 'link') return { byLink: false, byPassword: true }
  const store = await db()
  const byLink = (await linkAccount(store)) !== undefined
  const [withPassword] = await store
    .select({ id: accounts.id })
    .from(accounts)
    .where(isNotNull(accounts.passwordHash))
    .limit(1)
  return { byLink, byPassword: !byLink || withPassword !== undefined }
}

/** Makes a link that works once and replaces the one before. The launcher reads it from the data folder. */
export function makeSignInLink(): string {
  const token = randomBytes(32).toString('base64url')
  const link = env().NEXTAUTH_URL + routes.signInLink(token)
  writePrivateFile(FILE, `${link}\n`)
  shared.pilothouseSignInLink = digestOf(token)
  return link
}

export function forgetSignInLink(): void {
  shared.pilothouseSignInLink = undefined
  removePrivateFile(FILE)
}

/** The account of the newest link, which does not work again; null for any other token. */
export async function takeSignInLink(token: string, address: string): Promise<Account | null> {
  const wanted = shared.pilothouseSignInLink
  const isRight = wanted !== undefined && timingSafeEqual(digestOf(token), wanted)
  // Before anything is awaited: of two requests at once, one gets the session.
  if (isRight) forgetSignInLink()
  const account = isRight ? ((await linkAccount(await db())) ?? null) : null
  log.info(account ? 'sign_in.done' : 'sign_in.refused', { email: account?.email, address, by: 'link' })
  return account
}
