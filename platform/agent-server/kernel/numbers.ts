import { isLosslessNumber } from 'lossless-json'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson, setOwn } from '@/lib/json/lossless'

/**
 * Numbers that a double cannot hold. Requests' numbers keep their digits (as LosslessNumber) in the store and in
 * responses; graphs get doubles, because JavaScript has no others.
 */

/** Serializes a value for storage and responses. */
export const toText = (value: unknown): string =>
  orDeeper(
    () => printJson(value),
    () => JSON.stringify(value),
  )

/** Parses a stored value, keeping every number as it was written. */
export const fromText = (text: string): unknown =>
  orDeeper(
    () => parseJson(text),
    () => JSON.parse(text),
  )

/** Whether the error is about nesting depth. */
export const isTooDeep = (error: unknown): boolean =>
  (error as { view?: { code?: unknown } } | null)?.view?.code === 'too_large'

/** Exact parsing is limited in depth. Requests never reach it; deeper values come from graphs and hold doubles only. */
function orDeeper<T>(exact: () => T, deeper: () => T): T {
  try {
    return exact()
  } catch (error) {
    if (isTooDeep(error)) return deeper()
    throw error
  }
}

/** The value for a graph, with numbers rounded to doubles. Copies only containers of rounded numbers. */
export function toDoubles<T>(value: T): T {
  return round(value) as T
}

function round(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (isLosslessNumber(value)) return Number(value.toString())
  if (Array.isArray(value)) {
    const copy = value.map(round)
    return copy.some((item, index) => item !== value[index]) ? copy : value
  }
  if (!isRecord(value)) return value
  let copy: Record<string, unknown> | undefined
  for (const [key, item] of Object.entries(value)) {
    const rounded = round(item)
    if (rounded === item) continue
    copy ??= { ...value }
    setOwn(copy, key, rounded)
  }
  return copy ?? value
}
