import { isLosslessNumber, LosslessNumber } from 'lossless-json'
import { AppError } from '@/lib/errors'
import { isRecord } from './guards'

/**
 * JSON without loss: a number that a double cannot hold (a 20-digit id, `1e400`) becomes a LosslessNumber with its
 * digits. Texts without such numbers are scanned once and parsed by the engine.
 */

/**
 * Deepest nesting that is parsed or printed. The engine has no limit, but code that walks the result would overflow the
 * stack.
 */
export const MAX_DEPTH = 512

const tooDeep = () => new AppError('too_large', `The data is nested more than ${MAX_DEPTH} levels deep.`)

/**
 * Parses JSON. Throws SyntaxError if invalid, AppError too_large beyond MAX_DEPTH levels. `__proto__` becomes an own
 * property; copy such objects by spread, never by assignment.
 */
export function parseJson(text: string): unknown {
  const hasInexact = scan(text)
  const value: unknown = JSON.parse(text)
  return hasInexact ? build(text) : value
}

/** A value that stays unparsed text; `printJson` inserts it as it is. */
export class JsonText {
  constructor(readonly text: string) {}
}

/**
 * Like `parseJson` for an object, but the value at `key` stays text, so its size, depth and duplicate keys don't
 * matter. If that value cannot be found for certain, everything is parsed.
 */
export function parseJsonAround(text: string, key: string): unknown {
  const found = memberOf(text, key)
  if (!found) return parseJson(text)
  const value = parseJson(`${text.slice(0, found.start)}null${text.slice(found.end)}`)
  if (isRecord(value)) setOwn(value, key, new JsonText(text.slice(found.start, found.end)))
  return value
}

/** Where the value of a top-level key is; undefined unless the key occurs exactly once. */
function memberOf(text: string, key: string): { start: number; end: number } | undefined {
  const space = /[ \t\r\n]*/y
  const skip = (at: number) => {
    space.lastIndex = at
    space.test(text)
    return space.lastIndex
  }
  let found: { start: number; end: number } | undefined
  let at = skip(0)
  if (text[at] !== '{') return undefined
  for (at = skip(at + 1); text[at] === '"'; at = skip(at + 1)) {
    const keyEnd = stringEnd(text, at)
    const isKey = isStringOf(text.slice(at, keyEnd), key)
    const colon = skip(keyEnd)
    if (text[colon] !== ':') return undefined
    const start = skip(colon + 1)
    const end = valueEnd(text, start)
    if (end === start || (isKey && found)) return undefined
    if (isKey) found = { start, end }
    at = skip(end)
    if (text[at] !== ',') break
  }
  return text[at] === '}' && skip(at + 1) === text.length ? found : undefined
}

function isStringOf(quoted: string, value: string): boolean {
  try {
    return JSON.parse(quoted) === value
  } catch {
    return false
  }
}

/** Position after the value that begins at `start`, found by its brackets and quotes. */
function valueEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(text, at)
    else if (code === 123 || code === 91) {
      depth++
      at++
    } else if (code === 125 || code === 93) {
      if (depth === 0) return at
      depth--
      at++
    } else {
      if (depth === 0 && (code === 44 || code <= 32)) return at
      at++
      continue
    }
    if (depth === 0) return at
  }
  return text.length
}

const QUOTE = 34
const BACKSLASH = 92

/** Position after the string that opens at `start`; the text's length if it never closes. */
export function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++
    if (slashes % 2 === 0) return end + 1
  }
  return text.length
}

/** Position after the number that begins at `start`. */
function numberEnd(text: string, start: number): number {
  let end = start + 1
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end)
    // Digits, then `.`, `-`, `+`, `e`, `E`.
    if (!(code <= 57 && code >= 48) && code !== 46 && code !== 45 && code !== 43 && (code | 32) !== 101) break
  }
  return end
}

/** Whether the text has a number that a double cannot hold. Takes any text; throws if it is nested too deeply. */
function scan(text: string): boolean {
  const { length } = text
  let depth = 0
  let hasInexact = false
  for (let at = 0; at < length; ) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(text, at)
    else if (code <= 57 && (code >= 48 || code === 45)) {
      const end = numberEnd(text, at)
      if (!hasInexact && isSuspect(text, at, end)) hasInexact = !isExact(text.slice(at, end))
      at = end
    } else {
      if (code === 123 || code === 91) {
        if (++depth > MAX_DEPTH) throw tooDeep()
      } else if (code === 125 || code === 93) depth--
      at++
    }
  }
  return hasInexact
}

/** Whether a number may be inexact: more than 15 characters, or an exponent. */
function isSuspect(text: string, start: number, end: number): boolean {
  if (end - start > 15) return true
  for (let at = start; at < end; at++) if ((text.charCodeAt(at) | 32) === 101) return true
  return false
}

