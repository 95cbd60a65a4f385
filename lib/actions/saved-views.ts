'use server'
import { z } from 'zod'
import type { Result } from '@/lib/errors'
import { MAX_VIEW_NAME, type SavedView } from '@/lib/lists/saved-views'
import { audited, guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import { addView, changeView, listViews, removeView, type ViewsPlace } from '@/lib/server/records/saved-views'

const Place = {
  workspace: z.string().min(1).max(80),
  page: z.enum(['deployments', 'assistants', 'threads', 'runs', 'all-runs', 'traces']),
}
const Name = z.string().trim().min(1, 'Give it a name.').max(MAX_VIEW_NAME)
const Query = z.string().max(2_000)

const Add = z.strictObject({ ...Place, name: Name, query: Query })
const Change = z.strictObject({
  ...Place,
  id: z.uuid(),
  name: Name.optional(),
  query: Query.optional(),
  isDefault: z.boolean().optional(),
})
const Remove = z.strictObject({ ...Place, id: z.uuid() })

// Each gives all of the person's views of the list back, as they are then.

/** Saves a list's filters under a name of one's own; `id` is the new view's. */
export async function saveView(given: z.input<typeof Add>): Promise<Result<{ id: string; views: SavedView[] }>> {
  return guardAction(async (requestId) => {
    const { name, query, ...place } = parseInput(Add, given)
    return write('saveView', place, ['name', 'query'], requestId, async (at) => {
      const id = await addView(at, { name, query })
      return { id, views: await listViews(at) }
    })
  })
}

/** Renames a view, gives it other filters, or makes it the one that the list opens with. */
export async function updateView(given: z.input<typeof Change>): Promise<Result<SavedView[]>> {
  return guardAction(async (requestId) => {
    const { id, workspace, page, ...change } = parseInput(Change, given)
    return write('updateView', { workspace, page, id }, Object.keys(change), requestId, async (at) => {
      await changeView(at, id, change)
      return await listViews(at)
    })
  })
}

export async function deleteView(given: z.input<typeof Remove>): Promise<Result<SavedView[]>> {
  return guardAction(async (requestId) => {
    const { id, ...place } = parseInput(Remove, given)
    return write('deleteView', { ...place, id }, [], requestId, async (at) => {
      await removeView(at, id)
      return await listViews(at)
    })
  })
}

type Where = { workspace: string; page: string; id?: string }

/** One's own views need no more than to see the workspace. */
function write<T>(
  operation: string,
  { workspace, page, id }: Where,
  fields: string[],
  requestId: string,
  effect: (place: ViewsPlace) => Promise<T>,
): Promise<T> {
  const params = { page, ...(id && { view: id }) }
  return audited({ workspace, role: 'viewer', operation, params, fields, requestId }, (actor) =>
    effect({ account: actor.id, workspace, page }),
  )
}
