import 'server-only'
import { and, eq, isNull } from 'drizzle-orm'
import type { OAuthConfig } from 'next-auth/providers/oauth'
import { z } from 'zod'
import type { Role } from '@/lib/contracts/wire/api'
import { highest } from '@/lib/contracts/wire/rights'
import { db, type StoreOrTransaction } from '../process/db'
import { env } from '../process/env'
import { log } from '../process/log'
import { accounts, memberships } from '../process/schema'
import { type Account, accountColumns, createAccount, Email } from './accounts'
import { openedInvitation } from './invitation'
import { firstWorkspace } from './workspaces'

const Claims = z.looseObject({
  iss: z.string().optional(),
  sub: z.string().min(1).max(255),
  email: Email,
  email_verified: z.union([z.boolean(), z.stringbool()]).optional().catch(undefined),
  name: z.string().max(200).optional().catch(undefined),
})
export type Claims = z.input<typeof Claims>

/** The identity provider for next-auth; undefined if none is configured. */
export function oidcProvider(): OAuthConfig<Claims> | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET } = env()
  if (!OIDC_ISSUER) return undefined
  return {
    id: 'oidc',
    name: 'Single sign-on',
    type: 'oauth',
    wellKnown: `${OIDC_ISSUER}/.well-known/openid-configuration`,
    clientId: OIDC_CLIENT_ID,
    clientSecret: OIDC_CLIENT_SECRET,
    authorization: { params: { scope: 'openid profile email' } },
    idToken: true,
    checks: ['pkce', 'state', 'nonce'],
    profile: (claims) => ({ id: claims.sub, email: claims.email, name: claims.name }),
  }
}

/** The strings of the claim at a dotted path, such as `groups` or `realm_access.roles`. */
function claimValues(claims: unknown, path: string): string[] {
  const value = path
    .split('.')
    .reduce<unknown>(
      (at, name) =>
        typeof at === 'object' && at !== null && Object.hasOwn(at, name)
          ? (at as Record<string, unknown>)[name]
          : undefined,
      claims,
    )
  return [value].flat().filter((one) => typeof one === 'string')
}

type RoleMap = { claim: string; role: Role; workspace?: string }[]

/** The highest role that the map gives for the claims; null for none. Without a map every user is a viewer. */
export function roleFromClaims(claims: unknown, path: string, map: RoleMap | undefined): Role | null {
  if (!map) return 'viewer'
  const values = new Set(claimValues(claims, path))
  return highest(map.filter(({ claim }) => claim === '*' || values.has(claim)).map(({ role }) => role))
}

/** The role in each workspace that the map names; null for none. What names no workspace is for the first one. */
export function rolesFromClaims(
  claims: unknown,
  path: string,
  map: RoleMap | undefined,
  first: string | null,
): Map<string, Role | null> {
  const ofFirst = map?.filter(({ workspace }) => workspace === undefined || workspace === first)
  const roles = new Map<string, Role | null>(first ? [[first, roleFromClaims(claims, path, ofFirst)]] : [])
  for (const { workspace } of map ?? [])
    if (workspace && workspace !== first)
      roles.set(
        workspace,
        roleFromClaims(
          claims,
          path,
          map?.filter((one) => one.workspace === workspace),
        ),
      )
  return roles
}

const subjectOf = (sub: string) => JSON.stringify([env().OIDC_ISSUER, sub])

/** The enabled account linked to this subject, or null. */
export async function accountOfSubject(sub: string): Promise<Account | null> {
  const [found] = await (await db())
    .select(accountColumns)
    .from(accounts)
    .where(and(eq(accounts.oidcSubject, subjectOf(sub)), isNull(accounts.disabledAt)))
  return found ?? null
}

/**
 * Admits a user by the provider's claims: finds, links or creates the account and sets its roles in the workspaces that the
 * map names, except those that an administrator set. Without a role only a member or an invited person may come in.
 * Returns null on success, otherwise the error code for the sign-in page.
 */
export async function admitFromClaims(given: unknown): Promise<null | 'AccessDenied' | 'OAuthAccountNotLinked'> {
  const claims = Claims.safeParse(given)
  if (!claims.success) {
    log.warn('sign_in.refused', { by: 'oidc', why: 'the claims lack a usable subject or e-mail address' })
    return 'AccessDenied'
  }
  const { OIDC_ROLE_CLAIM, OIDC_ROLE_MAP } = env()
  const roles = rolesFromClaims(claims.data, OIDC_ROLE_CLAIM, OIDC_ROLE_MAP, await firstWorkspace())
  const hasRole = [...roles.values()].some((role) => role !== null)
  const isInvited = claims.data.email_verified === true && (await openedInvitation())?.email === claims.data.email
  const store = await db()
  const refusal = await store.transaction(async (transaction) => {
    const account = await findOrMake(transaction, claims.data, hasRole || isInvited)
    if (typeof account === 'string') return account
    for (const [workspace, role] of roles) await setFromClaims(transaction, account.id, workspace, role)
    if (hasRole || isInvited) return null
    const [other] = await transaction.select().from(memberships).where(eq(memberships.account, account.id)).limit(1)
    return other ? null : ('AccessDenied' as const)
  })
  log.info(refusal ? 'sign_in.refused' : 'sign_in.done', {
    ...{ email: claims.data.email, by: 'oidc', why: refusal },
    roles: [...roles].flatMap(([workspace, role]) => (role ? [`${role}@${workspace}`] : [])),
  })
  return refusal
}

/** Changes a membership, unless an administrator made it. */
async function setFromClaims(store: StoreOrTransaction, account: string, workspace: string, role: Role | null) {
  const place = and(eq(memberships.account, account), eq(memberships.workspace, workspace))
  if (!role) return void (await store.delete(memberships).where(and(place, eq(memberships.isKept, false))))
  await store
    .insert(memberships)
    .values({ account, workspace, role })
    .onConflictDoUpdate({
      target: [memberships.account, memberships.workspace],
      set: { role },
      setWhere: eq(memberships.isKept, false),
    })
}

async function findOrMake(store: StoreOrTransaction, claims: z.output<typeof Claims>, mayMake: boolean) {
  const oidcSubject = subjectOf(claims.sub)
  const [known] = await store.select().from(accounts).where(eq(accounts.oidcSubject, oidcSubject))
  if (known) return known.disabledAt ? ('AccessDenied' as const) : known
  const [same] = await store.select().from(accounts).where(eq(accounts.email, claims.email))
  if (!same)
    return mayMake
      ? await createAccount(store, { email: claims.email, name: claims.name, oidcSubject })
      : ('AccessDenied' as const)
  // Users who can set any address at the provider must not take over the account of that address here.
  if (same.oidcSubject || claims.email_verified !== true) return 'OAuthAccountNotLinked' as const
  if (same.disabledAt) return 'AccessDenied' as const
  await store.update(accounts).set({ oidcSubject }).where(eq(accounts.id, same.id))
  return same
}
