import type { Usage } from './facts'

/** Prices in US dollars of a million tokens. `details` prices parts of the input or output by name; the rest has the base price. */
export type Price = {
  /** A regular expression over the whole model name, in any case. */
  model: string
  provider?: string | undefined
  input: number
  output: number
  inputDetails?: Record<string, number> | undefined
  outputDetails?: Record<string, number> | undefined
}
export type PriceTable = readonly Price[]

export type Cost = {
  input: number | undefined
  output: number | undefined
  total: number
  /** Whether it was logged with the run, or follows from a price. */
  from: 'logged' | 'price'
}

/** The first price that fits. A table is written by people: a pattern that is no expression fits nothing. */
export function priceOf(table: PriceTable, model: string | undefined, provider?: string): Price | undefined {
  if (model === undefined) return undefined
  return table.find((price) => {
    if (price.provider !== undefined && price.provider !== provider) return false
    try {
      return new RegExp(`^(?:${price.model})$`, 'i').test(model)
    } catch {
      return false
    }
  })
}

/** What a run cost. Logged amounts win; without them and without a price it is unknown, which is not nothing. */
export function costOf(
  usage: Usage | undefined,
  table: PriceTable,
  model?: string,
  provider?: string,
): Cost | undefined {
  if (!usage) return undefined
  const { inputCost, outputCost, totalCost } = usage
  if (totalCost !== undefined || inputCost !== undefined || outputCost !== undefined) {
    const total = totalCost ?? round((inputCost ?? 0) + (outputCost ?? 0))
    return { input: inputCost, output: outputCost, total, from: 'logged' }
  }
  const price = priceOf(table, model, provider)
  if (!price) return undefined
  const input = side(usage.input, usage.inputDetails, price.input, price.inputDetails)
  const output = side(usage.output, usage.outputDetails, price.output, price.outputDetails)
  return { input, output, total: round(input + output), from: 'price' }
}

function side(
  tokens: number,
  parts: Record<string, number>,
  base: number,
  prices: Record<string, number> = {},
): number {
  let rest = tokens
  let sum = 0
  for (const [name, count] of Object.entries(parts)) {
    const price = Object.hasOwn(prices, name) ? prices[name] : undefined
    if (price === undefined) continue
    const counted = Math.min(count, rest)
    rest -= counted
    sum += counted * price
  }
  return round((sum + rest * base) / 1e6)
}

/** Twelve decimals: more than any price has, and free of what doubles add. */
const round = (amount: number): number => Number(amount.toFixed(12))
