import 'server-only'
import { and, asc, eq, isNull } from 'drizzle-orm'
import { z } from 'zod'
import { isLoopback } from '@/lib/contracts/wire/address'
import type { Role } from '@/lib/contracts/wire/api'
import { highestRole, lowest, type Rights } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { db } from '../process/db'
import { env } from '../process/env'
import { log } from '../process/log'
import { workspaces } from '../process/schema'
import { unseal } from '../process/sealing'
import { type Actor, EVERYWHERE, memberRights, rightsIn, rightsOf } from './actor'
import { attachedControlPlane, nameOfAddress } from './attached'

export type WorkspaceAuth = { apiKey?: string; tenantId?: string; bearer?: string }
/** A workspace with its keys. It must never leave this server. */
export type Workspace = {
  slug: string
  name: string
  kind: 'embedded' | 'control-plane' | 'direct'
  baseUrl: string | null
  auth: WorkspaceAuth
  /** The key for agent servers, if it differs from the control plane's. */
  agentApiKey?: string
  dialect: 'auto' | 'graph' | 'langgraph'
  /** Origins that may get the keys, in addition to the base address. */
  allowedOrigins: string[]
  /** Who may see the names of a deployment's secrets. */
  secretNames: 'members' | 'admins'
  /** The tracing server, with its own key. The embedded platform stores traces itself. */
  traces?: { url: string; apiKey?: string; tenantId?: string }
  source: 'environment' | 'console'
}

/** The parts of a workspace that may be shown: whether it has keys, but never the keys. */
export type WorkspaceView = Pick<
  Workspace,
  'slug' | 'name' | 'kind' | 'baseUrl' | 'dialect' | 'allowedOrigins' | 'secretNames' | 'source'
> & {
  hasKey: boolean
  hasAgentKey: boolean
  tracesUrl: string | null
  hasTracesKey: boolean
  tenantId: string | null
  /** Why the stored keys cannot be unsealed and what to do about it; null if they can. */
  keyProblem: string | null
}

/** The keys that are sealed together for one workspace. */
export const SealedKeys = z.object({
  apiKey: z.string().optional(),
  tenantId: z.string().optional(),
  bearer: z.string().optional(),
  agentApiKey: z.string().optional(),
})
export type SealedKeys = z.output<typeof SealedKeys>

/** The keys that are sealed for a workspace's tracing address. */
export const SealedTracesKeys = z.object({ apiKey: z.string().optional(), tenantId: z.string().optional() })
export type SealedTracesKeys = z.output<typeof SealedTracesKeys>

type StoredWorkspace = typeof workspaces.$inferSelect

/** Slugs reserved for the workspace that the environment may define. */
export const ENVIRONMENT_SLUGS = ['local', 'default']

const nameOfControlPlane = (host: string, isEmbedded: boolean): string =>
  isEmbedded ? (isLoopback(host) ? 'This machine' : 'Embedded platform') : host

/** The workspace that the environment defines, if any. Its keys are never stored. */
export function environmentWorkspace(): Workspace | undefined {
  const given = env()
  const attached = given.AGENT_SERVER_URL
  const controlPlane = given.CONTROL_PLANE_URL ?? attachedControlPlane()
  if (!controlPlane && attached.length === 0) return undefined
  const isEmbedded = given.PILOTHOUSE_WORKSPACE_KIND === 'embedded'
  const [server = '', another] = attached
  return {
    ...(controlPlane
      ? {
          slug: isEmbedded ? 'local' : 'default',
          name: nameOfControlPlane(new URL(controlPlane).hostname, isEmbedded),
          kind: given.PILOTHOUSE_WORKSPACE_KIND,
          baseUrl: controlPlane,
        }
      : {
          slug: 'default',
          name: another ? 'Agent servers' : nameOfAddress(server),
          kind: 'direct' as const,
          baseUrl: null,
        }),
    auth: {
      // An attached address gets the key that was given with it, whatever it turns out to be.
      apiKey: given.CONTROL_PLANE_API_KEY ?? (attached.length > 0 ? given.AGENT_SERVER_API_KEY : undefined),
      tenantId: given.CONTROL_PLANE_TENANT_ID,
      bearer: given.CONTROL_PLANE_TOKEN,
    },
    agentApiKey: given.AGENT_SERVER_API_KEY,
    dialect: given.WIRE_DIALECT,
    // The operator lists these origins for the environment's keys. Address ranges never get keys.
    allowedOrigins: given.ALLOWED_UPSTREAMS.filter((entry) => entry.includes('://')),
    secretNames: given.PILOTHOUSE_SECRET_NAMES,
    ...(given.TRACES_URL && {
      traces: { url: given.TRACES_URL, apiKey: given.TRACES_API_KEY, tenantId: given.CONTROL_PLANE_TENANT_ID },
    }),
    source: 'environment',
  }
}

/** The owner and origin for which a workspace's keys are sealed. A direct workspace has none; its servers do. */
export const sealOfWorkspace = (slug: string, baseUrl: string) => ({
  owner: `workspace ${slug}`,
  origin: new URL(baseUrl).origin,
})

/** The owner and origin for tracing keys, so that they are never used for the control plane, even at the same origin. */
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
  if (!found) throw new AppError('not_found', 'This workspace does not exist.')
  return found
}

/**
 * A workspace with its keys; callers must check the role first. Throws AppError not_found, or upstream_refused_key if
 * the stored keys cannot be unsealed.
 */
export async function workspace(slug: string): Promise<Workspace> {
  const first = environmentWorkspace()
  if (first?.slug === slug) return first
  // The URL may contain a NUL, which PostgreSQL refuses in text.
  if (ENVIRONMENT_SLUGS.includes(slug) || slug.includes('\0'))
    throw new AppError('not_found', 'This workspace does not exist.')
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

/** Decides what pages offer to a limited member. */
const shownRole = (rights: Rights): Role => lowest([highestRole(rights), 'developer']) ?? 'viewer'

/** A workspace as one of its members sees it. */
export type OwnWorkspace = WorkspaceView & {
  /** In the workspace; for a limited member their highest at a deployment, but no administrator's. */
  role: Role
  rights: Rights
}

/** The workspaces where the actor has any role, without their keys: the environment's first, then by name. */
export async function listWorkspaces(actor: Actor): Promise<OwnWorkspace[]> {
  const all =
    actor.kind === 'system'
      ? [{ workspace: EVERYWHERE, ...(await rightsOf(actor, EVERYWHERE)) }]
      : await memberRights(actor)
  if (all.length === 0) return []
  const store = await db()
  const stored = await store
    .select()
    .from(workspaces)
    .where(isNull(workspaces.deletedAt))
    .orderBy(asc(workspaces.name), asc(workspaces.slug))
  const first = environmentWorkspace()
  return [...(first ? [viewOf(first, null)] : []), ...stored.map(viewOfStored)].flatMap((view) => {
    const rights = rightsIn(all, view.slug)
    return highestRole(rights) ? [{ ...view, role: rights.role ?? shownRole(rights), rights }] : []
  })
}

/** The landing workspace, where single sign-on sets roles: the environment's or the oldest. Null if there is none. */
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
