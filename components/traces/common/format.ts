import { count, dollars, duration } from '@/lib/format/format'
import type { TokenParts } from '@/lib/traces/tree-sums'

/** Shown for unknown values, instead of a zero. */
export const NONE = '–'

export const timeText = (ms: number | null | undefined): string =>
  ms === null || ms === undefined ? NONE : ms > 0 && ms < 1 ? '<1 ms' : duration(ms)

export const secondsText = (seconds: number | null | undefined): string =>
  seconds === null || seconds === undefined ? NONE : timeText(seconds * 1000)

/** "812", "12.4 k", "3.1 M". */
export function amountText(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return NONE
  if (amount < 10_000) return amount.toLocaleString('en')
  const [value, unit] = amount < 1e6 ? [amount / 1e3, 'k'] : [amount / 1e6, 'M']
  return `${value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString('en')} ${unit}`
}

/** "3 model calls". */
export const modelCallsText = (amount: number): string => `${count(amount)} model ${amount === 1 ? 'call' : 'calls'}`

/** "1,024 cached, 48 reasoning"; empty if no part was counted. */
export const tokenPartsText = ({ cached, cacheWritten, reasoning, audioIn, audioOut }: TokenParts): string =>
  (
    [
      [cached, 'from cache'],
      [cacheWritten, 'written to cache'],
      [reasoning, 'reasoning'],
      [audioIn, 'audio in'],
      [audioOut, 'audio out'],
    ] as const
  )
    .flatMap(([tokens, name]) => (tokens ? [`${count(tokens)} ${name}`] : []))
    .join(', ')

/** "$0.0123": two decimals from a dollar up, else three significant digits. */
export function costText(cost: string | number | null | undefined): string {
  const amount = cost === null || cost === undefined ? Number.NaN : Number(cost)
  return Number.isNaN(amount) ? NONE : dollars(amount)
}
