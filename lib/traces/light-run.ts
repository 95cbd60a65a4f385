import { isRecord } from '@/lib/json/guards'
import { countOf, get, textOf } from './blocks/values'
import type { ModelCalls } from './cost'
import { providerOf, timeOf } from './facts'

type Text = string | null | undefined
type Count = number | null | undefined
type Time = string | number | null | undefined
/** The fields of a run's record that are read here. */
export type RunRecord = {
  id: string
  name?: Text
  run_type?: Text
  status?: Text
  start_time?: Time
  end_time?: Time
  first_token_time?: Time
  last_time?: Time
  trace_id?: Text
  session_id?: Text
  parent_run_id?: Text
  parent_run_ids?: readonly string[] | null | undefined
  thread_id?: Text
  model?: Text
  provider?: Text
  latency?: Count
  first_token?: Count
  error?: Text
  tags?: readonly string[] | null | undefined
  extra?: Record<string, unknown> | null | undefined
  prompt_tokens?: Count
  completion_tokens?: Count
  total_tokens?: Count
  prompt_token_details?: Record<string, unknown> | null | undefined
  completion_token_details?: Record<string, unknown> | null | undefined
  total_cost?: string | number | null | undefined
  model_usage?: readonly ModelCalls[] | null | undefined
}

/** A logged run for lists and trees: type, times and token counts, without its content. Times in milliseconds. */
export type LightRun = {
  id: string
  parent: string | null
  trace: string | null
  /** The id of its tracing project. */
  project: string | null
  name: string
  type: string
  /** `cancelled` and `interrupted` (to ask) are errors for a tracer. */
  status: 'success' | 'error' | 'pending' | 'cancelled' | 'interrupted' | (string & {})
  start: number | null
  end: number | null
  /** When its trace was logged last, as far as the server tells. */
  lastAt: number | null
  latency: number | null
  firstToken: number | null
  model: string | null
  provider: string | null
  tokensIn: number | null
  tokensOut: number | null
  tokens: number | null
  /** Parts of the tokens that may have their own price. */
  cached: number | null
  cacheWritten: number | null
  /** Of those, what the provider keeps for an hour. */
  cacheWritten1h: number | null
  reasoning: number | null
  audioIn: number | null
  audioOut: number | null
  /** Logged cost in US dollars as decimal text; null if there is none, which is not zero. */
  cost: string | null
  /** The model calls it stands for, if the server sends them. */
  calls?: readonly ModelCalls[]
  error: string | null
  tags: readonly string[]
  thread: string | null
  /** The agent server run that this trace belongs to. */
  run: string | null
  /** Logged as hidden from users. */
  isHidden: boolean
}

const HIDDEN = 'langsmith:hidden'
const MAX_ERROR = 300
const MAX_NAME = 300

/** The fields that a list needs; servers are not asked for more. */
export const LIGHT_FIELDS = [
  ...['id', 'name', 'run_type', 'status', 'start_time', 'end_time', 'first_token_time', 'trace_id', 'session_id'],
  ...['parent_run_id', 'parent_run_ids', 'thread_id', 'error', 'tags', 'extra', 'total_tokens', 'prompt_tokens'],
  ...['completion_tokens', 'prompt_token_details', 'completion_token_details', 'total_cost'],
]

/** Fields that are only shown when a run is opened; `events` and others may be large. */
export const HEAVY_FIELDS = ['dotted_order', 'inputs', 'outputs', 'events', 'serialized', 'extra', 'feedback_stats']

/** Converts a record. Fields that only some servers send are derived. */
export function lightRun(run: RunRecord): LightRun {
  const metadata = get(run.extra, 'metadata')
  const meta = isRecord(metadata) ? metadata : {}
  const start = timeOf(run.start_time) ?? null
  const end = timeOf(run.end_time) ?? null
  const tags = run.tags ?? []
  const status = statusOf(run, end)
  return {
    id: run.id,
    parent: run.parent_run_id ?? run.parent_run_ids?.at(-1) ?? null,
    trace: run.trace_id ?? null,
    project: run.session_id ?? null,
    name: (run.name ?? '').slice(0, MAX_NAME),
    type: run.run_type ?? 'chain',
    status,
    start,
    end,
    lastAt: timeOf(run.last_time) ?? end ?? start,
    latency: fromSeconds(run.latency) ?? (start !== null && end !== null && end >= start ? end - start : null),
    firstToken: fromSeconds(run.first_token) ?? firstTokenOf(start, run.first_token_time),
    model: run.model ?? textOf(meta.ls_model_name) ?? null,
    provider: run.provider ?? providerOf({ ...run, run_type: run.run_type ?? 'chain' }) ?? null,
    tokensIn: run.prompt_tokens ?? null,
    tokensOut: run.completion_tokens ?? null,
    tokens: run.total_tokens || null,
    ...tokenParts(run.prompt_token_details, run.completion_token_details),
    cost: costText(run.total_cost),
    ...(run.model_usage && { calls: run.model_usage }),
    // What a step asked, or that it was cancelled, is logged as its error.
    error: run.error && status !== 'interrupted' && status !== 'cancelled' ? run.error.slice(0, MAX_ERROR) : null,
    tags: tags.slice(0, 20),
    thread: run.thread_id ?? textOf(meta.thread_id) ?? null,
    run: textOf(meta.run_id) ?? null,
    isHidden: tags.includes(HIDDEN),
  }
}

