import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, asc, eq } from 'drizzle-orm'
import { z } from 'zod'
import { deploymentsWith } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { isUuid } from '@/lib/json/guards'
import { db } from '../process/db'
import { directServers } from '../process/schema'
import { seal, unseal } from '../process/sealing'
import { type Actor, rightsOf } from './actor'
import { attachedServers, type DirectServer } from './attached'
import { assertDirect, refuseEnvironment, ServerKey, UpstreamUrl } from './workspace-settings'
import { environmentWorkspace } from './workspaces'

export type DirectServerView = Omit<DirectServer, 'apiKey'> & { hasKey: boolean }

export const NewDirectServer = z.strictObject({
  name: z.string().trim().min(1, 'Enter a name.').max(80, 'Use at most 80 characters.'),
  url: UpstreamUrl,
  apiKey: ServerKey.optional(),
})
export type NewDirectServer = z.input<typeof NewDirectServer>
/** A server before it is registered. */
export const ServerAddress = NewDirectServer.pick({ url: true, apiKey: true })
export type ServerAddress = z.input<typeof ServerAddress>

const sealOf = (id: string, url: string) => ({ owner: `server ${id}`, origin: new URL(url).origin })

/** Whether the workspace's servers are those of AGENT_SERVER_URL. */
function isAttached(workspace: string): boolean {
  const first = environmentWorkspace()
  return first?.kind === 'direct' && first.slug === workspace
}

/**
 * The agent servers of a direct workspace: as the environment lists them, or sorted by name. Callers must check the role
 * first.
 */
export async function listDirectServers(workspace: string): Promise<DirectServerView[]> {
  if (isAttached(workspace))
    return attachedServers().map(({ apiKey, ...server }) => ({ ...server, hasKey: apiKey !== undefined }))
  const rows = await (await db())
    .select()
    .from(directServers)
    .where(eq(directServers.workspace, workspace))
    .orderBy(asc(directServers.name), asc(directServers.id))
  return rows.map(({ id, name, url, sealedAuth, createdAt }) => ({
    id,
    name,
    url,
    hasKey: sealedAuth !== null,
    createdAt: createdAt.toISOString(),
  }))
}

/** The same, for a page: those that the actor has a role for. */
export async function visibleServers(actor: Actor, workspace: string): Promise<DirectServerView[]> {
  const limit = deploymentsWith(await rightsOf(actor, workspace), 'viewer')
  return (await listDirectServers(workspace)).filter(({ id }) => !limit || limit.includes(id))
}

/** A registered server with its key. Throws AppError not_found, or upstream_refused_key if the key cannot be unsealed. */
export async function directServer(workspace: string, id: string): Promise<DirectServer> {
  if (isAttached(workspace)) {
    const attached = attachedServers().find((one) => one.id === id)
    if (attached) return attached
  }
  const found = isUuid(id)
    ? (
        await (
          await db()
        )
          .select()
          .from(directServers)
          .where(and(eq(directServers.workspace, workspace), eq(directServers.id, id)))
      )[0]
    : undefined
  if (!found) throw new AppError('not_found', 'This workspace has no such agent server.')
  const { name, url, sealedAuth, createdAt } = found
  const plain = { id: found.id, name, url, createdAt: createdAt.toISOString() }
  try {
    return sealedAuth ? { ...plain, apiKey: unseal(sealedAuth, sealOf(found.id, url)) } : plain
  } catch (cause) {
    throw new AppError(
      'upstream_refused_key',
      `The key of this agent server cannot be used. ${(cause as Error).message}`,
      { cause },
    )
  }
}

/** Registers a server. Its key is sealed for this server and the origin of its address. */
export async function insertDirectServer(
  workspace: string,
  given: z.output<typeof NewDirectServer>,
): Promise<{ id: string }> {
  await assertDirect(workspace)
  const id = randomUUID()
  const sealedAuth = given.apiKey ? seal(given.apiKey, sealOf(id, given.url)) : null
  await (await db()).insert(directServers).values({ id, workspace, name: given.name, url: given.url, sealedAuth })
  return { id }
}

/** Removes a server and its key from the console; the server itself is not changed. Throws AppError not_found. */
export async function eraseDirectServer(workspace: string, id: string): Promise<void> {
  refuseEnvironment(workspace)
  const erased = await (await db())
    .delete(directServers)
    .where(and(eq(directServers.workspace, workspace), eq(directServers.id, id)))
    .returning({ id: directServers.id })
  if (erased.length === 0) throw new AppError('not_found', 'This workspace has no such agent server.')
}
