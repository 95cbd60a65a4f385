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
  /** Writing to the provider's cache; null: the usual multiple of the price of input. */
  cacheWrite: number | null
  cacheWrite1h: number | null
  /** First day it applies, in UTC, such as `2026-01-31`; null: from the beginning. */
  validFrom: string | null
}
/** Where a price that comes with the product was read, on which day, and what it leaves out. */
export type PriceSource = { url: string; checked: string; note?: string }
/** Without a source, it is the workspace's own. */
export type StoredPrice = Price & { id: string; source?: PriceSource }

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
  /** Written to the provider's cache, and those of them that it keeps for an hour. Not every server counts them. */
  cache_write_tokens?: number | undefined
  cache_write_1h_tokens?: number | undefined
  reasoning_tokens: number
}

export type Cost = {
  /** US dollars; null if unknown, which is not zero. */
  total: number | null
  /** Number of calls without a matching price, not included in `total`, and their models' names. */
  unpriced: number
  unpricedModels: readonly string[]
  /** Whether a part was logged, and from which prices the rest was computed. */
  isLogged: boolean
  estimates: readonly string[]
}
export const NO_COST: Cost = { total: null, unpriced: 0, unpricedModels: [], isLogged: false, estimates: [] }

/** A run's logged amounts; undefined if there are none. */
export function loggedCost(usage: Usage | undefined) {
  if (!usage) return undefined
  const { inputCost: input, outputCost: output, totalCost } = usage
  if (totalCost === undefined && input === undefined && output === undefined) return undefined
  return { input, output, total: totalCost ?? round((input ?? 0) + (output ?? 0)) }
}

type ListedPrice = Price & Pick<StoredPrice, 'source'>

/** A price list prepared for many lookups. */
export class PriceBook {
  readonly #prices: readonly ListedPrice[]
  /** The prices that match a model of a provider, best first. Cached, because a model has many runs. */
  readonly #fitting = new Map<string, readonly ListedPrice[]>()

  constructor(prices: readonly ListedPrice[]) {
    this.#prices = prices.toSorted(byFit)
  }

  get isEmpty(): boolean {
    return this.#prices.length === 0
  }

  /** The price on a day: the newest of the best matching name. Without a day, the latest price. */
  priceOf(model: string | null | undefined, provider?: string | null, day?: string | null): ListedPrice | undefined {
    if (!model) return undefined
    return this.pricesOf(model, provider).find(({ validFrom }) => validFrom === null || !day || validFrom <= day)
  }

  /** All prices of a model; the first one that is valid on a day is the price of that day. */
  pricesOf(model: string, provider?: string | null): readonly ListedPrice[] {
    // Gemini's API writes the kind before the name.
    const name = model.replace(/^models\//, '')
    const key = `${provider ?? ''}\n${name}`
    let fitting = this.#fitting.get(key)
    if (!fitting) {
      const own = canonical(provider ?? '')
      // Without a logged provider, the model's maker is the best guess, but only where the price says that it is one.
      const isOf = ({ provider: of, source }: ListedPrice) =>
        of === null || canonical(of) === own || (own === '' && source !== undefined)
      fitting = this.#prices.filter((price) => isOf(price) && fits(price.model, name))
      this.#fitting.set(key, fitting)
    }
    return fitting
  }

  /** The sum of logged costs and of calls by their prices. */
  costOf(logged: string | number | null | undefined, calls: readonly ModelCalls[]): Cost {
    let total = logged === null || logged === undefined ? null : Number(logged)
    let unpriced = 0
    const isLogged = total !== null
    const models = new Set<string>()
    const estimates = new Set<string>()
    for (const call of calls) {
      const price = this.priceOf(call.model, call.provider, call.day)
      if (price) {
        total = (total ?? 0) + amountOf(call, price)
        if (estimates.size < MAX_NAMES) estimates.add(originOf(price))
      } else {
        unpriced += call.run_count
        if (models.size < MAX_NAMES) models.add(call.model || 'a model without a name')
      }
    }
    return {
      ...{ total: total === null ? null : round(total), unpriced, unpricedModels: [...models] },
      ...{ isLogged, estimates: [...estimates] },
    }
  }
}

/** "the shipped price of gpt-5 (openai), checked 2025-11-13", with what the price leaves out. */
export const originOf = ({ model, provider, source }: ListedPrice): string =>
  source
    ? `the shipped price of ${model} (${provider}), checked ${source.checked}${source.note ? ` (${lowered(source.note)})` : ''}`
    : `this workspace’s price of ${model}`

/** A sentence inside another. */
const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1).replace(/\.$/, '')