const LOST_MS = 3_600_000

/** Whether nothing has been logged for so long, since epoch ms, that a run without an end need not be running. */
export const isLongAgo = (at: number | null): boolean => at !== null && Date.now() - at > LOST_MS

/** Whether runs of a type call a model. Their parents repeat the tokens. */
export const isModelCall = (type: string): boolean => type === 'llm' || type === 'embedding'

/** Parts of a run's tokens; null for those that were not counted. */
export function tokenParts(input: unknown, output: unknown) {
  const written = countOf(get(input, 'cache_creation'))
  const written1h = countOf(get(input, 'ephemeral_1h_input_tokens'))
  const written5m = countOf(get(input, 'ephemeral_5m_input_tokens'))
  const split = written1h === undefined && written5m === undefined ? undefined : (written1h ?? 0) + (written5m ?? 0)
  const cacheWritten = written === undefined ? split : Math.max(written, split ?? 0)
  return {
    cached: ofAnyTier(input, 'cache_read'),
    cacheWritten: cacheWritten ?? null,
    cacheWritten1h: written1h ?? null,
    reasoning: ofAnyTier(output, 'reasoning'),
    audioIn: countOf(get(input, 'audio')) ?? null,
    audioOut: countOf(get(output, 'audio')) ?? null,
  }
}

/** The SDK writes a service tier before the name. */
const ofAnyTier = (details: unknown, name: string): number | null =>
  [name, `priority_${name}`, `flex_${name}`]
    .map((key) => countOf(get(details, key)))
    .find((one) => one !== undefined) ?? null

/** Whether a run's logged cost counts: always, never because it repeats runs below it, or if nothing below it costs. */
export function countsCost({ type, cost, tokens }: LightRun): 'yes' | 'no' | 'alone' {
  if (cost === null) return 'no'
  if (isModelCall(type)) return 'yes'
  if (tokens !== null) return 'no'
  return type === 'tool' || type === 'retriever' ? 'yes' : 'alone'
}

/**
 * A run's own logged cost. Chains repeat their children's unless nothing below them calls a model or costs; the
 * platform's `otherCostText` has the same rule.
 */
export function ownCost(run: LightRun, isPaidBelow: () => boolean): number | null {
  const counts = countsCost(run)
  return counts === 'yes' || (counts === 'alone' && !isPaidBelow()) ? Number(run.cost) : null
}

/** A time's UTC day, as used in prices. */
export function dayOf(ms: number | null): string | null {
  if (ms === null) return null
  const number = Math.floor(ms / DAY_MS)
  if (number !== lastDay.number) lastDay = { number, text: new Date(ms).toISOString().slice(0, 10) }
  return lastDay.text
}
const DAY_MS = 86_400_000
/** Most runs of a trace are of one day, and writing a date is slow. */
let lastDay = { number: Number.NaN, text: '' }

/** The calls to price: those it stands for, or the run itself if it is a model call without a logged cost. */
export function callsOf(run: LightRun): readonly ModelCalls[] {
  if (run.calls) return run.calls
  const hasTokens = run.tokensIn !== null || run.tokensOut !== null
  if (!isModelCall(run.type) || run.cost !== null || !hasTokens) return []
  return [
    {
      model: run.model,
      provider: run.provider,
      day: dayOf(run.start),
      run_count: 1,
      prompt_tokens: run.tokensIn ?? 0,
      completion_tokens: run.tokensOut ?? 0,
      cache_read_tokens: Math.min(run.cached ?? 0, run.tokensIn ?? 0),
      cache_write_tokens: run.cacheWritten ?? 0,
      cache_write_1h_tokens: run.cacheWritten1h ?? 0,
      reasoning_tokens: Math.min(run.reasoning ?? 0, run.tokensOut ?? 0),
    },
  ]
}

// Tracers write the message, the exception with its stack, or both.
const CANCEL = /(^|\n)(\w+: )?(AbortError|CancelledError)\b|^(Abort|interrupt|rollback)(\n|$)/
const QUESTION = /(^|\n)(\w+: )?(Graph|Node)Interrupt\b/

function statusOf({ status, error }: RunRecord, end: number | null): LightRun['status'] {
  if (status && status !== 'error') return status
  if (!error) return status ?? (end === null ? 'pending' : 'success')
  return CANCEL.test(error) ? 'cancelled' : QUESTION.test(error) ? 'interrupted' : 'error'
}

const fromSeconds = (seconds: number | null | undefined): number | null =>
  seconds === null || seconds === undefined ? null : seconds * 1000

function firstTokenOf(start: number | null, given: unknown): number | null {
  const first = timeOf(given)
  return start === null || first === undefined || first < start ? null : first - start
}

/** A server without prices sends zero for everything, so zero is treated as unknown. */
const costText = (cost: string | number | null | undefined): string | null =>
  cost === null || cost === undefined || Number(cost) === 0 || Number.isNaN(Number(cost)) ? null : String(cost)
