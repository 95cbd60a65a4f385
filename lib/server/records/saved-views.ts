import 'server-only'
import { and, asc, eq, sql } from 'drizzle-orm'
import { AppError } from '@/lib/errors'
import { MAX_VIEWS, type SavedView } from '@/lib/lists/saved-views'
import { db } from '../process/db'
import { savedViews } from '../process/schema'

/** Whose views, and of which list: each person has their own in each workspace. */
export type ViewsPlace = { account: string; workspace: string; page: string }

const within = ({ account, workspace, page }: ViewsPlace) =>
  and(eq(savedViews.account, account), eq(savedViews.workspace, workspace), eq(savedViews.page, page))
const one = (place: ViewsPlace, id: string) => and(within(place), eq(savedViews.id, id))

const { id, name, query, isDefault } = savedViews

/** By name. */
export async function listViews(place: ViewsPlace): Promise<SavedView[]> {
  const store = await db()
  return await store
    .select({ id, name, query, isDefault })
    .from(savedViews)
    .where(within(place))
    .orderBy(asc(sql`lower(${name})`))
}

/** Throws AppError conflict for a name that is taken, and where there are too many. */
export async function addView(place: ViewsPlace, view: { name: string; query: string }): Promise<string> {
  const store = await db()
  if ((await store.$count(savedViews, within(place))) >= MAX_VIEWS)
    throw new AppError('conflict', `There are ${MAX_VIEWS} saved views already. Delete one first.`)
  const [added] = await store
    .insert(savedViews)
    .values({ ...place, ...view })
    .onConflictDoNothing()
    .returning({ id })
  if (!added) throw taken(view.name)
  return added.id
}

export type ViewChange = { name?: string; query?: string; isDefault?: boolean }

/** Throws AppError not_found, and conflict for a name that is taken. */
export async function changeView(place: ViewsPlace, viewId: string, change: ViewChange): Promise<void> {
  const store = await db()
  await store.transaction(async (transaction) => {
    if (change.isDefault) await transaction.update(savedViews).set({ isDefault: false }).where(within(place))
    if (change.name !== undefined) {
      const [other] = await transaction
        .select({ id })
        .from(savedViews)
        .where(and(within(place), sql`lower(${name}) = lower(${change.name})`))
      if (other && other.id !== viewId) throw taken(change.name)
    }
    const changed = await transaction.update(savedViews).set(change).where(one(place, viewId)).returning({ id })
    if (changed.length === 0) throw new AppError('not_found', 'There is no such view any more.')
  })
}

/** One that is gone already is fine. */
export async function removeView(place: ViewsPlace, viewId: string): Promise<void> {
  await (await db()).delete(savedViews).where(one(place, viewId))
}

const taken = (text: string) =>
  new AppError('conflict', `There is a view named “${text}” already. Choose another name.`, {
    fields: [{ path: ['name'], message: 'This name is taken.' }],
  })
