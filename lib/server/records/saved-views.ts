import 'server-only'
import { and, asc, eq, ne, sql } from 'drizzle-orm'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { ViewsPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { MAX_VIEWS, type SavedView } from '@/lib/lists/saved'
import { type Actor, roleOf } from '../access/actor'
import { audited, authorizeRead } from '../audit/own-records'
import { db } from '../process/db'
import { accounts, savedViews } from '../process/schema'

const ownedBy = (actor: Actor, { workspace, page }: ViewsPlace) =>
  and(eq(savedViews.account, actor.id), eq(savedViews.workspace, workspace), eq(savedViews.page, page))
const isView = (actor: Actor, place: ViewsPlace, id: string) => and(ownedBy(actor, place), eq(savedViews.id, id))

const { id, name, query, isDefault, isShared } = savedViews
const MOST_SHARED = 100

/** The actor's own views of the list by name, then those that others share. */
export async function listViews(actor: Actor, place: ViewsPlace): Promise<SavedView[]> {
  await authorizeRead(consoleRecords.readViews, actor, place.workspace)
  return await selectViews(actor, place)
}

async function selectViews(actor: Actor, place: ViewsPlace): Promise<SavedView[]> {
  const store = await db()
  // The views of others may name any deployment.
  const mayHaveShared = (await roleOf(actor, place.workspace)) !== null
  const own = await store
    .select({ id, name, query, isDefault, isShared })
    .from(savedViews)
    .where(ownedBy(actor, place))
    .orderBy(asc(sql`lower(${name})`))
  const shared = await store
    .select({ id, name, query, isShared, owner: accounts.email })
    .from(savedViews)
    .innerJoin(accounts, eq(accounts.id, savedViews.account))
    .where(
      and(
        ne(savedViews.account, actor.id),
        eq(savedViews.workspace, place.workspace),
        eq(savedViews.page, place.page),
        eq(isShared, true),
        mayHaveShared ? undefined : sql`false`,
      ),
    )
    .orderBy(asc(sql`lower(${name})`), asc(id))
    .limit(MOST_SHARED)
  return [
    ...own.map((view) => ({ ...view, owner: null })),
    ...shared.map((view) => ({ ...view, isDefault: false })), // the default of its owner
  ]
}

// Each write returns all of the list's views that the actor sees.

/** Throws AppError conflict if the name is taken or there are too many. */
export async function saveView(
  actor: Actor,
  { workspace, page }: ViewsPlace,
  view: { name: string; query: string },
  requestId: string,
): Promise<{ id: string; views: SavedView[] }> {
  const place = { workspace, page }
  const write = { actor, workspace, params: { page }, fields: ['name', 'query'], requestId }
  return await audited(consoleRecords.saveView, write, async () => {
    const store = await db()
    if ((await store.$count(savedViews, ownedBy(actor, place))) >= MAX_VIEWS)
      throw new AppError('conflict', `You already have ${MAX_VIEWS} saved views. Delete one first.`)
    const [added] = await store
      .insert(savedViews)
      .values({ account: actor.id, ...place, ...view })
      .onConflictDoNothing()
      .returning({ id })
    if (!added) throw taken(view.name)
    return { id: added.id, views: await selectViews(actor, place) }
  })
}

export type ViewChange = { name?: string; query?: string; isDefault?: boolean; isShared?: boolean }

/** Throws AppError not_found, or conflict if the name is taken. */
export async function updateView(
  actor: Actor,
  { workspace, page, id: viewId }: ViewsPlace & { id: string },
  change: ViewChange,
  requestId: string,
): Promise<SavedView[]> {
  const place = { workspace, page }
  const write = { actor, workspace, params: { page, view: viewId }, fields: Object.keys(change), requestId }
  const op = change.isShared === undefined ? consoleRecords.updateView : consoleRecords.shareView
  return await audited(op, write, async () => {
    const store = await db()
    await store.transaction(async (transaction) => {
      if (change.isDefault) await transaction.update(savedViews).set({ isDefault: false }).where(ownedBy(actor, place))
      if (change.name !== undefined) {
        const [other] = await transaction
          .select({ id })
          .from(savedViews)
          .where(and(ownedBy(actor, place), sql`lower(${name}) = lower(${change.name})`))
        if (other && other.id !== viewId) throw taken(change.name)
      }
      const changed = await transaction
        .update(savedViews)
        .set(change)
        .where(isView(actor, place, viewId))
        .returning({ id })
      if (changed.length === 0) throw new AppError('not_found', 'This view no longer exists.')
    })
    return await selectViews(actor, place)
  })
}

/** Succeeds even if the view is already gone. */
export async function deleteView(
  actor: Actor,
  { workspace, page, id: viewId }: ViewsPlace & { id: string },
  requestId: string,
): Promise<SavedView[]> {
  const place = { workspace, page }
  const write = { actor, workspace, params: { page, view: viewId }, requestId }
  return await audited(consoleRecords.deleteView, write, async () => {
    await (await db()).delete(savedViews).where(isView(actor, place, viewId))
    return await selectViews(actor, place)
  })
}

const taken = (text: string) =>
  new AppError('conflict', `A view named “${text}” already exists. Choose another name.`, {
    fields: [{ path: ['name'], message: 'This name is taken.' }],
  })
