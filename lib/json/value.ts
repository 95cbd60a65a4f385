import { isLosslessNumber, stringify } from 'lossless-json'
import type { JsonPath } from '@/lib/json/difference'

export type JsonKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null'

/** The kind of a parsed value. Numbers too long for a double are objects of their own class. */
export function kindOf(value: unknown): JsonKind {
  if (value === null || value === undefined) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'object') return isLosslessNumber(value) ? 'number' : 'object'
  if (typeof value === 'string') return 'string'
  return typeof value === 'boolean' ? 'boolean' : 'number'
}

export const isContainer = (value: unknown): value is object => {
  const kind = kindOf(value)
  return kind === 'object' || kind === 'array'
}

/** A path as in code: `messages[3].content`, `["odd key"]`; `$` for the root. */
export function pathText(path: JsonPath): string {
  let text = ''
  for (const key of path) {
    if (typeof key === 'number') text += `[${key}]`
    else if (/^[A-Za-z_$][\w$]*$/.test(key)) text += text === '' ? key : `.${key}`
    else text += `[${JSON.stringify(key)}]`
  }
  return text === '' ? '$' : text
}

/** A scalar as JSON; strings are truncated to `limit` characters. */
export function scalarText(value: unknown, limit = Infinity): string {
  if (typeof value !== 'string') return value === undefined ? 'null' : String(value)
  return value.length > limit ? `${JSON.stringify(value.slice(0, limit)).slice(0, -1)}…` : JSON.stringify(value)
}

/**
 * JSON with two-space indentation and unchanged numbers. A value nested deeper than the stack becomes a placeholder.
 */
export function jsonText(value: unknown): string {
  try {
    return stringify(value ?? null, null, 2) ?? 'null'
  } catch (error) {
    if (error instanceof RangeError) return '[nested too deeply to show]'
    throw error
  }
}

// Listing the keys of a very large object takes milliseconds, and every visible line needs them.
const keyLists = new WeakMap<object, string[]>()

/** The keys of an object in order. Cached, because parsed values never change. */
export function keysOf(value: object): string[] {
  let keys = keyLists.get(value)
  if (!keys) {
    keys = Object.keys(value)
    keyLists.set(value, keys)
  }
  return keys
}

/** Number of entries of a container. */
export const sizeOf = (value: object): number => (Array.isArray(value) ? value.length : keysOf(value).length)

const PREVIEW_ITEMS = 6

/** A short text for a collapsed container: its first entries and their short values. */
export function previewText(value: object, limit = 90): string {
  const isList = Array.isArray(value)
  return previewOf(isList, sizeOf(value), limit, (at) => {
    const key = isList ? at : (keysOf(value)[at] as string) // the index is below its size
    const item = (value as Record<string | number, unknown>)[key]
    return [key, isContainer(item) ? (Array.isArray(item) ? `[${item.length}]` : '{…}') : scalarText(item, 32)]
  })
}

/** Like `previewText`, for a container whose entries `entryAt` returns as key and short text. */
export function previewOf(
  isList: boolean,
  size: number,
  limit: number,
  entryAt: (at: number) => readonly [string | number, string],
): string {
  const parts: string[] = []
  let length = 0
  for (let at = 0; at < size; at++) {
    const [key, short] = at === PREVIEW_ITEMS ? ['', ''] : entryAt(at)
    const part = isList ? short : `${key}: ${short}`
    if (at === PREVIEW_ITEMS || length + part.length > limit) {
      parts.push('…')
      break
    }
    length += part.length + 2
    parts.push(part)
  }
  const inner = parts.join(', ')
  return isList ? `[${inner}]` : `{${inner}}`
}
