import { isRecord } from '@/lib/json/guards'

/** Small readers of JSON values that may be anything. Nothing here throws. */

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

/** A text that says something. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** A finite number; a count is never below zero. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The path of a part, as one would write it in code: `inputs.messages[0].content`. */
export const at = (path: string, key: string | number): string => {
  if (typeof key === 'number') return `${path}[${key}]`
  if (!/^[A-Za-z_$][\w$]*$/.test(key)) return `${path}[${JSON.stringify(key)}]`
  return path === '' ? key : `${path}.${key}`
}

/** The value of a JSON text, or undefined with the reason where it is none. */
export function parseText(text: string): { value: unknown; reason?: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (error) {
    return { value: undefined, reason: (error as Error).message }
  }
}

/** Any value as one line of text, for messages. */
export const kindOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'an array' : isRecord(value) ? 'an object' : `a ${typeof value}`
