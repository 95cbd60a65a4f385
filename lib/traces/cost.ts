import type { Usage } from './facts'

/** A model's prices from a day on, in US dollars per million tokens. */
export type Price = {
  /** The model's name, case-insensitive; `*` stands for any text. */
  model: string
  /** Null: any provider. */
  provider: string | null
  input: number
  output: number
  /** Prices of parts of the input and output; null: same as the rest. */
  cachedInput: number | null
  reasoning: number | null
  /** First day it applies, in UTC, such as `2026-01-31`; null: from the beginning. */
  validFrom: string | null
}
export type StoredPrice = Price & { id: string }

/** Totals of model calls without a logged cost, with the field names of the wire. */
export type ModelCalls = {
  model?: string | null | undefined
  provider?: string | null | undefined
  /** The UTC day on which they began. */
  day?: string | null | undefined
  run_count: number
  prompt_tokens: number
  completion_tokens: number
  /** Included in the two above. */
  cache_read_tokens: number
  reasoning_tokens: number
}

export type Cost = {
  /** US dollars; null if unknown, which is not zero. */
  total: number | null
  /** Number of calls without a matching price, not included in `total`, and their models' names. */
  unpriced: number
  unpricedModels: readonly string[]
}
export const NO_COST: Cost = { total: null, unpriced: 0, unpricedModels: [] }

/** A run's logged amounts; undefined if there are none. */
export function loggedCost(usage: Usage | undefined) {
  if (!usage) return undefined
  const { inputCost: input, outputCost: output, totalCost } = usage
  if (totalCost === undefined && input === undefined && output === undefined) return undefined
  return { input, output, total: totalCost ?? round((input ?? 0) + (output ?? 0)) }
}

/** A price list prepared for many lookups. */
export class PriceBook {
  readonly #prices: readonly Price[]
  /** The prices that match a model of a provider, best first. Cached, because a model has many runs. */
  readonly #fitting = new Map<string, readonly Price[]>()

  constructor(prices: readonly Price[]) {
    this.#prices = prices.toSorted(byFit)
  }

  get isEmpty(): boolean {
    return this.#prices.length === 0
  }

  /** The price on a day: the newest of the best matching name. Without a day, the latest price. */
  priceOf(model: string | null | undefined, provider?: string | null, day?: string | null): Price | undefined {
    if (!model) return undefined
    const key = `${provider ?? ''}\n${model}`
    let fitting = this.#fitting.get(key)
    if (!fitting) {
      const isOf = (price: Price) => price.provider === null || same(price.provider, provider ?? '')
      fitting = this.#prices.filter((price) => isOf(price) && fits(price.model, model))
      this.#fitting.set(key, fitting)
    }
    return fitting.find(({ validFrom }) => validFrom === null || !day || validFrom <= day)
  }

  /** The sum of logged costs and of calls by their prices. */
  costOf(logged: string | number | null | undefined, calls: readonly ModelCalls[]): Cost {
    let total = logged === null || logged === undefined ? null : Number(logged)
    let unpriced = 0
    const models = new Set<string>()
    for (const call of calls) {
      const price = this.priceOf(call.model, call.provider, call.day)
      if (price) total = (total ?? 0) + amountOf(call, price)
      else {
        unpriced += call.run_count
        if (models.size < MAX_NAMES) models.add(call.model || 'a model without a name')
      }
    }
    return { total: total === null ? null : round(total), unpriced, unpricedModels: [...models] }
  }
}

/** Enough to show which prices are missing. */
const MAX_NAMES = 20

function amountOf(calls: ModelCalls, price: Price): number {
  const side = (tokens: number, part: number, base: number, own: number | null) => {
    const counted = Math.min(part, tokens)
    return counted * (own ?? base) + (tokens - counted) * base
  }
  const input = side(calls.prompt_tokens, calls.cache_read_tokens, price.input, price.cachedInput)
  const output = side(calls.completion_tokens, calls.reasoning_tokens, price.output, price.reasoning)
  return (input + output) / 1e6
}

/** Exact names before patterns, long patterns before short ones, a provider's before general ones, newest first. */
function byFit(a: Price, b: Price): number {
  const closeness = ({ model, provider }: Price) => [
    model.includes('*') ? 0 : 1,
    model.replaceAll('*', '').length,
    provider === null ? 0 : 1,
  ]
  const [left, right] = [closeness(a), closeness(b)]
  const at = left.findIndex((value, index) => value !== right[index])
  if (at !== -1) return (right[at] ?? 0) - (left[at] ?? 0)
  return (b.validFrom ?? '').localeCompare(a.validFrom ?? '')
}

const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Piece by piece without backtracking, so that no pattern can block a page as a regular expression could. */
function fits(pattern: string, model: string): boolean {
  const [first = '', ...rest] = pattern.toLowerCase().split('*')
  const name = model.toLowerCase()
  const last = rest.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const found = name.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return name.length - last.length >= at && name.endsWith(last)
}

/** Twelve decimals: more than any price has, and without floating-point noise. */
const round = (amount: number): number => Number(amount.toFixed(12))
