import { isLosslessNumber, LosslessNumber } from 'lossless-json'
import { isRecord } from '@/lib/json/guards'
import { isExact, parseJson, printJson } from '@/lib/json/lossless'

/**
 * The draft of a resource spec is the spec itself as JSON, so that unknown fields survive edits. These functions return new
 * values; untouched parts keep their order and identity.
 */
export type Spec = Readonly<Record<string, unknown>>

export type Path = readonly (string | number)[]

/** Stands for a value that is not valid yet: incomplete JSON text, or rows with duplicate keys. */
export class Unfinished {
  constructor(
    readonly input: string | readonly Row[],
    readonly message: string,
  ) {}
}
export type Row = readonly [key: string, value: unknown]

export const isUnset = (value: unknown): value is null | undefined => value === null || value === undefined

/** The object with a key set in place, or appended; `undefined` removes it. */
export function withKey(target: Spec, key: string, value: unknown): Spec {
  if (value === undefined) return Object.fromEntries(Object.entries(target).filter(([name]) => name !== key))
  // Spread and fromEntries define `__proto__` as a plain key; an assignment would set the prototype.
  return Object.fromEntries(
    Object.hasOwn(target, key)
      ? Object.entries(target).map(([name, one]) => [name, name === key ? value : one])
      : [...Object.entries(target), [key, value]],
  )
}

/** The entries of an object whose keys are not known. */
export const othersOf = (target: Spec, known: ReadonlySet<string>): Spec =>
  Object.fromEntries(Object.entries(target).filter(([key]) => !known.has(key)))

/** The value at a path, or undefined. */
export const partAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, key) =>
      Array.isArray(at) ? at[Number(key)] : isRecord(at) && Object.hasOwn(at, key) ? at[key as string] : undefined,
    value,
  )

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** The value of a number field. Invalid text stays text so that nothing typed is lost; empty text is undefined. */
export function numberOf(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (!NUMBER.test(trimmed)) return text
  // Keeps `1.0` as typed, because it may become `1.05`.
  return isExact(trimmed) && String(Number(trimmed)) === trimmed ? Number(trimmed) : new LosslessNumber(trimmed)
}

export const isNumeric = (value: unknown): boolean => typeof value === 'number' || isLosslessNumber(value)

/** A number as a double, for comparisons and effective values. */
export const asDouble = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : isLosslessNumber(value) ? Number(value.toString()) : undefined

/** Deep equality of JSON values: keys in any order, null equals absent, numbers by their digits. */
export function isSame(left: unknown, right: unknown): boolean {
  if (isUnset(left) || isUnset(right)) return isUnset(left) && isUnset(right)
  if (Array.isArray(left))
    return Array.isArray(right) && left.length === right.length && left.every((one, at) => isSame(one, right[at]))
  if (isRecord(left)) {
    if (!isRecord(right)) return false
    const own = (object: Spec, key: string) => (Object.hasOwn(object, key) ? object[key] : undefined)
    return [...new Set([...Object.keys(left), ...Object.keys(right)])].every((key) =>
      isSame(own(left, key), own(right, key)),
    )
  }
  if (isNumeric(left) && isNumeric(right)) return String(left) === String(right)
  return left === right
}

/** The first unfinished part and its path. */
export function unfinishedIn(value: unknown, path: Path = []): { path: Path; message: string } | undefined {
  if (value instanceof Unfinished) return { path, message: value.message }
  const entries = Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : []
  for (const [key, one] of entries) {
    const found = unfinishedIn(one, [...path, key])
    if (found) return found
  }
  return undefined
}

/** The rows as an object, or as unfinished if keys are empty or duplicate. */
export function objectOf(rows: readonly Row[]): Spec | Unfinished {
  const keys = rows.map(([key]) => key)
  if (keys.includes('')) return new Unfinished(rows, 'A row has no key')
  const twice = keys.find((key, at) => keys.indexOf(key) !== at)
  if (twice !== undefined) return new Unfinished(rows, `Two rows have the key ${twice}`)
  return Object.fromEntries(rows)
}

/** The list with one item moved. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, at) => at !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

/** A value as indented JSON. Numbers keep their digits. */
export function prettyJson(value: unknown, indent = ''): string {
  const inner = `${indent}  `
  const lines = Array.isArray(value)
    ? value.map((one) => prettyJson(one, inner))
    : isRecord(value)
      ? Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${prettyJson(one, inner)}`)
      : []
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return lines.length === 0 ? printJson(value) : `${open}\n${inner}${lines.join(`,\n${inner}`)}\n${indent}${close}`
}

/** The spec from a view's text; missing or invalid ones are empty. */
export function specOf(text: string | null): Spec {
  const value = text === null ? {} : parseJson(text)
  return isRecord(value) ? value : {}
}
