import 'server-only'
import { z } from 'zod'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { OpenInvitation } from '@/lib/contracts/invitation'
import { highestRole, isLimited } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { NewPassword } from '../access/accounts'
import { hasSingleSignOn } from '../access/auth'
import {
  createInvited,
  endedInvitation,
  forgetInvitation,
  hasAccount,
  joinInvited,
  newAccountId,
  openedInvitation,
  openInvitation,
} from '../access/invitation'
import { currentSession, setSessionCookie } from '../access/session'
import { addressLimit, assertAllowed, sharedLimiter } from '../access/shared-limiter'
import { workspace } from '../access/workspaces'
import { newRequestId, parseInput } from '../process/result'
import { audited } from './own-records'

/** For one address. The secret cannot be guessed; this bounds what guessing costs. */
const ATTEMPTS = { max: 30, windowMs: 60_000 }

const takeAttempt = async (address: string): Promise<void> =>
  assertAllowed(await sharedLimiter().take(addressLimit('invitations', address, ATTEMPTS)))

const Opening = z.strictObject({ token: z.string().max(200).optional() })
const Acceptance = z.strictObject({
  name: z.string().trim().min(1, 'Enter your name.').max(100, 'Use at most 100 characters.'),
  password: NewPassword,
})

/** What an invitation offers: the one of this token, or else the one that this browser has opened before. */
export async function readInvitation(given: unknown, address: string): Promise<OpenInvitation> {
  await takeAttempt(address)
  const { token } = parseInput(Opening, given)
  const invitation = token ? await openInvitation(token) : await openedInvitation()
  if (!invitation) throw endedInvitation()
  const { name } = await workspace(invitation.workspace)
  const session = await currentSession()
  const isTheirs = session?.account.email === invitation.email
  return {
    email: invitation.email,
    role: highestRole(invitation) ?? 'viewer',
    isLimited: isLimited(invitation),
    workspaceName: name,
    step: session ? (isTheirs ? 'join' : 'other') : (await hasAccount(invitation.email)) ? 'sign in' : 'create',
    hasSingleSignOn: hasSingleSignOn(),
  }
}

/**
 * Accepts the invitation that this browser has opened: as the signed-in account, or with a new one that is signed in then.
 * Returns the workspace.
 */
export async function acceptInvitation(given: unknown, address: string): Promise<{ workspace: string }> {
  await takeAttempt(address)
  const invitation = await openedInvitation()
  if (!invitation) throw endedInvitation()
  await workspace(invitation.workspace) // not_found
  const session = await currentSession()
  if (session && session.account.email !== invitation.email)
    throw new AppError('forbidden', `This invitation is for ${invitation.email}. Sign out first.`)
  const account = session?.account.id ?? newAccountId()
  const input = session ? undefined : parseInput(Acceptance, given)
  const write = {
    actor: { id: account, email: invitation.email, kind: 'user' as const },
    ...{ workspace: invitation.workspace, params: { invitation: invitation.id }, requestId: newRequestId() },
  }
  await audited(consoleRecords.acceptInvitation, write, async () => {
    if (input) await setSessionCookie(await createInvited(invitation, { ...input, id: account }))
    else await joinInvited(invitation, account)
  })
  await forgetInvitation()
  return { workspace: invitation.workspace }
}
