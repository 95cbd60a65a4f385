import type { Usage } from './facts'

/** What a model's tokens cost from a day on, in US dollars of a million tokens. */
export type Price = {
  /** The model's name, in any case; `*` stands for any text. */
  model: string
  /** Null: of every provider. */
  provider: string | null
  input: number
  output: number
  /** Parts of the input and output with a price of their own; null: as the rest. */
  cachedInput: number | null
  reasoning: number | null
  /** The first UTC day, as `2026-01-31`; null: it always held. */
  validFrom: string | null
}
export type StoredPrice = Price & { id: string }

/** Calls of models whose cost was not logged, put together; in the spelling of the wire. */
export type ModelCalls = {
  model?: string | null | undefined
  provider?: string | null | undefined
  /** The UTC day on which they began. */
  day?: string | null | undefined
  run_count: number
  prompt_tokens: number
  completion_tokens: number
  /** Contained in the two above. */
  cache_read_tokens: number
  reasoning_tokens: number
}

export type Cost = {
  /** US dollars; null where nothing of it is known, which is not nothing. */
  total: number | null
  /** Calls that no price fits, which `total` leaves out, and the names of their models. */
  unpriced: number
  unpricedModels: readonly string[]
}
export const NO_COST: Cost = { total: null, unpriced: 0, unpricedModels: [] }

/** The amounts that were logged with a run; undefined where none was. */
export function loggedCost(usage: Usage | undefined) {
  if (!usage) return undefined
  const { inputCost: input, outputCost: output, totalCost } = usage
  if (totalCost === undefined && input === undefined && output === undefined) return undefined
  return { input, output, total: totalCost ?? round((input ?? 0) + (output ?? 0)) }
}

/** A table of prices, ready to be asked of many runs. */
export class PriceBook {
  readonly #prices: readonly Price[]
  /** Those that fit a model of a provider, the best first; one model's runs are many. */
  readonly #fitting = new Map<string, readonly Price[]>()

  constructor(prices: readonly Price[]) {
    this.#prices = prices.toSorted(byFit)
  }

  get isEmpty(): boolean {
    return this.#prices.length === 0
  }

  /** The price that held on a day: of the closest name the newest. Without a day, the one that holds last. */
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

  /** What was logged and what follows from the prices, together. */
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

/** Enough to say which prices are missing. */
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

/** A whole name before a pattern, a long pattern before a short one, one provider's before everybody's, the newest first. */
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

/** Piece by piece and never back: a pattern is a person's, and may not keep a page busy, as an expression could. */
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

/** Twelve decimals: more than any price has, and free of what doubles add. */
const round = (amount: number): number => Number(amount.toFixed(12))
