import 'server-only'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { and, eq, gt, isNull, lt, or, sql } from 'drizzle-orm'
import type { Role } from '@/lib/contracts/wire/api'
import { db } from '../process/db'
import { accounts, apiTokens } from '../process/schema'

// A token is `pht_<id>_<secret>`. The id finds its row, and the secret is compared with the row's hash in constant time.

const PREFIX = 'pht'
const SECRET_BYTES = 32
const FORM = /^pht_([0-9a-f]{32})_([\w-]{43})$/

/** A plain hash is enough: the secret has 256 random bits, so it cannot be guessed. */
const hashOf = (secret: string) => createHash('sha256').update(secret).digest('base64url')

/** A new token for the row with this id: its text, which is shown once, and the hash to store. */
export function newToken(id: string): { token: string; hash: string } {
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  return { token: `${PREFIX}_${id.replaceAll('-', '')}_${secret}`, hash: hashOf(secret) }
}

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
  const [, digits, secret] = FORM.exec(/^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '') ?? []
  if (!digits || !secret) return undefined
  const found = await usableToken(digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'))
  if (!found) return undefined
  const { hash, ...token } = found
  return timingSafeEqual(Buffer.from(hash), Buffer.from(hashOf(secret))) ? token : undefined
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
