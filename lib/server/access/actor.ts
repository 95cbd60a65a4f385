import 'server-only'
import { and, eq, inArray, isNull, notExists, sql } from 'drizzle-orm'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { db } from '../process/db'
import { accounts, endedSessions, memberships } from '../process/schema'
import { type UsableToken, usableToken } from './api-tokens'
import { activeAccount, claimedSession, currentSession, type SessionStamp, seeSession } from './session'

/**
 * Who acts. Users have a `session`, and their roles end with it, even in the middle of a stream. An actor with a `token`
 * acts through the HTTP API, within that token's workspace, role and deployments.
 */
export type Actor = {
  id: string
  email: string
  kind: 'user' | 'system' | 'token'
  session?: SessionStamp
  token?: TokenStamp
}

/** `deployments`: the only ones that the token reaches; null: all of its workspace. */
export type TokenStamp = { id: string; workspace: string; deployments: readonly string[] | null }

/** The membership for all workspaces: its admins are admins everywhere and manage accounts and workspaces. */
export const EVERYWHERE = '*'

/**
 * The user of this request's session. Throws AppError unauthenticated without a session or if it has ended, and forbidden
 * if its initial password must be changed first.
 */
export async function sessionActor({ mayHaveInitialPassword = false } = {}): Promise<Actor> {
  const session = await currentSession()
  if (!session) throw signedOut()
  if (session.stamp.hasInitialPassword && !mayHaveInitialPassword) throw needsNewPassword()
  return { id: session.account.id, email: session.account.email, kind: 'user', session: session.stamp }
}

/**
 * The user that this request claims to be, unchecked: only for code that then calls `roleOf` (an ended session has no
 * role) or `assertSession`, which tells an ended session from a missing role. Throws AppError like `sessionActor`.
 */
export async function claimedActor(): Promise<Actor> {
  const session = await claimedSession()
  if (!session) throw signedOut()
  if (session.stamp.hasInitialPassword) throw needsNewPassword()
  await seeSession(session.account, session.stamp)
  return { id: session.account, email: '', kind: 'user', session: session.stamp }
}

/** Throws AppError unauthenticated if the actor's session has ended. */
export async function assertSession({ id, session }: Actor): Promise<void> {
  if (session && !(await activeAccount(id, session))) throw signedOut()
}

const signedOut = () => new AppError('unauthenticated', 'Your session has ended. Sign in again.')
const needsNewPassword = () => new AppError('forbidden', 'Choose a new password first: reload the page.')

/** The actor of a background part of the console, such as a poller. It can read everything and change nothing. */
export const systemActor = (name: string): Actor => ({ id: `system:${name}`, email: '', kind: 'system' })

/** The actor of a token. Its e-mail address is what the audit trail shows. */
export const actorOfToken = ({ id, workspace, name, deployments, email }: UsableToken): Actor => ({
  id: `token:${id}`,
  email: email ? `${email} (token ${name})` : `${name} (service account)`,
  kind: 'token',
  token: { id, workspace, deployments },
})

/** Whether a token limits the actor to deployments other than this one. */
export const isOutOfScope = ({ token }: Actor, deployment: string | undefined): boolean =>
  Boolean(token?.deployments && (deployment === undefined || !token.deployments.includes(deployment)))

/**
 * The actor's current role in a workspace, read from the store; null for none.
 * A user whose session has ended, or whose initial password is not changed yet, has no role; nor has a token that was
 * revoked or has expired.
 */
export async function roleOf(actor: Actor, workspace: string): Promise<Role | null> {
  if (actor.kind === 'system') return 'viewer'
  if (actor.kind === 'token') return await roleOfToken(actor.token, workspace)
  const roles = await memberRoles(actor, [workspace, EVERYWHERE])
  return highest(roles.map(({ role }) => role))
}

/** A personal token never has a higher role than its owner has now. */
async function roleOfToken(token: TokenStamp | undefined, workspace: string): Promise<Role | null> {
  if (token?.workspace !== workspace) return null
  const found = await usableToken(token.id)
  if (!found?.account) return found?.role ?? null
  const own = await roleOf({ id: found.account, email: '', kind: 'user' }, workspace)
  return own && (isAtLeast(own, found.role) ? found.role : own)
}

/** The actor's memberships with their roles. Workspace `*` stands for all workspaces. */
export async function memberRoles(actor: Actor, only?: string[]): Promise<{ workspace: string; role: Role }[]> {
  if (actor.kind === 'token') return []
  const { session } = actor
  if (session && (session.hasInitialPassword || Date.now() >= session.endsAt)) return []
  const store = await db()
  const ended = store
    .select({ one: sql`1` })
    .from(endedSessions)
    .where(eq(endedSessions.id, session?.id ?? ''))
  return await store
    .select({ workspace: memberships.workspace, role: memberships.role })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.account))
    .where(
      and(
        eq(accounts.id, actor.id),
        isNull(accounts.disabledAt),
        only && inArray(memberships.workspace, only),
        session && eq(accounts.sessionVersion, session.version),
        session && notExists(ended),
      ),
    )
}

/** The highest of these roles; null if there are none. */
export const highest = (roles: readonly Role[]): Role | null =>
  roles.reduce<Role | null>((best, role) => (best && isAtLeast(best, role) ? best : role), null)
