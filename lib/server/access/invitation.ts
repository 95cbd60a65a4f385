import 'server-only'
import { randomUUID } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { AppError } from '@/lib/errors'
import { findInvitation, spendInvitation, type UsableInvitation } from '../identity/invitations'
import { db, type StoreOrTransaction } from '../process/db'
import { accounts, memberships } from '../process/schema'
import { type Account, createAccount, refuseCommonPassword } from './accounts'
import { readSealedCookie, setSealedCookie } from './session'

/** How long a browser keeps an opened invitation, while its owner signs in. */
const OPENED_SECONDS = 3600

export const endedInvitation = () =>
  new AppError('not_found', 'This invitation was used or revoked, or it has expired. Ask for a new one.')

/** The invitation that this browser has opened and that is still usable; null without one. */
export async function openedInvitation(): Promise<UsableInvitation | null> {
  const token = await readSealedCookie('invitation')
  return token ? await findInvitation(token) : null
}

/** Keeps an invitation in this browser. Throws AppError not_found. */
export async function openInvitation(token: string): Promise<UsableInvitation> {
  const found = await findInvitation(token)
  if (!found) throw endedInvitation()
  await setSealedCookie('invitation', token, OPENED_SECONDS)
  return found
}

export const forgetInvitation = (): Promise<void> => setSealedCookie('invitation', '', 0)

/** The enabled or disabled account of the invited address. */
export async function hasAccount(email: string): Promise<boolean> {
  const [found] = await (await db()).select({ id: accounts.id }).from(accounts).where(eq(accounts.email, email))
  return found !== undefined
}

/** A new account with its membership. Throws AppError conflict, not_found, or invalid for a password that is easy to guess. */
export async function createInvited(
  invitation: UsableInvitation,
  given: { id: string; name: string; password: string },
): Promise<Account> {
  await refuseCommonPassword(given.password, [invitation.email, given.name], 'password')
  const store = await db()
  return await store.transaction(async (transaction) => {
    const account = await createAccount(transaction, { ...given, email: invitation.email })
    await joinWorkspace(transaction, invitation, account.id)
    return account
  })
}

/** Makes an account a member. Who is one already keeps the role. Throws AppError not_found. */
export async function joinInvited(invitation: UsableInvitation, account: string): Promise<void> {
  await (await db()).transaction((transaction) => joinWorkspace(transaction, invitation, account))
}

async function joinWorkspace(store: StoreOrTransaction, invitation: UsableInvitation, account: string): Promise<void> {
  if (!(await spendInvitation(store, invitation.id))) throw endedInvitation()
  await store
    .insert(memberships)
    .values({ ...{ account, workspace: invitation.workspace, isKept: true }, ...rightsOfInvitation(invitation) })
    .onConflictDoNothing()
}

const rightsOfInvitation = ({ role, deployments }: UsableInvitation) => ({ role, deployments })

export const newAccountId = (): string => randomUUID()
