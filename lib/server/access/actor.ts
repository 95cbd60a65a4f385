import 'server-only'
import { and, eq, inArray, isNull, notExists, sql } from 'drizzle-orm'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { db } from '../process/db'
import { accounts, endedSessions, memberships } from '../process/schema'
import { activeAccount, claimedSession, currentSession, type SessionStamp } from './session'

/** Who does something. `session` is there for people: rights end with it, also in the middle of a stream. */
export type Actor = { id: string; email: string; kind: 'user' | 'system'; session?: SessionStamp }

/** The console itself as a workspace: its admins administer accounts and workspaces, and are admins everywhere. */
export const EVERYWHERE = '*'

/** Who sent this request. Throws AppError unauthenticated for nobody, and for a session that is over, wherever it was ended. */
export async function sessionActor(): Promise<Actor> {
  const session = await currentSession()
  if (!session) throw signedOut()
  return { id: session.account.id, email: session.account.email, kind: 'user', session: session.stamp }
}

/**
 * Who this request says it is from. For what asks for a role and for nothing without one: `roleOf` gives none to a session that
 * is over, so the store need not be asked twice. `assertSession` tells such a one from a person without a role.
 */
export async function claimedActor(): Promise<Actor> {
  const session = await claimedSession()
  if (!session) throw signedOut()
  return { id: session.account, email: '', kind: 'user', session: session.stamp }
}

/** Throws AppError unauthenticated where the actor's session is over. */
export async function assertSession({ id, session }: Actor): Promise<void> {
  if (session && !(await activeAccount(id, session))) throw signedOut()
}

const signedOut = () => new AppError('unauthenticated', 'Your session has ended. Sign in again.')

/** A part of the console that acts by itself, such as a poller. It may read everywhere and change nothing. */
export const systemActor = (name: string): Actor => ({ id: `system:${name}`, email: '', kind: 'system' })

/**
 * What the actor may do in a workspace, as the store has it at this moment; null for nothing.
 * A person whose session has ended meanwhile has no role any more.
 */
export async function roleOf(actor: Actor, workspace: string): Promise<Role | null> {
  if (actor.kind === 'system') return 'viewer'
  const roles = await memberRoles(actor, [workspace, EVERYWHERE])
  return highest(roles.map(({ role }) => role))
}

/** Workspaces the actor has a membership of, with the role; `*` among them counts for every other. */
export async function memberRoles(actor: Actor, only?: string[]): Promise<{ workspace: string; role: Role }[]> {
  const { session } = actor
  if (session && Date.now() >= session.endsAt) return []
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

/** The highest of some roles. */
export const highest = (roles: readonly Role[]): Role | null =>
  roles.reduce<Role | null>((best, role) => (best && isAtLeast(best, role) ? best : role), null)
