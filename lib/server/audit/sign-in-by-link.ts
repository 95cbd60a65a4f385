import 'server-only'
import { consoleRecords } from '@/lib/contracts/console-records'
import { AppError } from '@/lib/errors'
import { EVERYWHERE } from '../access/actor'
import { setSessionCookie } from '../access/session'
import { addressLimit, assertAllowed, limitFailures, sharedLimiter } from '../access/shared-limiter'
import { makeSignInLink, signInWays, takeSignInLink } from '../access/sign-in-link'
import { newRequestId } from '../process/result'
import { audited } from './own-records'

/** Links that anyone on this machine may have printed. */
const PRINTED = { key: 'printed links', max: 10, windowMs: 60_000 }
/** Wrong tokens of one address. */
const FAILURES = { max: 30, windowMs: 60_000 }

/** Exchanges a one-time token for a session of this browser. Returns whether it was right. Throws AppError rate_limited. */
export async function signInByLink(token: string, address: string): Promise<boolean> {
  const limit = addressLimit('sign-in links', address, FAILURES)
  const account = await limitFailures(limit, () => takeSignInLink(token, address))
  if (!account) return false
  const actor = { id: account.id, email: account.email, kind: 'user' as const }
  const write = { actor, workspace: EVERYWHERE, requestId: newRequestId() }
  await audited(consoleRecords.signInByLink, write, () => setSessionCookie(account))
  return true
}

/** Prints a new link where only the person who started the console sees it. Throws AppError not_found or rate_limited. */
export async function printSignInLink(): Promise<void> {
  if (!(await signInWays()).byLink) throw new AppError('not_found', 'This console signs in with a password.')
  assertAllowed(await sharedLimiter().take(PRINTED), 'Too many links in a short time. Wait a minute and try again.')
  process.stdout.write(`\n  Sign in (works once): ${makeSignInLink()}\n\n`)
}
