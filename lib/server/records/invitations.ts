import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, count, desc, eq, gt, inArray, isNull, lt, sql } from 'drizzle-orm'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { InvitationDays, InvitationView } from '@/lib/contracts/invitation'
import { AppError } from '@/lib/errors'
import { type Actor, EVERYWHERE } from '../access/actor'
import { auditedRights, checkedRights, type GivenRights } from '../access/given-rights'
import { workspace as findWorkspace } from '../access/workspaces'
import { audited, authorizeRead } from '../audit/own-records'
import { newInvitationToken } from '../identity/invitations'
import { db } from '../process/db'
import { accounts, invitations, memberships } from '../process/schema'

const MOST_OPEN = 100

const isOpen = (workspace: string) =>
  and(
    eq(invitations.workspace, workspace),
    isNull(invitations.usedAt),
    isNull(invitations.revokedAt),
    gt(invitations.expiresAt, sql`now()`),
  )

/** The invitations of a workspace that can still be used, newest first. */
export async function listInvitations(actor: Actor, workspace: string): Promise<InvitationView[]> {
  await authorizeRead(consoleRecords.readInvitations, actor, workspace)
  const rows = await (await db())
    .select({
      id: invitations.id,
      email: invitations.email,
      role: invitations.role,
      deployments: invitations.deployments,
      createdBy: invitations.createdBy,
      expiresAt: invitations.expiresAt,
    })
    .from(invitations)
    .where(isOpen(workspace))
    .orderBy(desc(invitations.createdAt))
    .limit(MOST_OPEN)
  return rows.map((row) => ({ ...row, expiresAt: row.expiresAt.toISOString() }))
}

/** Invites a person. The token of the link is returned once, and replaces an earlier one of the same address. */
export async function createInvitation(
  actor: Actor,
  { workspace, email, days, ...given }: GivenRights & { workspace: string; email: string; days: InvitationDays },
  requestId: string,
): Promise<{ id: string; token: string }> {
  const id = randomUUID()
  const rights = checkedRights(workspace, given)
  const fields = ['email', ...Object.keys(given), 'days']
  const write = { actor, workspace, params: { invitation: id, ...auditedRights(rights) }, fields, requestId }
  return await audited(consoleRecords.createInvitation, write, async () => {
    await findWorkspace(workspace) // not_found
    const store = await db()
    const [member] = await store
      .select({ id: accounts.id })
      .from(accounts)
      .innerJoin(memberships, eq(memberships.account, accounts.id))
      .where(and(eq(accounts.email, email), inArray(memberships.workspace, [workspace, EVERYWHERE])))
      .limit(1)
    if (member)
      throw new AppError('conflict', `${email} is already a member. Change the role instead.`, {
        fields: [{ path: ['email'], message: 'This person is already a member.' }],
      })
    const [open] = await store.select({ n: count() }).from(invitations).where(isOpen(workspace))
    if ((open?.n ?? 0) >= MOST_OPEN)
      throw new AppError('conflict', `This workspace has ${MOST_OPEN} open invitations. Revoke one first.`)
    const { token, hash } = newInvitationToken(id)
    await store.transaction(async (transaction) => {
      await transaction.delete(invitations).where(lt(invitations.expiresAt, sql`now() - interval '30 days'`))
      await transaction
        .update(invitations)
        .set({ revokedAt: sql`now()` })
        .where(and(isOpen(workspace), eq(invitations.email, email)))
      await transaction.insert(invitations).values({
        ...{ id, workspace, email, hash, createdBy: actor.email },
        ...rights,
        expiresAt: sql`now() + make_interval(days => ${days})`,
      })
    })
    return { id, token }
  })
}

/** Ends an invitation at once. Throws AppError not_found. */
export async function revokeInvitation(
  actor: Actor,
  { workspace, id }: { workspace: string; id: string },
  requestId: string,
): Promise<void> {
  const write = { actor, workspace, params: { invitation: id }, requestId }
  await audited(consoleRecords.revokeInvitation, write, async () => {
    const revoked = await (await db())
      .update(invitations)
      .set({ revokedAt: sql`coalesce(${invitations.revokedAt}, now())` })
      .where(and(eq(invitations.workspace, workspace), eq(invitations.id, id), isNull(invitations.usedAt)))
      .returning({ id: invitations.id })
    if (revoked.length === 0) throw new AppError('not_found', 'This workspace has no such invitation, or it was used.')
  })
}