/** Enough to show which prices are missing. */
const MAX_NAMES = 20

/** A price with all of its parts, of which some follow from others. */
export const wholePrice = ({ input, output, cachedInput, cacheWrite, cacheWrite1h, reasoning }: Price) => ({
  ...{ input, output, reasoning: reasoning ?? output, cachedInput: cachedInput ?? input },
  ...{ cacheWrite: cacheWrite ?? input * CACHE_WRITE, cacheWrite1h: cacheWrite1h ?? input * CACHE_WRITE_1H },
})

/** What providers take for writing input to their cache, as a multiple of the price of input: for minutes, for an hour. */
const CACHE_WRITE = 1.25
const CACHE_WRITE_1H = 2

function amountOf(calls: ModelCalls, price: Price): number {
  const read = Math.min(calls.cache_read_tokens, calls.prompt_tokens)
  const written = Math.min(calls.cache_write_tokens ?? 0, calls.prompt_tokens - read)
  const forAnHour = Math.min(calls.cache_write_1h_tokens ?? 0, written)
  const each = wholePrice(price)
  const input =
    read * each.cachedInput +
    (written - forAnHour) * each.cacheWrite +
    forAnHour * each.cacheWrite1h +
    (calls.prompt_tokens - read - written) * each.input
  const reasoning = Math.min(calls.reasoning_tokens, calls.completion_tokens)
  const output = reasoning * each.reasoning + (calls.completion_tokens - reasoning) * each.output
  return (input + output) / 1e6
}

/** The workspace's own before shipped ones, exact names before patterns, long patterns before short ones, a provider's before general ones, newest first. */
function byFit(a: ListedPrice, b: ListedPrice): number {
  const closeness = ({ model, provider, source }: ListedPrice) => [
    source ? 0 : 1,
    model.includes('*') ? 0 : 1,
    model.replaceAll('*', '').length,
    provider === null ? 0 : 1,
  ]
  const [left, right] = [closeness(a), closeness(b)]
  const at = left.findIndex((value, index) => value !== right[index])
  if (at !== -1) return (right[at] ?? 0) - (left[at] ?? 0)
  return (b.validFrom ?? '').localeCompare(a.validFrom ?? '')
}

/** Providers that SDKs name in several ways. */
const ALIASES: Record<string, string> = {
  ...{ google_genai: 'google', google_ai: 'google', gemini: 'google', google_vertexai: 'google', vertexai: 'google' },
  ...{ 'google.generative-ai': 'google', 'google.vertex': 'google', vertex_ai: 'google', gcp: 'google' },
  ...{ azure_openai: 'azure', 'azure-openai': 'azure', azureopenai: 'azure' },
  ...{ mistralai: 'mistral', mistral_ai: 'mistral', bedrock: 'amazon_bedrock', aws_bedrock: 'amazon_bedrock' },
  ...{ 'amazon-bedrock': 'amazon_bedrock', 'aws.bedrock': 'amazon_bedrock', 'anthropic.messages': 'anthropic' },
  ...{ 'openai.chat': 'openai', 'openai.responses': 'openai', 'x-ai': 'xai' },
}
const canonical = (provider: string): string => {
  const name = provider.toLowerCase()
  return (Object.hasOwn(ALIASES, name) && ALIASES[name]) || name
}

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
