'use server'
import { z } from 'zod'
import type { Result } from '@/lib/errors'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import { addFavourite, removeFavourite } from '@/lib/server/records/favourites'

const Favourite = z.strictObject({
  workspace: z.string().min(1).max(80),
  deployment: z.string().min(1).max(200),
  isFavourite: z.boolean(),
})

/** Marks a deployment for this user, or removes the mark. Returns the ids of all that are marked in the workspace. */
export async function setFavourite(given: z.input<typeof Favourite>): Promise<Result<string[]>> {
  return guardAction(async ({ actor, requestId }) => {
    const { isFavourite, ...place } = parseInput(Favourite, given)
    return await (isFavourite ? addFavourite : removeFavourite)(actor, place, requestId)
  })
}
