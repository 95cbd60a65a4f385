import type { ModelCalls } from './cost'
import { callsOf, isModelCall, type LightRun, ownCost } from './light-run'

/** Parts of tokens that are counted on their own. */
export const TOKEN_PARTS = ['cached', 'cacheWritten', 'reasoning', 'audioIn', 'audioOut'] as const
export type TokenParts = Record<(typeof TOKEN_PARTS)[number], number | null>

/** Totals of model runs, and other runs' own costs. What a parent reports repeats its children's. */
export type TreeSums = TokenParts & {
  /** Number of model runs. */
  models: number
  tokens: number | null
  /** Logged cost, and model calls without one, grouped by what their price depends on. */
  logged: number | null
  calls: Map<string, ModelCalls>
  /** When the first token of any of them came. */
  firstTokenAt: number | null
}

export const noSums = (): TreeSums => ({
  ...{ models: 0, tokens: null, logged: null, calls: new Map(), firstTokenAt: null },
  ...{ cached: null, cacheWritten: null, reasoning: null, audioIn: null, audioOut: null },
})

export const plus = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : one + other

/** Whether a model was called or something cost. */
export const isPaid = ({ models, logged }: TreeSums): boolean => models > 0 || logged !== null

/** Adds one run. `isPaidBelow`: whether a run below it calls a model or has a cost. */
export function addRun(sums: TreeSums, run: LightRun, isPaidBelow: () => boolean): void {
  sums.logged = plus(sums.logged, ownCost(run, isPaidBelow))
  if (!isModelCall(run.type)) return
  sums.models++
  sums.tokens = plus(sums.tokens, run.tokens)
  for (const part of TOKEN_PARTS) sums[part] = plus(sums[part], run[part])
  if (run.firstToken !== null && run.start !== null)
    sums.firstTokenAt = Math.min(sums.firstTokenAt ?? Number.POSITIVE_INFINITY, run.start + run.firstToken)
  for (const call of callsOf(run)) addCalls(sums, `${call.day}\n${call.provider}\n${call.model}`, call)
}

/** Adds the sums of others. */
export function addSums(sums: TreeSums, other: TreeSums): void {
  sums.models += other.models
  for (const key of ['tokens', 'logged', ...TOKEN_PARTS] as const) sums[key] = plus(sums[key], other[key])
  if (other.firstTokenAt !== null)
    sums.firstTokenAt = Math.min(sums.firstTokenAt ?? Number.POSITIVE_INFINITY, other.firstTokenAt)
  for (const [key, call] of other.calls) addCalls(sums, key, call)
}

function addCalls({ calls }: TreeSums, key: string, call: ModelCalls): void {
  const known = calls.get(key)
  calls.set(key, known ? joined(known, call) : call)
}

const joined = (one: ModelCalls, other: ModelCalls): ModelCalls => ({
  ...one,
  run_count: one.run_count + other.run_count,
  prompt_tokens: one.prompt_tokens + other.prompt_tokens,
  completion_tokens: one.completion_tokens + other.completion_tokens,
  cache_read_tokens: one.cache_read_tokens + other.cache_read_tokens,
  cache_write_tokens: (one.cache_write_tokens ?? 0) + (other.cache_write_tokens ?? 0),
  cache_write_1h_tokens: (one.cache_write_1h_tokens ?? 0) + (other.cache_write_1h_tokens ?? 0),
  reasoning_tokens: one.reasoning_tokens + other.reasoning_tokens,
})
