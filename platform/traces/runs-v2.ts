import { z } from 'zod'
import type { TraceRunsQuery } from '@/lib/contracts/traces/run-queries'
import { queryList } from '@/lib/contracts/wire/fields'

/** Queries of version 2 of the API, in the terms of version 1. */

const MAX_PAGE = 100
const DAY_MS = 86_400_000
const list = z.array(z.string()).nullish()
const text = z.string().nullish()

export const RunsQueryV2 = z.strictObject({
  project_ids: list,
  ids: list,
  trace_id: text,
  reference_examples: list,
  run_type: text,
  is_root: z.boolean().nullish(),
  has_error: z.boolean().nullish(),
  min_start_time: text,
  max_start_time: text,
  filter: text,
  trace_filter: text,
  tree_filter: text,
  selects: list,
  cursor: text,
  page_size: z.int().min(1).nullish(),
})
export const RunQueryV2 = z.strictObject({
  project_id: z.string().optional(),
  selects: queryList().optional(),
})

/** Without a start, the last day; but runs and traces that are named are found at any age. */
export function toRunsQuery(asked: z.output<typeof RunsQueryV2>): TraceRunsQuery {
  const isNamed = !!asked.ids?.length || !!asked.trace_id
  const dayAgo = isNamed ? undefined : new Date(Date.now() - DAY_MS).toISOString()
  return {
    session: asked.project_ids,
    id: asked.ids,
    trace: asked.trace_id,
    reference_example: asked.reference_examples,
    run_type: asked.run_type?.toLowerCase(),
    is_root: asked.is_root,
    error: asked.has_error,
    start_time: asked.min_start_time ?? dayAgo,
    end_time: asked.max_start_time,
    filter: asked.filter,
    trace_filter: asked.trace_filter,
    tree_filter: asked.tree_filter,
    cursor: asked.cursor,
    limit: Math.min(asked.page_size ?? MAX_PAGE, MAX_PAGE),
  }
}
