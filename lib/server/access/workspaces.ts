import 'server-only'
import { and, asc, eq, isNull } from 'drizzle-orm'
import { z } from 'zod'
import type { Role } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { db } from '../process/db'
import { env } from '../process/env'
import { log } from '../process/log'
import { workspaces } from '../process/schema'
import { unseal } from '../process/sealing'
import { type Actor, EVERYWHERE, highest, memberRoles } from './actor'

export type WorkspaceAuth = { apiKey?: string; tenantId?: string; bearer?: string }
/** One control plane plus tenant, with its keys: never leaves the server. */
export type Workspace = {
  slug: string
  name: string
  kind: 'embedded' | 'control-plane' | 'direct'
  baseUrl: string | null
  auth: WorkspaceAuth
  /** Key for agent servers where it is another one. */
  agentApiKey?: string
  dialect: 'auto' | 'graph' | 'langgraph'
  /** Origins in addition to the base address that may get the keys. */
  allowedOrigins: string[]
  /** Who sees which secrets a deployment has, by name. */
  secretNames: 'members' | 'admins'
  /** Where the traces of its deployments are read, with a key of its own; the embedded platform keeps them itself. */
  traces?: { url: string; apiKey?: string; tenantId?: string }
  source: 'environment' | 'console'
}

/** What of a workspace may be shown; whether there are keys, never which. */
export type WorkspaceView = Pick<
  Workspace,
  'slug' | 'name' | 'kind' | 'baseUrl' | 'dialect' | 'allowedOrigins' | 'secretNames' | 'source'
> & {
  hasKey: boolean
  hasAgentKey: boolean
  tracesUrl: string | null
  hasTracesKey: boolean
  tenantId: string | null
  /** Keys are stored and cannot be opened, with what to do. */
  keyProblem: string | null
}

/** Everything that is sealed together for one workspace. */
export const SealedKeys = z.object({
  apiKey: z.string().optional(),
  tenantId: z.string().optional(),
  bearer: z.string().optional(),
  agentApiKey: z.string().optional(),
})
export type SealedKeys = z.output<typeof SealedKeys>

/** What is sealed for a workspace's tracing address. */
export const SealedTracesKeys = z.object({ apiKey: z.string().optional(), tenantId: z.string().optional() })
export type SealedTracesKeys = z.output<typeof SealedTracesKeys>

type StoredWorkspace = typeof workspaces.$inferSelect

/** Slugs of workspaces that the environment may define; nobody else gets them. */
export const ENVIRONMENT_SLUGS = ['local', 'default']

/** The workspace that the environment defines, if any. Its keys are never stored. */
export function environmentWorkspace(): Workspace | undefined {
  const given = env()
  if (!given.CONTROL_PLANE_URL) return undefined
  const isEmbedded = given.PILOTHOUSE_WORKSPACE_KIND === 'embedded'
  return {
    slug: isEmbedded ? 'local' : 'default',
    name: isEmbedded ? 'This machine' : new URL(given.CONTROL_PLANE_URL).hostname,
    kind: given.PILOTHOUSE_WORKSPACE_KIND,
    baseUrl: given.CONTROL_PLANE_URL,
    auth: {
      apiKey: given.CONTROL_PLANE_API_KEY,
      tenantId: given.CONTROL_PLANE_TENANT_ID,
      bearer: given.CONTROL_PLANE_TOKEN,
    },
    agentApiKey: given.AGENT_SERVER_API_KEY,
    dialect: given.WIRE_DIALECT,
    // Who sets the environment names these origins for its own keys; ranges of addresses get none.
    allowedOrigins: given.ALLOWED_UPSTREAMS.filter((entry) => entry.includes('://')),
    secretNames: given.PILOTHOUSE_SECRET_NAMES,
    ...(given.TRACES_URL && {
      traces: { url: given.TRACES_URL, apiKey: given.TRACES_API_KEY, tenantId: given.CONTROL_PLANE_TENANT_ID },
    }),
    source: 'environment',
  }
}

/** What keys of a console-defined workspace are sealed for. A direct workspace has none of its own: its servers do. */
export const sealOfWorkspace = (slug: string, baseUrl: string) => ({
  owner: `workspace ${slug}`,
  origin: new URL(baseUrl).origin,
})

/** What keys of its tracing address are sealed for: never for the control plane, even at the same origin. */
export const sealOfTraces = (slug: string, tracesUrl: string) => ({
  owner: `traces of workspace ${slug}`,
  origin: new URL(tracesUrl).origin,
})

