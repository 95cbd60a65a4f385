import 'server-only'
import { and, eq, gt, isNull, sql } from 'drizzle-orm'
import type { Rights } from '@/lib/contracts/wire/rights'
import { db, type StoreOrTransaction } from '../process/db'
import { invitations } from '../process/schema'
import { isSecretOf, newToken, readToken } from './secret-token'

const PREFIX = 'phi'

export type UsableInvitation = Rights & { id: string; workspace: string; email: string }

export const newInvitationToken = (id: string) => newToken(PREFIX, id)

const isUsable = and(isNull(invitations.usedAt), isNull(invitations.revokedAt), gt(invitations.expiresAt, sql`now()`))
const COLUMNS = {
  id: invitations.id,
  workspace: invitations.workspace,
  email: invitations.email,
  role: invitations.role,
  deployments: invitations.deployments,
}

/** The invitation of a token; null if it is wrong, used, revoked or expired. */
export async function findInvitation(token: string): Promise<UsableInvitation | null> {
  const given = readToken(PREFIX, token)
  if (!given) return null
  const store = await db()
  const [found] = await store
    .select({ ...COLUMNS, hash: invitations.hash })
    .from(invitations)
    .where(and(eq(invitations.id, given.id), isUsable))
  if (!found) return null
  const { hash, ...invitation } = found
  return isSecretOf(hash, given.secret) ? invitation : null
}

/** Uses an invitation up. Of two attempts at once, one gets it; the other gets false. */
export async function spendInvitation(store: StoreOrTransaction, id: string): Promise<boolean> {
  const used = await store
    .update(invitations)
    .set({ usedAt: sql`now()` })
    .where(and(eq(invitations.id, id), isUsable))
    .returning({ id: invitations.id })
  return used.length > 0
}
