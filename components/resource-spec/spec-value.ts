import { isLosslessNumber, LosslessNumber } from 'lossless-json'
import { isRecord } from '@/lib/json/guards'
import { isExact, parseJson, printJson } from '@/lib/json/lossless'

/**
 * The draft of a resource spec is the spec itself, as JSON: the form and the text view change parts of it and leave all else as
 * it is, known or not. Functions here give new values; what is untouched keeps its order and its identity.
 */
export type Spec = Readonly<Record<string, unknown>>

export type Path = readonly (string | number)[]

/** In place of a value that is being typed and cannot be one yet: a JSON text, or rows of which two have the same key. */
export class Unfinished {
  constructor(
    readonly input: string | readonly Row[],
    readonly message: string,
  ) {}
}
export type Row = readonly [key: string, value: unknown]

export const isUnset = (value: unknown): value is null | undefined => value === null || value === undefined

/** The object with a key set where it stands, or else at the end; `undefined` takes it away. */
export function withKey(target: Spec, key: string, value: unknown): Spec {
  if (value === undefined) return Object.fromEntries(Object.entries(target).filter(([name]) => name !== key))
  // A spread, and fromEntries, define keys; assigning would mean another thing for `__proto__`.
  return Object.fromEntries(
    Object.hasOwn(target, key)
      ? Object.entries(target).map(([name, one]) => [name, name === key ? value : one])
      : [...Object.entries(target), [key, value]],
  )
}

/** What of an object is not among the known keys. */
export const othersOf = (target: Spec, known: ReadonlySet<string>): Spec =>
  Object.fromEntries(Object.entries(target).filter(([key]) => !known.has(key)))

/** The value at a path; undefined where there is none. */
export const partAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, key) =>
      Array.isArray(at) ? at[Number(key)] : isRecord(at) && Object.hasOwn(at, key) ? at[key as string] : undefined,
    value,
  )

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** What a number field holds. Text that is no number stays text, so that nothing typed is lost; an empty one is no value. */
export function numberOf(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  if (!NUMBER.test(trimmed)) return text
  // `1.0` on the way to `1.05` stays as it is typed; the server reads both as they are meant.
  return isExact(trimmed) && String(Number(trimmed)) === trimmed ? Number(trimmed) : new LosslessNumber(trimmed)
}

export const isNumeric = (value: unknown): boolean => typeof value === 'number' || isLosslessNumber(value)

/** A number as a double, for comparing and for what takes effect. */
export const asDouble = (value: unknown): number | undefined =>
  typeof value === 'number' ? value : isLosslessNumber(value) ? Number(value.toString()) : undefined

/** Deep equality of JSON values: keys in any order, null as good as absent, numbers by their digits. */
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

/** The first part that is still being typed, and where. */
export function unfinishedIn(value: unknown, path: Path = []): { path: Path; message: string } | undefined {
  if (value instanceof Unfinished) return { path, message: value.message }
  const entries = Array.isArray(value) ? [...value.entries()] : isRecord(value) ? Object.entries(value) : []
  for (const [key, one] of entries) {
    const found = unfinishedIn(one, [...path, key])
    if (found) return found
  }
  return undefined
}

/** Rows as the object they make, or as what is still wrong with them. */
export function objectOf(rows: readonly Row[]): Spec | Unfinished {
  const keys = rows.map(([key]) => key)
  if (keys.includes('')) return new Unfinished(rows, 'A row has no key')
  const twice = keys.find((key, at) => keys.indexOf(key) !== at)
  if (twice !== undefined) return new Unfinished(rows, `Two rows have the key ${twice}`)
  return Object.fromEntries(rows)
}

/** A list with one item at another place. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, at) => at !== from)
  return [...rest.slice(0, to), ...list.slice(from, from + 1), ...rest.slice(to)]
}

/** A value as JSON on lines of its own, two spaces deep; every number as it is. */
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

/** The spec of a view's text; one that is not there, or is no object, is an empty one. */
export function specOf(text: string | null): Spec {
  const value = text === null ? {} : parseJson(text)
  return isRecord(value) ? value : {}
}
