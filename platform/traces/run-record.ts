import { sql } from 'drizzle-orm'
import { decompressText } from './payload'
import { STATUS_TEXT } from './schema'

/** Columns of a run in a list. Times are ISO text with microseconds. */
const iso = (column: string) =>
  `to_char(runs.${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as ${column}`
const columns = (order: string) =>
  sql.raw(`
  runs.id, runs.project_id, runs.trace_id, runs.parent_id, ${order} as dotted_order, runs.name, runs.run_type, ${STATUS_TEXT} as status,
  ${['start_time', 'end_time', 'first_token_time'].map(iso).join(', ')},
  runs.error, runs.tags, runs.metadata::text as metadata, runs.model, runs.provider, runs.prompt_tokens, runs.completion_tokens,
  runs.total_tokens, runs.token_details, runs.prompt_cost, runs.completion_cost, runs.total_cost, runs.thread_id,
  runs.reference_example_id, runs.inputs_preview, runs.outputs_preview, runs.latency_ms, runs.first_token_ms`)
/** Some ways of logging leave out the order, which one SDK cannot read a run without. */
export const LIGHT_COLUMNS = columns(
  `coalesce(runs.dotted_order, coalesce(to_char(runs.start_time at time zone 'UTC', 'YYYYMMDD"T"HH24MISSUS"Z"'), '') || runs.id)`,
)
/** Columns of a tree row. It omits dotted orders, which would be most of a deep tree's bytes; parents are enough. */
export const TREE_COLUMNS = columns('null')

export const HEAVY_FIELDS = ['inputs', 'outputs', 'events', 'serialized', 'extra'] as const
export type HeavyField = (typeof HEAVY_FIELDS)[number]

export type LightRow = Record<string, unknown> & { id: string; metadata: string | null; start_time: string | null }
export type HeavyRow = Partial<Record<HeavyField, Buffer | null>>

const number = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value))

/** The ids of a run's ancestors from the root down, which its dotted order names. */
export const ancestorsOf = (row: LightRow): string[] =>
  typeof row.dotted_order === 'string'
    ? row.dotted_order
        .split('.')
        .slice(0, -1)
        .map((one) => one.slice(-36))
    : []

/**
 * A run as JSON text. Logged JSON is returned as the original text, so that numbers keep their digits, and
 * megabytes need not be parsed and printed again.
 */
export async function printRun(row: LightRow, heavy?: HeavyRow, beside?: object): Promise<string> {
  const details = row.token_details as { input?: object; output?: object } | null
  const light = {
    id: row.id,
    name: row.name,
    run_type: row.run_type,
    status: row.status,
    start_time: row.start_time,
    end_time: row.end_time,
    first_token_time: row.first_token_time,
    last_time: row.last_time,
    trace_id: row.trace_id,
    dotted_order: row.dotted_order,
    parent_run_id: row.parent_id,
    session_id: row.project_id,
    thread_id: row.thread_id,
    reference_example_id: row.reference_example_id,
    inputs_preview: row.inputs_preview,
    outputs_preview: row.outputs_preview,
    error: row.error,
    tags: row.tags,
    model: row.model,
    provider: row.provider,
    latency: seconds(row.latency_ms),
    first_token: seconds(row.first_token_ms),
    prompt_tokens: number(row.prompt_tokens),
    completion_tokens: number(row.completion_tokens),
    total_tokens: number(row.total_tokens),
    prompt_token_details: details?.input ?? null,
    completion_token_details: details?.output ?? null,
    prompt_cost: row.prompt_cost,
    completion_cost: row.completion_cost,
    total_cost: row.total_cost,
    model_usage: row.model_usage,
    ...beside,
  }
  const parts = [JSON.stringify(light).slice(0, -1)]
  for (const field of HEAVY_FIELDS) {
    const stored = heavy?.[field]
    if (stored) parts.push(`"${field}":${await decompressText(stored)}`)
    else if (heavy && field in heavy && field !== 'extra') parts.push(`"${field}":null`)
  }
  if (!heavy?.extra && row.metadata) parts.push(`"extra":{"metadata":${row.metadata}}`)
  return `${parts.join(',')}}`
}

export const seconds = (ms: unknown): number | null => (ms === null || ms === undefined ? null : Number(ms) / 1000)
