import { isRecord } from '@/lib/json/guards'
import { type Json, listOf, parseText, textOf } from '@/lib/traces/blocks/values'

/** Reading of span attributes, which are flat and hold objects as JSON text or as dotted keys. */

/** A value that may have been written as JSON text. Other text stays as it is. */
export function unpack(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  const { value: parsed, reason } = parseText(value)
  return reason === undefined ? parsed : value
}

/** The first of the attributes that is set. */
export function first(attributes: Json, ...keys: string[]): unknown {
  for (const key of keys) {
    const value = attributes[key]
    if (value !== undefined && value !== null && value !== '') return value
  }
  return undefined
}
export const firstText = (attributes: Json, ...keys: string[]): string | undefined => {
  const value = first(attributes, ...keys)
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : textOf(value)
}
export const firstNumber = (attributes: Json, ...keys: string[]): number | undefined => {
  for (const key of keys) {
    const value = attributes[key]
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
    if (typeof number === 'number' && Number.isFinite(number) && number >= 0) return number
  }
  return undefined
}

/** Attributes below a prefix, under the rest of their key. */
export const below = (attributes: Json, prefix: string): [string, unknown][] =>
  Object.entries(attributes).flatMap(([key, value]): [string, unknown][] =>
    key.startsWith(prefix) && key.length > prefix.length ? [[key.slice(prefix.length), value]] : [],
  )

/** Deeper keys are no structure of any convention. */
const MAX_SEGMENTS = 12

/** `prefix.0.role`, `prefix.0.tool_calls.1.name` … as objects and lists, in the order of their numbers. */
export function listBelow(attributes: Json, prefix: string): unknown[] {
  const root = new Map<string, unknown>()
  for (const [rest, value] of below(attributes, `${prefix}.`)) {
    const segments = rest.split('.')
    const last = segments.pop()
    if (last === undefined || segments.length >= MAX_SEGMENTS || !/^\d+(\.|$)/.test(rest)) continue
    let place = root
    for (const segment of segments) {
      const known = place.get(segment)
      const inner = known instanceof Map ? known : new Map<string, unknown>()
      place.set(segment, inner)
      place = inner
    }
    place.set(last, value)
  }
  return listOf(root.size > 0 ? plain(root) : [])
    .slice()
    .filter(isRecord)
}

function plain(value: unknown): unknown {
  if (!(value instanceof Map)) return value
  const entries = [...(value as Map<string, unknown>)].map(([key, inner]) => [key, plain(inner)] as const)
  if (!entries.every(([key]) => /^\d+$/.test(key))) return Object.fromEntries(entries)
  return entries.sort(([left], [right]) => Number(left) - Number(right)).map(([, inner]) => inner)
}