/** Whether parsing a number as a double and printing it keeps the value, and an integer's digits. */
export const isExact = (digits: string): boolean => {
  const value = Number(digits)
  const printed = String(value)
  // Most numbers are written as the engine prints them; only the others are compared by value.
  if (printed === digits || digits === '-0') return true
  // From 1e21 the engine prints integers with an exponent, which other languages don't read as integers.
  if (!/[.eE]/.test(digits)) return false
  return Number.isFinite(value) && canonical(digits) === canonical(printed)
}

/** One spelling per value: sign, digits without outer zeros, and exponent. */
function canonical(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
  const sign = mantissa.startsWith('-') ? '-' : ''
  const [whole = '', fraction = ''] = mantissa.replace(/^[+-]/, '').split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  let kept = digits.length
  while (kept > 0 && digits.charCodeAt(kept - 1) === 48) kept--
  if (kept === 0) return '0'
  // An exponent beyond 15 digits is not exact itself, but no double has one anyway.
  return `${sign}${digits.slice(0, kept)}e${Number(exponent) - fraction.length + digits.length - kept}`
}

type Container = { value: unknown[] | Record<string, unknown>; key: string | undefined }

/** Parses a text that JSON.parse has accepted. Iterative; its depth has been checked. */
function build(text: string): unknown {
  const open: Container[] = []
  let result: unknown
  const add = (value: unknown) => {
    const into = open.at(-1)
    if (!into) result = value
    else if (Array.isArray(into.value)) into.value.push(value)
    else {
      setOwn(into.value, into.key as string, value) // in valid JSON, a key precedes each value of an object
      into.key = undefined
    }
  }
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    const start = at
    if (code === QUOTE) {
      at = stringEnd(text, at)
      const value = JSON.parse(text.slice(start, at)) as string
      const into = open.at(-1)
      if (into && !Array.isArray(into.value) && into.key === undefined) into.key = value
      else add(value)
    } else if (code === 123 || code === 91) {
      const value = code === 123 ? {} : []
      add(value)
      open.push({ value, key: undefined })
      at++
    } else if (code === 125 || code === 93) {
      open.pop()
      at++
    } else if (code === 45 || (code >= 48 && code <= 57)) {
      at = numberEnd(text, at)
      const digits = text.slice(start, at)
      add(!isSuspect(text, start, at) || isExact(digits) ? Number(digits) : new LosslessNumber(digits))
    } else if (code === 116 || code === 110) {
      add(code === 116 ? true : null)
      at += 4
    } else if (code === 102) {
      add(false)
      at += 5
    } else at++
  }
  return result
}

/** Sets an own property of any name; assigning `__proto__` would set the prototype. */
export function setOwn(target: object, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
  else (target as Record<string, unknown>)[key] = value
}

/** JSON text of a value, with LosslessNumber and bigint as their digits. Undefined is printed as `null`. */
export function printJson(value: unknown): string {
  return needsOwnPrinter(value, 0) ? (print(value, 0) ?? 'null') : (JSON.stringify(value) ?? 'null')
}

/** Whether the engine would change a number or fail: LosslessNumber, bigint, -0. Throws if nested too deeply. */
function needsOwnPrinter(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return Object.is(value, -0)
  if (typeof value === 'bigint') return true
  if (typeof value !== 'object' || value === null) return false
  if (depth > MAX_DEPTH) throw tooDeep()
  if (isLosslessNumber(value) || value instanceof JsonText) return true
  let found = false
  // Every branch is visited, because this also checks the depth for the engine's printer.
  if (Array.isArray(value)) {
    for (const item of value) found = needsOwnPrinter(item, depth + 1) || found
    return found
  }
  for (const key in value)
    if (Object.hasOwn(value, key)) found = needsOwnPrinter((value as Record<string, unknown>)[key], depth + 1) || found
  return found
}

function print(value: unknown, depth: number): string | undefined {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (isLosslessNumber(value)) return value.toString()
  if (value instanceof JsonText) return value.text
  if (depth > MAX_DEPTH) throw tooDeep()
  if ('toJSON' in value && typeof value.toJSON === 'function') return print(value.toJSON(), depth + 1)
  if (Array.isArray(value)) return `[${value.map((item) => print(item, depth + 1) ?? 'null').join(',')}]`
  const parts: string[] = []
  for (const [key, item] of Object.entries(value)) {
    const text = print(item, depth + 1)
    if (text !== undefined) parts.push(`${JSON.stringify(key)}:${text}`)
  }
  return `{${parts.join(',')}}`
}