function tracesOf({ slug, tracesUrl, tracesSealedAuth }: StoredWorkspace): Pick<Workspace, 'traces'> {
  if (!tracesUrl) return {}
  const sealed = tracesSealedAuth && JSON.parse(unseal(tracesSealedAuth, sealOfTraces(slug, tracesUrl)))
  return { traces: { url: tracesUrl, ...SealedTracesKeys.parse(sealed || {}) } }
}

function keysOf(stored: StoredWorkspace): SealedKeys {
  if (!stored.sealedAuth || !stored.baseUrl) return {}
  return SealedKeys.parse(JSON.parse(unseal(stored.sealedAuth, sealOfWorkspace(stored.slug, stored.baseUrl))))
}

function toWorkspace(stored: StoredWorkspace): Workspace {
  const { agentApiKey, ...auth } = keysOf(stored)
  const { slug, name, kind, baseUrl, dialect, allowedOrigins, secretNames } = stored
  const plain = { slug, name, kind, baseUrl, dialect, allowedOrigins, secretNames }
  return { ...plain, auth, agentApiKey, ...tracesOf(stored), source: 'console' }
}

export async function storedWorkspace(slug: string): Promise<StoredWorkspace> {
  const store = await db()
  const [found] = await store
    .select()
    .from(workspaces)
    .where(and(eq(workspaces.slug, slug), isNull(workspaces.deletedAt)))
  if (!found) throw new AppError('not_found', 'There is no such workspace.')
  return found
}

/**
 * A workspace with its keys. Asks nobody for rights: callers check the role first.
 * Throws AppError not_found, and upstream_refused_key when stored keys cannot be opened.
 */
export async function workspace(slug: string): Promise<Workspace> {
  const first = environmentWorkspace()
  if (first?.slug === slug) return first
  // A slug is text; PostgreSQL takes no NUL, and the URL may bring one.
  if (ENVIRONMENT_SLUGS.includes(slug) || slug.includes('\0'))
    throw new AppError('not_found', 'There is no such workspace.')
  const stored = await storedWorkspace(slug)
  try {
    return toWorkspace(stored)
  } catch (cause) {
    throw new AppError(
      'upstream_refused_key',
      `The keys of this workspace cannot be used. ${(cause as Error).message}`,
      { cause },
    )
  }
}

function viewOf(one: Workspace, keyProblem: string | null): WorkspaceView {
  const { slug, name, kind, baseUrl, dialect, allowedOrigins, secretNames, source } = one
  const hasKey = Boolean(one.auth.apiKey || one.auth.bearer)
  return {
    slug,
    name,
    kind,
    baseUrl,
    dialect,
    allowedOrigins,
    secretNames,
    source,
    hasKey,
    hasAgentKey: Boolean(one.agentApiKey),
    tracesUrl: one.traces?.url ?? null,
    hasTracesKey: Boolean(one.traces?.apiKey),
    tenantId: one.auth.tenantId ?? null,
    keyProblem,
  }
}

function viewOfStored(stored: StoredWorkspace): WorkspaceView {
  try {
    return viewOf(toWorkspace(stored), null)
  } catch (error) {
    log.warn('workspace.keys_closed', { workspace: stored.slug, error })
    return viewOf(toWorkspace({ ...stored, sealedAuth: null, tracesSealedAuth: null }), (error as Error).message)
  }
}

/** The workspaces where the actor has a role, with that role: the environment's first, then by name. Without any secret. */
export async function listWorkspaces(actor: Actor): Promise<(WorkspaceView & { role: Role })[]> {
  const roles =
    actor.kind === 'system' ? [{ workspace: EVERYWHERE, role: 'viewer' as const }] : await memberRoles(actor)
  if (roles.length === 0) return []
  const store = await db()
  const stored = await store
    .select()
    .from(workspaces)
    .where(isNull(workspaces.deletedAt))
    .orderBy(asc(workspaces.name), asc(workspaces.slug))
  const first = environmentWorkspace()
  return [...(first ? [viewOf(first, null)] : []), ...stored.map(viewOfStored)].flatMap((view) => {
    const role = highest(
      roles.filter((one) => one.workspace === view.slug || one.workspace === EVERYWHERE).map((one) => one.role),
    )
    return role ? [{ ...view, role }] : []
  })
}

/** The slug where people land and where single sign-on gives its roles: the environment's, else the oldest. */
export async function firstWorkspace(): Promise<string | null> {
  const first = environmentWorkspace()
  if (first) return first.slug
  const store = await db()
  const [oldest] = await store
    .select({ slug: workspaces.slug })
    .from(workspaces)
    .where(isNull(workspaces.deletedAt))
    .orderBy(asc(workspaces.createdAt))
    .limit(1)
  return oldest?.slug ?? null
}
