'use server'
import { z } from 'zod'
import type { Result } from '@/lib/errors'
import { MAX_VIEW_NAME, type SavedView } from '@/lib/lists/saved'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as records from '@/lib/server/records/saved-views'

const Place = {
  workspace: z.string().min(1).max(80),
  page: z.enum(['deployments', 'assistants', 'threads', 'runs', 'all-runs', 'traces']),
}
const Name = z.string().trim().min(1, 'Enter a name.').max(MAX_VIEW_NAME)
const Query = z.string().max(2_000)

const Add = z.strictObject({ ...Place, name: Name, query: Query })
const Change = z.strictObject({
  ...Place,
  id: z.uuid(),
  name: Name.optional(),
  query: Query.optional(),
  isDefault: z.boolean().optional(),
  isShared: z.boolean().optional(),
})
const Remove = z.strictObject({ ...Place, id: z.uuid() })

// Each action returns all of the user's views of the list.

/** Saves a list's filters under a name. `id` is that of the new view. */
export async function saveView(given: z.input<typeof Add>): Promise<Result<{ id: string; views: SavedView[] }>> {
  return guardAction(async ({ actor, requestId }) => {
    const { name, query, ...place } = parseInput(Add, given)
    return await records.saveView(actor, place, { name, query }, requestId)
  })
}

/** Renames a view, changes its filters, makes it the default of the list, or shares it with the workspace. */
export async function updateView(given: z.input<typeof Change>): Promise<Result<SavedView[]>> {
  return guardAction(async ({ actor, requestId }) => {
    const { id, workspace, page, ...change } = parseInput(Change, given)
    return await records.updateView(actor, { workspace, page, id }, change, requestId)
  })
}

export async function deleteView(given: z.input<typeof Remove>): Promise<Result<SavedView[]>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Remove, given)
    return await records.deleteView(actor, input, requestId)
  })
}
