import 'server-only'
import { and, eq, isNull } from 'drizzle-orm'
import { z } from 'zod'
import { parseRange } from '@/lib/contracts/wire/address'
import { AppError } from '@/lib/errors'
import { db } from '../process/db'
import { alertChannels, alertRules, apiTokens, directServers, memberships, workspaces } from '../process/schema'
import { seal } from '../process/sealing'
import {
  ENVIRONMENT_SLUGS,
  SealedKeys,
  type SealedTracesKeys,
  sealOfTraces,
  sealOfWorkspace,
  type Workspace,
  workspace,
} from './workspaces'

// A workspace's slug is the first segment of its URLs, so it must not match one of our pages.
const RESERVED = [
  ...ENVIRONMENT_SLUGS,
  'api',
  'healthz',
  'readyz',
  'metrics',
  'docs',
  'sign-in',
  'sign-out',
  'account',
  'new',
  'admin',
  'console',
  'static',
  'public',
  'assets',
  'icon',
  'opengraph-image',
]

const Slug = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{1,38}[a-z0-9]$/,
    'Use 3 to 40 lower-case letters, digits and hyphens, beginning with a letter.',
  )
  .refine((slug) => !RESERVED.includes(slug), 'This name is taken by the console itself.')
const Name = z.string().trim().min(1, 'Enter a name.').max(80, 'Use at most 80 characters.')

/** An http or https address without user name, query or fragment. Trailing slashes are removed. */
export const UpstreamUrl = z
  .string()
  .trim()
  .max(2000)
  .refine((text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol), {
    error: 'Enter an address such as https://api.example.com.',
    abort: true,
  })
  .refine((text) => {
    const url = new URL(text)
    return !url.username && !url.password && !url.search && !url.hash
  }, 'Leave out user name, password, query and fragment.')
  .transform((text) => new URL(text).href.replace(/\/+$/, ''))

/** An origin or `https://*.example.com`, as entered by an administrator. Only the environment may allow address ranges. */
const AllowedOrigin = z
  .string()
  .trim()
  .refine(
    (text) => !parseRange(text) && URL.canParse(text.replace('://*.', '://')),
    'Enter an origin such as https://agents.example.com or https://*.example.com.',
  )
  .refine((text) => /^https?:\/\/[^/?#@\s]+\/?$/.test(text), 'Enter the origin only, without a path.')
  .transform((text) => text.replace(/\/$/, '').toLowerCase())

/** A value that is valid in a header. */
const HeaderText = z
  .string()
  .trim()
  .min(1)
  .max(4000)
  .regex(/^[\x21-\x7e]+$/, 'Use visible ASCII characters without spaces.')
const Keys = z.strictObject({
  apiKey: HeaderText.optional(),
  tenantId: HeaderText.optional(),
  bearer: HeaderText.optional(),
  agentApiKey: HeaderText.optional(),
})
export const ServerKey = HeaderText

/** The tracing server. Without new keys, those for the same origin are kept. */
const Traces = z.strictObject({ url: UpstreamUrl, apiKey: HeaderText.optional(), tenantId: HeaderText.optional() })

const common = {
  name: Name,
  dialect: z.enum(['auto', 'graph', 'langgraph']),
  allowedOrigins: z.array(AllowedOrigin).max(50),
  secretNames: z.enum(['members', 'admins']).optional(),
  /** Null removes it with its keys. */
  traces: Traces.nullable().optional(),
}
export const NewWorkspace = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('control-plane'),
    slug: Slug,
    ...common,
    baseUrl: UpstreamUrl,
    keys: Keys.default({}),
  }),
  z.strictObject({ kind: z.literal('direct'), slug: Slug, ...common }),
])
export type NewWorkspace = z.input<typeof NewWorkspace>

/** Only the given fields change. `keys` replaces all keys; null removes them. */
export const WorkspaceChange = z.strictObject({
  name: common.name.optional(),
  dialect: common.dialect.optional(),
  allowedOrigins: common.allowedOrigins.optional(),
  secretNames: common.secretNames,
  traces: common.traces,
  baseUrl: UpstreamUrl.optional(),
  keys: Keys.nullable().optional(),
})
export type WorkspaceChange = z.input<typeof WorkspaceChange>

/** A control plane's address and keys before they are saved. Without keys, those stored for the same origin are used. */
export const ControlPlaneDraft = z.strictObject({
  /** The workspace that is edited, if any. */
  slug: z.string().max(80).optional(),
  baseUrl: UpstreamUrl,
  dialect: common.dialect,
  keys: Keys.optional(),
})
export type ControlPlaneDraft = z.input<typeof ControlPlaneDraft>

/** The draft with its keys; callers must check the role first. Throws AppError not_found. */
export async function withStoredKeys(
  draft: z.output<typeof ControlPlaneDraft>,
): Promise<Pick<Workspace, 'baseUrl' | 'auth' | 'dialect'>> {
  const { slug, baseUrl, dialect, keys } = draft
  if (keys || !slug) return { baseUrl, dialect, auth: keys ?? {} }
  const saved = await workspace(slug)
  return { baseUrl, dialect, auth: originOf(saved.baseUrl) === originOf(baseUrl) ? saved.auth : {} }
}

const originOf = (address: string | null): string | null => address && new URL(address).origin

function sealKeys(slug: string, baseUrl: string, keys: SealedKeys | null): string | null {
  const given = SealedKeys.parse(keys ?? {})
  const isEmpty = Object.values(given).every((value) => value === undefined)
  return isEmpty ? null : seal(JSON.stringify(given), sealOfWorkspace(slug, baseUrl))
}

