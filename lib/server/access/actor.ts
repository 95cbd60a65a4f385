import 'server-only'
import { and, eq, inArray, isNull, notExists, sql } from 'drizzle-orm'
import { cache } from 'react'
import type { Role } from '@/lib/contracts/wire/api'
import { highest, NO_RIGHTS, type Rights, roleAt, within } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { db, isPooled, type Store } from '../process/db'
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
  /** The only deployments that a part of the console reads, on behalf of people who are limited to them; null: all. */
  limit?: readonly string[] | null
}

export type TokenStamp = { id: string; workspace: string }

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
 * role) or `assertSession`, which tells an ended session from a missing role. `given` are the headers of a request that
 * Next.js does not know. Throws AppError like `sessionActor`.
 */
export async function claimedActor(given?: Headers): Promise<Actor> {
  const session = await claimedSession(given)
  if (!session) throw signedOut()
  if (session.stamp.hasInitialPassword) throw needsNewPassword()
  await seeSession(session.account, session.stamp, given)
  return { id: session.account, email: '', kind: 'user', session: session.stamp }
}

/** Throws AppError unauthenticated if the actor's session has ended. */
export async function assertSession({ id, session }: Actor): Promise<void> {
  if (session && !(await activeAccount(id, session))) throw signedOut()
}

const signedOut = () => new AppError('unauthenticated', 'Your session has ended. Sign in again.')
const needsNewPassword = () => new AppError('forbidden', 'Choose a new password first: reload the page.')

/** The actor of a background part of the console, such as a poller. It can read everything, or its limit, and change nothing. */
export const systemActor = (name: string, limit: readonly string[] | null = null): Actor => ({
  ...{ id: `system:${name}`, email: '', kind: 'system' },
  ...(limit && { limit }),
})

/** The actor of a token. Its e-mail address is what the audit trail shows. */
export const actorOfToken = ({ id, workspace, name, email }: UsableToken): Actor => ({
  id: `token:${id}`,
  email: email ? `${email} (token ${name})` : `${name} (service account)`,
  kind: 'token',
  token: { id, workspace },
})

/**
 * What the actor may do in a workspace now, read from the store.
 * A user whose session has ended, or whose initial password is not changed yet, has no rights; nor has a token that was
 * revoked or has expired.
 */
export async function rightsOf(actor: Actor, workspace: string): Promise<Rights> {
  if (actor.kind === 'system') return within({ role: 'viewer', deployments: {} }, 'viewer', actor.limit ?? null)
  if (actor.kind === 'token') return await rightsOfToken(actor.token, workspace)
  return rightsIn(await memberRights(actor, workspace), workspace)
}

/** The actor's current role at a deployment, or without one in the whole workspace; null for none. */
export const roleOf = async (actor: Actor, workspace: string, deployment?: string): Promise<Role | null> =>
  roleAt(await rightsOf(actor, workspace), deployment)

/** A personal token never has a higher role than its owner has now. */
async function rightsOfToken(token: TokenStamp | undefined, workspace: string): Promise<Rights> {
  if (token?.workspace !== workspace) return NO_RIGHTS
  const found = await usableToken(token.id)
  if (!found) return NO_RIGHTS
  const owner: Rights = found.account
    ? await rightsOf({ id: found.account, email: '', kind: 'user' }, workspace)
    : { role: found.role, deployments: {} }
  return within(owner, found.role, found.deployments)
}

export type MemberRights = Rights & { workspace: string }

/** What memberships give in a workspace. Roles for deployments are those of its own membership. */
export const rightsIn = (all: readonly MemberRights[], workspace: string): Rights => ({
  role: highest(
    all.filter((one) => one.workspace === workspace || one.workspace === EVERYWHERE).map(({ role }) => role),
  ),
  deployments:
    (workspace !== EVERYWHERE && all.find((one) => one.workspace === workspace)?.deployments) || NO_RIGHTS.deployments,
})

/** The actor's memberships with their rights, or only those that matter in a workspace. Workspace `*` stands for all workspaces. */
export async function memberRights(actor: Actor, workspace?: string): Promise<MemberRights[]> {
  if (actor.kind === 'token') return []
  const { id, session } = actor
  if (session && (session.hasInitialPassword || Date.now() >= session.endsAt)) return []
  return await readMemberships(id, session, workspace)
}

/** Cached per request while a page renders, like its session. */
const readMemberships = cache(async (account: string, session?: SessionStamp, workspace?: string) => {
  const query = membershipsQuery(await db(), session !== undefined, workspace !== undefined)
  return await query.execute({ account, workspace, session: session?.id, version: session?.version })
})

type Query = ReturnType<typeof newMembershipsQuery>
const queries = new WeakMap<Store, Map<string, Query>>()

/** Asked at every request and every few seconds of a live connection, so it is built and planned once. */
function membershipsQuery(store: Store, ofSession: boolean, ofWorkspace: boolean): Query {
  const known = queries.get(store) ?? new Map<string, Query>()
  queries.set(store, known)
  const name = `memberships-${ofSession}-${ofWorkspace}`
  const query = known.get(name) ?? newMembershipsQuery(store, ofSession, ofWorkspace, isPooled() ? '' : name)
  known.set(name, query)
  return query
}

function newMembershipsQuery(store: Store, ofSession: boolean, ofWorkspace: boolean, name: string) {
  const ended = store
    .select({ one: sql`1` })
    .from(endedSessions)
    .where(eq(endedSessions.id, sql.placeholder('session')))
  return store
    .select({ workspace: memberships.workspace, role: memberships.role, deployments: memberships.deployments })
    .from(memberships)
    .innerJoin(accounts, eq(accounts.id, memberships.account))
    .where(
      and(
        eq(accounts.id, sql.placeholder('account')),
        isNull(accounts.disabledAt),
        ofWorkspace ? inArray(memberships.workspace, [sql.placeholder('workspace'), EVERYWHERE]) : undefined,
        ofSession ? and(eq(accounts.sessionVersion, sql.placeholder('version')), notExists(ended)) : undefined,
      ),
    )
    .prepare(name)
}
