import type { Json } from '@/lib/traces/blocks/values'
import type { FeedbackStats } from './feedback'
import { decompressText } from './payload'
import { ancestorsOf, type HeavyField, type HeavyRow, type LightRow, seconds } from './run-record'

/** A run in version 2 of the API: only the selected fields, under other names. */

const number = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value))
const upper = (value: unknown): string | null => (typeof value === 'string' ? value.toUpperCase() : null)
const details = (row: LightRow, side: 'input' | 'output') => {
  const raw = (row.token_details as { input?: Json; output?: Json } | null)?.[side]
  return raw ? { raw } : null
}
const PREVIEW = 300

const LIGHT: Record<string, (row: LightRow) => unknown> = {
  NAME: (row) => row.name,
  RUN_TYPE: (row) => upper(row.run_type),
  STATUS: (row) => upper(row.status),
  START_TIME: (row) => row.start_time,
  END_TIME: (row) => row.end_time,
  LATENCY_SECONDS: (row) => seconds(row.latency_ms),
  FIRST_TOKEN_TIME: (row) => row.first_token_time,
  ERROR: (row) => row.error,
  ERROR_PREVIEW: (row) => (typeof row.error === 'string' ? row.error.slice(0, PREVIEW) : null),
  INPUTS_PREVIEW: (row) => row.inputs_preview,
  OUTPUTS_PREVIEW: (row) => row.outputs_preview,
  PARENT_RUN_IDS: ancestorsOf,
  PROJECT_ID: (row) => row.project_id,
  TRACE_ID: (row) => row.trace_id,
  THREAD_ID: (row) => row.thread_id,
  DOTTED_ORDER: (row) => row.dotted_order,
  IS_ROOT: (row) => row.parent_id === null,
  REFERENCE_EXAMPLE_ID: (row) => row.reference_example_id,
  TOTAL_TOKENS: (row) => number(row.total_tokens),
  PROMPT_TOKENS: (row) => number(row.prompt_tokens),
  COMPLETION_TOKENS: (row) => number(row.completion_tokens),
  TOTAL_COST: (row) => number(row.total_cost),
  PROMPT_COST: (row) => number(row.prompt_cost),
  COMPLETION_COST: (row) => number(row.completion_cost),
  PROMPT_TOKEN_DETAILS: (row) => details(row, 'input'),
  COMPLETION_TOKEN_DETAILS: (row) => details(row, 'output'),
  TAGS: (row) => row.tags ?? [],
}
/** Fields kept as logged text, and where they are stored. */
const LOGGED: Record<string, HeavyField> = {
  INPUTS: 'inputs',
  OUTPUTS: 'outputs',
  EVENTS: 'events',
  EXTRA: 'extra',
  MANIFEST: 'serialized',
}
export const storedFields = (selected: readonly string[]): HeavyField[] =>
  selected.flatMap((one) => (Object.hasOwn(LOGGED, one) ? [LOGGED[one] as HeavyField] : []))

/** What is not stored here, such as share links, is absent. */
export async function printRunV2(
  row: LightRow,
  selected: readonly string[],
  heavy: HeavyRow | undefined,
  stats: FeedbackStats | undefined,
): Promise<string> {
  const parts = [`"id":${JSON.stringify(row.id)}`]
  for (const name of new Set(selected)) {
    const key = JSON.stringify(name.toLowerCase())
    const stored = Object.hasOwn(LOGGED, name) ? heavy?.[LOGGED[name] as HeavyField] : undefined
    if (stored) parts.push(`${key}:${await decompressText(stored)}`)
    else if (name === 'EXTRA' && row.metadata) parts.push(`${key}:{"metadata":${row.metadata}}`)
    else if (name === 'METADATA') parts.push(`${key}:${row.metadata ?? '{}'}`)
    else if (name === 'FEEDBACK_STATS') parts.push(`${key}:${JSON.stringify(stats ?? {})}`)
    else if (Object.hasOwn(LIGHT, name)) parts.push(`${key}:${JSON.stringify(LIGHT[name]?.(row) ?? null)}`)
  }
  return `{${parts.join(',')}}`
}