type StoredTraces = { tracesUrl: string | null; tracesSealedAuth: string | null }

/** The columns for a tracing address. Its keys are bound to its origin, like those of the control plane. */
function storeTraces(slug: string, given: z.output<typeof Traces> | null, before: StoredTraces): StoredTraces {
  if (!given) return { tracesUrl: null, tracesSealedAuth: null }
  const { url: tracesUrl, ...keys } = given
  const isSameOrigin = originOf(before.tracesUrl) === originOf(tracesUrl)
  const hasKeys = Object.values(keys).some((value) => value !== undefined)
  if (!hasKeys) return { tracesUrl, tracesSealedAuth: isSameOrigin ? before.tracesSealedAuth : null }
  const sealed: SealedTracesKeys = keys
  return { tracesUrl, tracesSealedAuth: seal(JSON.stringify(sealed), sealOfTraces(slug, tracesUrl)) }
}

/** Throws AppError conflict for the workspace of the environment. */
export function refuseEnvironment(slug: string) {
  if (ENVIRONMENT_SLUGS.includes(slug))
    throw new AppError(
      'conflict',
      'This workspace is defined by the environment of the console. Change the variables there.',
    )
}

/** Creates a workspace. Throws AppError conflict if the slug is or was in use. */
export async function insertWorkspace(given: z.output<typeof NewWorkspace>): Promise<void> {
  const store = await db()
  const { slug, name, kind, dialect, allowedOrigins, secretNames } = given
  const own =
    given.kind === 'direct' ? {} : { baseUrl: given.baseUrl, sealedAuth: sealKeys(slug, given.baseUrl, given.keys) }
  const made = await store
    .insert(workspaces)
    .values({
      ...{ slug, name, kind, dialect, allowedOrigins, secretNames, ...own },
      ...storeTraces(slug, given.traces ?? null, { tracesUrl: null, tracesSealedAuth: null }),
    })
    .onConflictDoNothing()
    .returning({ slug: workspaces.slug })
  if (made.length > 0) return
  const message = 'A workspace has or had this name. Choose another one.'
  throw new AppError('conflict', message, { fields: [{ path: ['slug'], message }] })
}

/**
 * Changes a console-defined workspace. Keys are bound to their origin: a new origin drops them unless new keys are
 * given, and the result says so.
 * @throws AppError not_found, conflict or invalid
 */
export async function changeWorkspace(
  slug: string,
  change: z.output<typeof WorkspaceChange>,
): Promise<{ hasDroppedKeys: boolean }> {
  refuseEnvironment(slug)
  const store = await db()
  return await store.transaction(async (transaction) => {
    const [stored] = await transaction
      .select()
      .from(workspaces)
      .where(and(eq(workspaces.slug, slug), isNull(workspaces.deletedAt)))
      .for('update')
    if (!stored) throw new AppError('not_found', 'This workspace does not exist.')
    const { keys, traces, ...plain } = change
    if (stored.kind === 'direct' && (plain.baseUrl !== undefined || keys))
      throw new AppError('invalid', 'This workspace has no control plane: addresses and keys belong to its servers.')
    const baseUrl = plain.baseUrl ?? stored.baseUrl
    const kept = originOf(baseUrl) === originOf(stored.baseUrl) ? stored.sealedAuth : null
    const sealedAuth = keys === undefined || baseUrl === null ? kept : sealKeys(slug, baseUrl, keys)
    const tracing = traces === undefined ? stored : storeTraces(slug, traces, stored)
    const { tracesUrl, tracesSealedAuth } = tracing
    await transaction
      .update(workspaces)
      .set({ ...plain, sealedAuth, tracesUrl, tracesSealedAuth, updatedAt: new Date() })
      .where(eq(workspaces.slug, slug))
    const hasDropped = keys === undefined && stored.sealedAuth !== null && sealedAuth === null
    const hasDroppedOfTraces = Boolean(traces && stored.tracesSealedAuth && !tracesSealedAuth)
    return { hasDroppedKeys: hasDropped || hasDroppedOfTraces }
  })
}

/** Deletes a console-defined workspace with its keys, servers, memberships, API tokens and alerts. The slug cannot be reused. */
export async function eraseWorkspace(slug: string): Promise<void> {
  refuseEnvironment(slug)
  const store = await db()
  await store.transaction(async (transaction) => {
    const erased = await transaction
      .update(workspaces)
      .set({ deletedAt: new Date(), sealedAuth: null, tracesSealedAuth: null })
      .where(and(eq(workspaces.slug, slug), isNull(workspaces.deletedAt)))
      .returning({ slug: workspaces.slug })
    if (erased.length === 0) throw new AppError('not_found', 'This workspace does not exist.')
    await transaction.delete(directServers).where(eq(directServers.workspace, slug))
    await transaction.delete(memberships).where(eq(memberships.workspace, slug))
    for (const own of [apiTokens, alertRules, alertChannels])
      await transaction.delete(own).where(eq(own.workspace, slug))
  })
}

/** Throws AppError unsupported unless the workspace is of kind `direct`, and conflict for that of the environment. */
export async function assertDirect(slug: string): Promise<void> {
  refuseEnvironment(slug)
  const found = await workspace(slug)
  if (found.kind !== 'direct')
    throw new AppError('unsupported', 'Servers can only be added to a workspace without a control plane.')
}
