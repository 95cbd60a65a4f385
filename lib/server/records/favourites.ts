import 'server-only'
import { and, asc, eq } from 'drizzle-orm'
import { consoleRecords } from '@/lib/contracts/console-records'
import { deploymentsWith } from '@/lib/contracts/wire/rights'
import { AppError } from '@/lib/errors'
import { MAX_FAVOURITES } from '@/lib/lists/saved'
import { type Actor, rightsOf } from '../access/actor'
import { audited, authorizeWithin } from '../audit/own-records'
import { db } from '../process/db'
import { favourites } from '../process/schema'

const { deployment } = favourites

const ownedBy = (actor: Actor, workspace: string) =>
  and(eq(favourites.account, actor.id), eq(favourites.workspace, workspace))

/** The ids of the deployments that the actor marked, the first marked first. */
export async function listFavourites(actor: Actor, workspace: string): Promise<string[]> {
  await authorizeWithin(consoleRecords.readFavourites, actor, workspace)
  return await selectFavourites(actor, workspace)
}

async function selectFavourites(actor: Actor, workspace: string): Promise<string[]> {
  const limit = deploymentsWith(await rightsOf(actor, workspace), 'viewer')
  const rows = await (await db())
    .select({ deployment })
    .from(favourites)
    .where(ownedBy(actor, workspace))
    .orderBy(asc(favourites.createdAt), asc(deployment))
  // Some may have been marked before the actor was limited.
  return rows.flatMap(({ deployment: id }) => (!limit || limit.includes(id) ? [id] : []))
}

type Marked = { workspace: string; deployment: string }

/** Marks a deployment, also one that is marked already. Returns all favourites. Throws AppError conflict if there are too many. */
export async function addFavourite(actor: Actor, { workspace, deployment }: Marked, requestId: string) {
  const write = { actor, workspace, about: deployment, params: { deployment }, requestId }
  return await audited(consoleRecords.addFavourite, write, async () => {
    const store = await db()
    const marked = await selectFavourites(actor, workspace)
    if (marked.length >= MAX_FAVOURITES && !marked.includes(deployment))
      throw new AppError('conflict', `You already have ${MAX_FAVOURITES} favourites. Remove one first.`)
    await store.insert(favourites).values({ account: actor.id, workspace, deployment }).onConflictDoNothing()
    return await selectFavourites(actor, workspace)
  })
}

/** Succeeds even if the deployment is not marked. Returns all favourites. */
export async function removeFavourite(actor: Actor, { workspace, deployment: id }: Marked, requestId: string) {
  const write = { actor, workspace, params: { deployment: id }, requestId }
  return await audited(consoleRecords.removeFavourite, write, async () => {
    await (await db()).delete(favourites).where(and(ownedBy(actor, workspace), eq(deployment, id)))
    return await selectFavourites(actor, workspace)
  })
}
