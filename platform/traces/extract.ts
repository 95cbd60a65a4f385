import { isRecord } from '@/lib/json/guards'
import { printJson } from '@/lib/json/lossless'
import type { TraceMessage } from '@/lib/traces/blocks/message'
import { get, type Json, textOf } from '@/lib/traces/blocks/values'
import { loggedCost } from '@/lib/traces/cost'
import { firstTokenTime, modelOf, providerOf, timeOf, usageOf } from '@/lib/traces/facts'
import { inputMessages, outputMessages } from '@/lib/traces/find-messages'
import { finishOf } from '@/lib/traces/finish'
import { type RunUpdate, uuidOf } from './intake-request'

/** The columns of a run set by one update; null for absent ones. */
export type RunColumns = {
  id: string
  is_patched: boolean
  project_id: string | null
  trace_id: string | null
  parent_id: string | null
  dotted_order: string | null
  name: string | null
  run_type: string | null
  start_time: string | null
  end_time: string | null
  first_token_time: string | null
  error: string | null
  tags: string[] | null
  metadata: string | null
  model: string | null
  provider: string | null
  finish_reason: string | null
  prompt_tokens: number | null
  completion_tokens: number | null
  total_tokens: number | null
  token_details: Json | null
  prompt_cost: number | null
  completion_cost: number | null
  total_cost: number | null
  thread_id: string | null
  reference_example_id: string | null
  inputs_preview: string | null
  outputs_preview: string | null
  input_text: string | null
  output_text: string | null
}

const MODEL_TYPES = new Set<unknown>(['llm', 'embedding', undefined, null])
const PREVIEW = 300
const SEARCHED = 4000
const MAX_ERROR = 100_000

/** PostgreSQL's text type holds neither NUL nor unpaired surrogates; the stored JSON texts keep both. */
export const storable = (text: string): string => {
  const whole = text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text
  // Only unpaired surrogates change when encoded as UTF-8.
  return /[\uD800-\uDFFF]/.test(whole) ? Buffer.from(whole).toString() : whole
}
const short = (value: unknown, length: number): string | null => {
  const text = textOf(value)
  return text === undefined ? null : storable(text.slice(0, length))
}

/** ISO text with microseconds for a time in milliseconds: Date would drop them, and they order siblings. */
export function isoTime(value: unknown): string | null {
  const ms = timeOf(value)
  if (ms === undefined) return null
  const whole = Math.floor(ms)
  const micros = Math.min(999, Math.round((ms - whole) * 1000))
  const text = new Date(whole).toISOString()
  // PostgreSQL cannot parse signed six-digit years.
  return /^\d{4}-/.test(text) ? `${text.slice(0, -1)}${String(micros).padStart(3, '0')}Z` : null
}

/** The values that lists and totals need from an update. Never throws: unreadable values are null. */
export function extractColumns({ kind, id, main, fields }: RunUpdate, projectId: string | null): RunColumns {
  const inputs = parsed(fields.inputs)
  const outputs = parsed(fields.outputs)
  const extra = parsed(fields.extra)
  const error = parsed(fields.error)
  const run = { ...main, inputs, outputs, extra, events: parsed(fields.events) }
  const metadata = get(extra, 'metadata')
  const usage = usageOf(run)
  const model = modelOf(run)
  const provider = providerOf(run)
  const cost = loggedCost(usage)
  const first = firstTokenTime(run)
  const dotted = short(main.dotted_order, 100_000)
  const parent = uuidOf(main.parent_run_id) ?? null
  return {
    id,
    is_patched: kind === 'patch',
    project_id: projectId,
    trace_id: uuidOf(main.trace_id) ?? traceOf(dotted) ?? (kind === 'post' && !parent ? id : null),
    parent_id: parent,
    dotted_order: dotted,
    name: short(main.name, 1000),
    run_type: short(main.run_type, 100),
    start_time: isoTime(main.start_time),
    end_time: isoTime(main.end_time),
    first_token_time: first === undefined ? null : isoTime(first),
    error: errorText(error),
    tags: Array.isArray(main.tags) ? main.tags.filter((one) => typeof one === 'string').map(storable) : null,
    metadata: isRecord(metadata) ? storableJson(metadata) : null,
    // Short enough for an index row.
    model: short(model, 300),
    provider: short(provider, 100),
    finish_reason: MODEL_TYPES.has(main.run_type) ? (finishOf(outputs)?.kind ?? null) : null,
    prompt_tokens: count(usage?.input),
    completion_tokens: count(usage?.output),
    total_tokens: count(usage?.total),
    token_details: usage ? { input: usage.inputDetails, output: usage.outputDetails } : null,
    prompt_cost: cost?.input ?? null,
    completion_cost: cost?.output ?? null,
    total_cost: cost?.total ?? null,
    thread_id: threadOf(metadata),
    reference_example_id: uuidOf(main.reference_example_id) ?? null,
    inputs_preview: preview(
      inputMessages(inputs)?.findLast((one) => one.role === 'user'),
      inputs,
    ),
    outputs_preview: preview(outputMessages(outputs)?.at(-1), outputs),
    input_text: fields.inputs ? gather(inputs, SEARCHED) : null,
    output_text: fields.outputs ? gather(outputs, SEARCHED) : null,
  }
}

