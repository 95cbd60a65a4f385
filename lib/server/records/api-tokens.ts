import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, count, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { type ApiToken, MOST_TOKENS, type TokenDays } from '@/lib/contracts/api-token'
import { consoleRecords } from '@/lib/contracts/console-records'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { lowest, roleAt } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { type Actor, rightsOf, roleOf } from '../access/actor'
import { newApiToken } from '../access/api-tokens'
import { workspace as findWorkspace } from '../access/workspaces'
import { audited, authorizeRead } from '../audit/own-records'
import { db } from '../process/db'
import { accounts, apiTokens } from '../process/schema'

const MOST_USABLE = 200

export type TokenRequest = {
  workspace: string
  name: string
  kind: 'personal' | 'service'
  role: Role
  deployments: string[] | null
  days: TokenDays
}

/** The workspace's tokens, active ones first, then newest first: all for administrators, their own for others. */
export async function listTokens(actor: Actor, workspace: string): Promise<ApiToken[]> {
  await authorizeRead(consoleRecords.readTokens, actor, workspace)
  const role = await roleOf(actor, workspace)
  const rows = await (await db())
    .select({ token: apiTokens, owner: accounts.email })
    .from(apiTokens)
    .leftJoin(accounts, eq(accounts.id, apiTokens.account))
    .where(
      and(
        eq(apiTokens.workspace, workspace),
        role && isAtLeast(role, 'admin') ? undefined : eq(apiTokens.account, actor.id),
      ),
    )
    .orderBy(desc(sql`${apiTokens.revokedAt} is null and ${apiTokens.expiresAt} > now()`), desc(apiTokens.createdAt))
    .limit(MOST_TOKENS)
  return rows.map(({ token, owner }) => ({
    id: token.id,
    name: token.name,
    owner,
    isOwn: token.account === actor.id,
    role: token.role,
    deployments: token.deployments,
    createdBy: token.createdBy,
    createdAt: token.createdAt.toISOString(),
    expiresAt: token.expiresAt.toISOString(),
    lastUsedAt: token.lastUsedAt?.toISOString() ?? null,
    revokedAt: token.revokedAt?.toISOString() ?? null,
  }))
}

/**
 * Creates a token, whose text is returned once. A personal one belongs to the actor and never exceeds the actor's role;
 * a service account is for administrators to create.
 */
export async function createToken(
  actor: Actor,
  { workspace, name, kind, role, deployments, days }: TokenRequest,
  requestId: string,
): Promise<{ id: string; token: string }> {
  const isOwn = kind === 'personal'
  const op = isOwn ? consoleRecords.createOwnToken : consoleRecords.createServiceToken
  const id = randomUUID()
  const fields = ['name', 'role', 'deployments', 'days']
  return await audited(op, { actor, workspace, params: { token: id, name }, fields, requestId }, async () => {
    await findWorkspace(workspace) // not_found
    const rights = await rightsOf(actor, workspace)
    if (rights.role === null && !deployments)
      throw new AppError('forbidden', 'Choose the deployments of the token: you have access to some only.', {
        fields: [{ path: ['deployments'], message: 'Choose at least one.' }],
      })
    const own = lowest(deployments ? deployments.map((id) => roleAt(rights, id)) : [rights.role])
    if (!own || !isAtLeast(own, role))
      throw new AppError('forbidden', `A token cannot have a higher role than you: you are ${own ?? 'no member'} here.`)
    const store = await db()
    const usable = and(
      eq(apiTokens.workspace, workspace),
      isNull(apiTokens.revokedAt),
      gt(apiTokens.expiresAt, sql`now()`),
    )
    const [found] = await store.select({ n: count() }).from(apiTokens).where(usable)
    if ((found?.n ?? 0) >= MOST_USABLE)
      throw new AppError('conflict', `This workspace has ${MOST_USABLE} active tokens. Revoke one first.`)
    const { token, hash } = newApiToken(id)
    await store.insert(apiTokens).values({
      ...{ id, workspace, name, role, deployments, hash },
      account: isOwn ? actor.id : null,
      createdBy: actor.email,
      expiresAt: sql`now() + make_interval(days => ${days})`,
    })
    return { id, token }
  })
}

/** Revokes a token at once: their own for all members, any for administrators. Throws AppError not_found. */
export async function revokeToken(
  actor: Actor,
  { workspace, id }: { workspace: string; id: string },
  requestId: string,
): Promise<void> {
  const store = await db()
  const place = and(eq(apiTokens.id, id), eq(apiTokens.workspace, workspace))
  const [found] = await store.select({ account: apiTokens.account, name: apiTokens.name }).from(apiTokens).where(place)
  const op = found?.account === actor.id ? consoleRecords.revokeOwnToken : consoleRecords.revokeToken
  const params = { token: id, ...(found && { name: found.name }) }
  await audited(op, { actor, workspace, params, requestId }, async () => {
    const revoked = await store
      .update(apiTokens)
      .set({ revokedAt: sql`coalesce(${apiTokens.revokedAt}, now())` })
      .where(place)
      .returning({ id: apiTokens.id })
    if (revoked.length === 0) throw new AppError('not_found', 'This workspace has no such token.')
  })
}
