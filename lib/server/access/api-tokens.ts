import 'server-only'
import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'
import type { Role } from '@/lib/contracts/wire/api'
import { isSecretOf, newToken, readToken } from '../identity/secret-token'
import { db } from '../process/db'
import { accounts, apiTokens } from '../process/schema'

const PREFIX = 'pht'

export const newApiToken = (id: string) => newToken(PREFIX, id)

export type UsableToken = {
  id: string
  workspace: string
  name: string
  role: Role
  deployments: string[] | null
  expiresAt: Date
  account: string | null
  email: string | null
}

const COLUMNS = {
  id: apiTokens.id,
  workspace: apiTokens.workspace,
  name: apiTokens.name,
  role: apiTokens.role,
  deployments: apiTokens.deployments,
  expiresAt: apiTokens.expiresAt,
  account: apiTokens.account,
  email: accounts.email,
}

/** The token with this id, read from the store; undefined if it is revoked or expired, or its owner cannot sign in. */
export async function usableToken(id: string): Promise<(UsableToken & { hash: string }) | undefined> {
  const store = await db()
  const [found] = await store
    .select({ ...COLUMNS, hash: apiTokens.hash })
    .from(apiTokens)
    .leftJoin(accounts, eq(accounts.id, apiTokens.account))
    .where(
      and(
        eq(apiTokens.id, id),
        isNull(apiTokens.revokedAt),
        gt(apiTokens.expiresAt, sql`now()`),
        or(isNull(apiTokens.account), and(isNull(accounts.disabledAt), eq(accounts.hasInitialPassword, false))),
      ),
    )
  return found
}

/** The token of an `Authorization` header; undefined if there is none, or it is wrong, revoked or expired. */
export async function findToken(authorization: string | null): Promise<UsableToken | undefined> {
  const given = readToken(PREFIX, /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '')
  const found = given && (await usableToken(given.id))
  if (!found) return undefined
  const { hash, ...token } = found
  return isSecretOf(hash, given.secret) ? token : undefined
}

/** Notes that a token was used, at most once a minute. */
export async function noteTokenUse(id: string): Promise<void> {
  const store = await db()
  await store
    .update(apiTokens)
    .set({ lastUsedAt: sql`now()` })
    .where(
      and(
        eq(apiTokens.id, id),
        or(isNull(apiTokens.lastUsedAt), lt(apiTokens.lastUsedAt, sql`now() - interval '1 minute'`)),
      ),
    )
}