/** Large fields were validated on arrival. Numbers are not stored from this parse, so losing digits is harmless. */
const parsed = (text: Buffer | undefined): unknown =>
  text ? (JSON.parse(text.toString('utf8')) as unknown) : undefined

const count = (value: number | undefined): number | null =>
  value === undefined || value > Number.MAX_SAFE_INTEGER ? null : Math.round(value)

/** The first segment of a dotted order ends with the trace's id. */
const traceOf = (dotted: string | null): string | null => uuidOf(dotted?.split('.')[0]?.slice(-36)) ?? null

function errorText(error: unknown): string | null {
  if (error === undefined || error === null || error === '') return null
  return short(typeof error === 'string' ? error : printJson(error), MAX_ERROR)
}

function threadOf(metadata: unknown): string | null {
  for (const key of ['thread_id', 'session_id', 'conversation_id']) {
    const found = short(get(metadata, key), 500)
    if (found) return found
  }
  return null
}

/** Text that jsonb accepts: without NUL, unpaired surrogates and numbers out of its range. */
export const storableJson = (value: Json): string =>
  storable(printJson(value))
    .replace(/(?<!\\)((?:\\\\)*)\\u0000/g, '$1\\ufffd')
    .replace(/(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}/g, '$1\\ufffd')

function preview(message: TraceMessage | undefined, value: unknown): string | null {
  if (value === undefined || value === null) return null
  const text = message?.blocks
    .map((block) => ('text' in block ? block.text : ''))
    .join(' ')
    .trim()
  return short(text || gather(value, PREVIEW, true), PREVIEW)
}

const MEDIA = /^data:\S+$|^[\w+/=-]+$/

/**
 * The first texts inside a value, in order, without media and keys such as ids. One long word looks like base64; with
 * `orWord` it counts where there is no other text.
 */
function gather(value: unknown, length: number, orWord = false): string {
  const found: string[] = []
  let word = ''
  let left = length
  let steps = 20_000
  const open: unknown[] = [value]
  // An explicit stack, because nesting depth is unbounded.
  while (open.length > 0 && left > 0 && steps-- > 0) {
    const one = open.pop()
    if (typeof one === 'string') {
      const isMedia = one.length > 400 && MEDIA.test(one.slice(0, 400))
      if (isMedia && !word && !one.startsWith('data:')) word = one.slice(0, length)
      if (isMedia || one === '') continue
      found.push(one.slice(0, left))
      left -= one.length + 1
    } else if (Array.isArray(one)) open.push(...one.slice(0, 1000).reverse())
    else if (isRecord(one))
      open.push(
        ...Object.entries(one)
          .flatMap(([key, inner]) => (SILENT.has(key) ? [] : [inner]))
          .slice(0, 1000)
          .reverse(),
      )
  }
  return storable(found.join(' ') || (orWord ? word : ''))
}
const SILENT = new Set(['lc', 'type', 'id', 'role', 'response_metadata', 'usage_metadata', 'signature', 'mime_type'])
