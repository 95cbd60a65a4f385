import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { consoleRecords } from '@/lib/contracts/console-records'
import { NO_RIGHTS, type Rights } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { createAccount, endSessions, setPassword } from '../access/accounts'
import { type Actor, EVERYWHERE } from '../access/actor'
import { auditedRights, checkedRights, type GivenRights } from '../access/given-rights'
import { generatePassword } from '../access/password'
import { workspace as findWorkspace } from '../access/workspaces'
import { audited, authorizeRead } from '../audit/own-records'
import { erasePasskeys } from '../identity/passkeys'
import { db, LOCKS, type StoreOrTransaction } from '../process/db'
import { accounts, memberships } from '../process/schema'

export type Member = Rights & {
  account: string
  email: string
  name: string
  /** The role comes from a membership of the whole console. */
  isEverywhere: boolean
  signsInWith: ('password' | 'single sign-on')[]
  isDisabled: boolean
}

/** A workspace's members, including those of the whole console, by address. `*` lists only the latter. */
export async function listMembers(actor: Actor, workspace: string): Promise<Member[]> {
  await authorizeRead(consoleRecords.readMembers, actor, workspace)
  const rows = await (await db())
    .select({
      ...{ account: accounts, workspace: memberships.workspace },
      ...{ role: memberships.role, deployments: memberships.deployments },
    })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.account))
    .where(inArray(memberships.workspace, [workspace, EVERYWHERE]))
    .orderBy(asc(accounts.email), asc(memberships.workspace))
  return rows.map(({ account, role, deployments, workspace: from }) => ({
    account: account.id,
    email: account.email,
    name: account.name,
    ...{ role, deployments },
    isEverywhere: from === EVERYWHERE,
    signsInWith: [
      ...(account.passwordHash ? ['password' as const] : []),
      ...(account.oidcSubject ? ['single sign-on' as const] : []),
    ],
    isDisabled: account.disabledAt !== null,
  }))
}

/** Adds a member. A new address gets an account, whose initial password is returned once. */
export async function inviteMember(
  actor: Actor,
  { workspace, email, ...given }: GivenRights & { workspace: string; email: string },
  requestId: string,
): Promise<{ account: string; password: string | null }> {
  const rights = checkedRights(workspace, given)
  const fields = ['email', ...Object.keys(given)]
  const store = await db()
  const [known] = await store.select({ id: accounts.id }).from(accounts).where(eq(accounts.email, email))
  const account = known?.id ?? randomUUID()
  const write = { actor, workspace, params: { account, ...auditedRights(rights) }, fields, requestId }
  return await audited(consoleRecords.inviteMember, write, async () => {
    if (workspace !== EVERYWHERE) await findWorkspace(workspace) // not_found
    const password = known ? null : generatePassword()
    return await store.transaction(async (transaction) => {
      if (password) await createAccount(transaction, { id: account, email, password, hasInitialPassword: true })
      const added = await transaction
        .insert(memberships)
        .values({ account, workspace, ...rights, isKept: true })
        .onConflictDoNothing()
        .returning({ account: memberships.account })
      if (added.length === 0) throw new AppError('conflict', `${email} is already a member. Change the role instead.`)
      return { account, password }
    })
  })
}

/**
 * Sets a member's rights, or removes the member without a role and deployments. Throws AppError invalid, or conflict for the last
 * administrator.
 */
export async function setRole(
  actor: Actor,
  { workspace, account, ...given }: GivenRights & { workspace: string; account: string },
  requestId: string,
): Promise<void> {
  const isRemoval = given.role === null && given.deployments === undefined
  const rights = isRemoval ? NO_RIGHTS : checkedRights(workspace, given)
  const params = { account, ...auditedRights(rights) }
  const write = { actor, workspace, params, fields: Object.keys(given), requestId }
  await audited(consoleRecords.setRole, write, () =>
    keepingAnAdmin(async (transaction) => {
      const where = and(eq(memberships.workspace, workspace), eq(memberships.account, account))
      const changed = isRemoval
        ? await transaction.delete(memberships).where(where).returning({ account: memberships.account })
        : await transaction
            .update(memberships)
            .set({ ...rights, isKept: true })
            .where(where)
            .returning({ account: memberships.account })
      if (changed.length === 0) throw new AppError('not_found', 'This account is not a member here.')
    }),
  )
}

/** Disables an account and ends its sessions immediately, or enables it again. */
export async function disableMember(
  actor: Actor,
  { account, isDisabled }: { account: string; isDisabled: boolean },
  requestId: string,
): Promise<void> {
  const op = isDisabled ? consoleRecords.disableMember : consoleRecords.enableMember
  await audited(op, ofAccount(actor, account, requestId), async () => {
    refuseSelf(actor, account, 'disable')
    await keepingAnAdmin(async (transaction) => {
      await endSessions(transaction, account) // also throws not_found
      await transaction
        .update(accounts)
        .set({ disabledAt: isDisabled ? new Date() : null })
        .where(eq(accounts.id, account))
    })
  })
}

/** Sets a new initial password, which is returned once, and ends the account's sessions and passkeys. */
export async function resetMemberPassword(
  actor: Actor,
  account: string,
  requestId: string,
): Promise<{ password: string }> {
  return await audited(consoleRecords.resetMemberPassword, ofAccount(actor, account, requestId), async () => {
    refuseSelf(actor, account, 'reset the password of')
    const password = generatePassword()
    await (await db()).transaction(async (transaction) => {
      await setPassword(transaction, account, password, { isInitial: true })
      await erasePasskeys(transaction, account) // a lost device often is why
    })
    return { password }
  })
}

/** Ends all sessions of an account and returns the version for new ones. All users may end their own. */
export async function signOutEverywhere(actor: Actor, account: string, requestId: string): Promise<number> {
  const op = consoleRecords.signOutEverywhere
  const own = account === actor.id ? { ...op, role: null } : op
  return await audited(own, ofAccount(actor, account, requestId), async () => endSessions(await db(), account))
}

const ofAccount = (actor: Actor, account: string, requestId: string) => ({
  actor,
  workspace: EVERYWHERE,
  params: { account },
  requestId,
})

function refuseSelf(actor: Actor, account: string, what: string): void {
  if (actor.id === account) throw new AppError('conflict', `You cannot ${what} yourself. Ask another administrator.`)
}

/** Makes a change. Rolls it back and throws AppError conflict if no administrator of the console would be left. */
async function keepingAnAdmin(change: (transaction: StoreOrTransaction) => Promise<void>): Promise<void> {
  const store = await db()
  await store.transaction(async (transaction) => {
    await transaction.execute(sql`select pg_advisory_xact_lock(${LOCKS.admins})`)
    await change(transaction)
    const [left] = await transaction
      .select({ account: accounts.id })
      .from(accounts)
      .innerJoin(memberships, eq(memberships.account, accounts.id))
      .where(and(isNull(accounts.disabledAt), eq(memberships.workspace, EVERYWHERE), eq(memberships.role, 'admin')))
      .limit(1)
    if (!left)
      throw new AppError(
        'conflict',
        'This is the last administrator of the console. Make someone else an administrator first.',
      )
  })
}
