import type { Role } from './wire/api'

/** A token of the HTTP API as its list shows it, without its secret. */
export type ApiToken = {
  id: string
  name: string
  /** E-mail address of the owner of a personal token; null for a service account. */
  owner: string | null
  /** It belongs to the user who reads the list. */
  isOwn: boolean
  role: Role
  /** The only deployments that it reaches; null: all. */
  deployments: string[] | null
  createdBy: string
  createdAt: string
  expiresAt: string
  lastUsedAt: string | null
  revokedAt: string | null
}

/** How many of a workspace's tokens are listed: all that are active, and the newest of the others. */
export const MOST_TOKENS = 500

/** How many days a token may be valid, from its creation. */
export const TOKEN_DAYS = [7, 30, 90, 365] as const
export type TokenDays = (typeof TOKEN_DAYS)[number]
export const MAX_TOKEN_DEPLOYMENTS = 50

export const tokenState = (
  { expiresAt, revokedAt }: Pick<ApiToken, 'expiresAt' | 'revokedAt'>,
  now: number,
): 'active' | 'expired' | 'revoked' => {
  if (revokedAt) return 'revoked'
  return Date.parse(expiresAt) <= now ? 'expired' : 'active'
}
