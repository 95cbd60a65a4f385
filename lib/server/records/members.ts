import 'server-only'
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Role } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { createAccount, endSessions, setPassword } from '../access/accounts'
import { type Actor, EVERYWHERE, roleOf } from '../access/actor'
import { generatePassword } from '../access/password'
import { db, type StoreOrTransaction } from '../process/db'
import { accounts, memberships } from '../process/schema'

export type Member = {
  account: string
  email: string
  name: string
  role: Role
  /** The role comes from the membership of the whole console. */
  isEverywhere: boolean
  signsInWith: ('password' | 'single sign-on')[]
  isDisabled: boolean
}

/** Changes that may take the last administrator away go one after another. */
const ADMINS_LOCK = 7_240_003

/** Who may do what in a workspace, by address; `*` lists the console's own. Throws AppError forbidden without a role there. */
export async function listMembers(reader: Actor, workspace: string): Promise<Member[]> {
  if (!(await roleOf(reader, workspace))) throw new AppError('forbidden', 'You are not a member of this workspace.')
  const rows = await (await db())
    .select({ account: accounts, workspace: memberships.workspace, role: memberships.role })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.account))
    .where(inArray(memberships.workspace, [workspace, EVERYWHERE]))
    .orderBy(asc(accounts.email), asc(memberships.workspace))
  return rows.map(({ account, role, workspace: from }) => ({
    account: account.id,
    email: account.email,
    name: account.name,
    role,
    isEverywhere: from === EVERYWHERE,
    signsInWith: [
      ...(account.passwordHash ? ['password' as const] : []),
      ...(account.oidcSubject ? ['single sign-on' as const] : []),
    ],
    isDisabled: account.disabledAt !== null,
  }))
}

/** Makes someone a member; a new address gets an account with a password that is given back once and kept nowhere. */
export async function addMember(
  workspace: string,
  email: string,
  role: Role,
): Promise<{ account: string; password: string | null }> {
  const store = await db()
  const [known] = await store.select({ id: accounts.id }).from(accounts).where(eq(accounts.email, email))
  const password = known ? null : generatePassword()
  return await store.transaction(async (transaction) => {
    const account = known ?? (await createAccount(transaction, { email, password: password ?? undefined }))
    const added = await transaction
      .insert(memberships)
      .values({ account: account.id, workspace, role })
      .onConflictDoNothing()
      .returning({ role: memberships.role })
    if (added.length === 0) throw new AppError('conflict', `${email} is a member already. Change the role instead.`)
    return { account: account.id, password }
  })
}

/** Sets the role of a member, or ends the membership with null. Acts at once. Throws AppError conflict for the last administrator. */
export async function changeRole(workspace: string, account: string, role: Role | null): Promise<void> {
  await keepingAnAdmin(async (transaction) => {
    const where = and(eq(memberships.workspace, workspace), eq(memberships.account, account))
    const changed = role
      ? await transaction.update(memberships).set({ role }).where(where).returning({ account: memberships.account })
      : await transaction.delete(memberships).where(where).returning({ account: memberships.account })
    if (changed.length === 0) throw new AppError('not_found', 'This account is not a member here.')
  })
}

/** Disables an account and ends its sessions at once, or lets it sign in again. */
export async function setDisabled(account: string, isDisabled: boolean): Promise<void> {
  await keepingAnAdmin(async (transaction) => {
    await endSessions(transaction, account) // also finds out whether it exists
    await transaction
      .update(accounts)
      .set({ disabledAt: isDisabled ? new Date() : null })
      .where(eq(accounts.id, account))
  })
}

/** A new password for somebody who lost theirs, given back once; their sessions end. */
export async function resetPassword(account: string): Promise<{ password: string }> {
  const password = generatePassword()
  await setPassword(await db(), account, password)
  return { password }
}

/** Makes a change, unless it leaves the console without anybody who can administer it. */
async function keepingAnAdmin(change: (transaction: StoreOrTransaction) => Promise<void>): Promise<void> {
  const store = await db()
  await store.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(${ADMINS_LOCK})`)
    await change(transaction)
    const [left] = await transaction
      .select({ account: accounts.id })
      .from(accounts)
      .innerJoin(memberships, eq(memberships.account, accounts.id))
      .where(and(isNull(accounts.disabledAt), eq(memberships.workspace, EVERYWHERE), eq(memberships.role, 'admin')))
      .limit(1)
    if (!left)
      throw new AppError('conflict', 'This is the last administrator of the console. Make somebody else one first.')
  })
}
