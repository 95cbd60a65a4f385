import { isRecord } from '@/lib/json/guards'

/** Readers of arbitrary JSON values. Nothing here throws. */

export type Json = Record<string, unknown>

/** The value of an own key; keys such as `constructor` are data here. */
export const get = (value: unknown, ...keys: string[]): unknown => {
  let at = value
  for (const key of keys) {
    if (!isRecord(at) || !Object.hasOwn(at, key)) return undefined
    at = at[key]
  }
  return at
}

/** Non-empty text. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** A finite, non-negative number. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The path of a part as in code: `inputs.messages[0].content`. */
export const at = (path: string, key: string | number): string => {
  if (typeof key === 'number') return `${path}[${key}]`
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** Parses JSON; returns the reason if it is invalid. */
export function parseText(text: string): { value: unknown; reason?: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { value: undefined, reason: (error as Error).message }
  }
}

/** The kind of a value in words, for messages. */
export const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : isRecord(value) ? 'an object' : `a ${typeof value}`
