import 'server-only'
import { traces } from '@/lib/contracts/traces'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { idFromKey } from '../edits/idempotency'
import { findExperiment, ratePair } from '../records/experiments'
import { call } from '../upstream/call'

type Rating = { subject: number; input: number; thumb: -1 | 1 | null; note: string }
/** Whether the rating is in the trace too; `reason`: why not, if it should be. */
export type Rated = { isTraced: boolean; reason: string | null }

/** Stores a rating, and writes it to the trace of the run if there is one. Throws AppError. */
export async function rate(
  actor: Actor,
  place: { workspace: string; id: string },
  rating: Rating,
  requestId: string,
): Promise<Rated> {
  const { result, subject, input } = await ratePair(actor, place, rating, requestId)
  const { row } = await findExperiment(actor, place)
  const run = result?.run
  if (!run) return { isTraced: false, reason: null }
  const { workspace } = row
  try {
    const { runs } = await call(
      traces.queryTraceRuns,
      { workspace, body: { trace: run, is_root: true, limit: 1 } },
      { actor },
    )
    if (runs.length === 0) return { isTraced: false, reason: null }
    const body = {
      // One rating per person and run: a changed one replaces it where the server allows that.
      // One per person and run: a changed rating replaces the earlier one.
      id: idFromKey(['feedback', place.id, String(subject), String(input), actor.id]),
      ...{ run_id: run, trace_id: run, key: 'user_rating', comment: rating.note || null },
      score: rating.thumb === null ? null : rating.thumb === 1 ? 1 : 0,
    }
    await call(traces.createFeedback, { workspace, body }, { actor })
    return { isTraced: true, reason: null }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const isNone = error.code === 'unsupported' || error.code === 'not_found'
    return { isTraced: false, reason: isNone ? null : error.message }
  }
}
