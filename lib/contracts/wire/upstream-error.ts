import type { ErrorCode, FieldError } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '../../json/lossless'

/**
 * Reads a failed response of any form: FastAPI's `detail`, `{error, message}`, a validator's issues, plain text, JSON
 * in a string, a gateway's HTML page, or nothing. Never throws; the result is short plain text without markup or
 * invisible characters.
 */

export type ErrorResponse = { status: number; contentType?: string | null; text: string }
/** `message` is empty if the response has none; `fields` are the invalid fields of a 422. */
export type UpstreamError = { message: string; fields: FieldError[]; code: ErrorCode }

const MAX_MESSAGE = 500
const MAX_FIELDS = 50
const MAX_PATH = 20
/** Only the beginning of a longer text is read. */
const MAX_JSON = 1_000_000
const MAX_TEXT = 20_000
/** Some servers print JSON into a string twice. */
const MAX_NESTING = 6

const CODES: Record<number, ErrorCode> = {
  400: 'invalid',
  401: 'upstream_refused_key',
  403: 'upstream_refused_key',
  404: 'not_found',
  405: 'unsupported',
  409: 'conflict',
  413: 'too_large',
  422: 'invalid',
  429: 'rate_limited',
  501: 'unsupported',
}

export function parseUpstreamError({ status, contentType, text }: ErrorResponse): UpstreamError {
  const { message, fields } = readText(text, contentType ?? '')
  return { message, fields, code: CODES[status] ?? 'upstream_failed' }
}

type Said = { message: string; fields: FieldError[] }
const NOTHING: Said = { message: '', fields: [] }
const say = (text: string): Said => ({ message: plain(text, MAX_MESSAGE), fields: [] })

function readText(text: string, contentType: string): Said {
  const trimmed = text.slice(0, MAX_JSON).trim()
  if (trimmed === '' || trimmed === 'null') return NOTHING
  // The content type is not reliable: gateways send HTML as JSON, servers send JSON as text.
  if (trimmed.startsWith('<') || /\bhtml\b/i.test(contentType)) return say(pageTitle(trimmed.slice(0, MAX_TEXT)))
  const value = text.length <= MAX_JSON ? parsed(trimmed) : undefined
  return value === undefined ? say(trimmed.slice(0, MAX_TEXT)) : read(value, 0)
}

/** Parses a text that is a JSON object, list or string; undefined otherwise. */
function parsed(text: string): unknown {
  if (!/^[[{"]/.test(text)) return undefined
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** The title or first heading of a gateway's error page. */
function pageTitle(html: string): string {
  for (const tag of ['title', 'h1', 'h2']) {
    const found = new RegExp(`<${tag}(?:\\s[^>]{0,200})?>([^<]{1,300})`, 'i').exec(html)?.[1]?.trim()
    if (found) return found.replace(/&(?:#\w{1,8}|\w{1,8});/g, ' ')
  }
  return 'The response is a web page instead of data.'
}

/** Keys whose value may describe the error, best first. */
const TELLING = [
  'detail',
  'message',
  'msg',
  'error',
  '__error__',
  'errors',
  'title',
  'reason',
  'description',
  'details',
]

function read(value: unknown, depth: number): Said {
  if (depth > MAX_NESTING) return NOTHING
  if (typeof value === 'string') return readString(value, depth)
  if (Array.isArray(value)) return readList(value, depth)
  if (!isRecord(value)) return NOTHING
  if (Array.isArray(value.issues)) return readList(value.issues, depth)
  const field = readField(value)
  if (field) return ofFields([field])
  let best = NOTHING
  for (const key of TELLING) {
    if (!Object.hasOwn(value, key)) continue
    const said = read(value[key], depth + 1)
    // Invalid fields say more than the message next to them.
    if (said.fields.length > 0) return said
    if (best.message === '' && said.message !== '') best = said
  }
  return best
}

function readString(text: string, depth: number): Said {
  const trimmed = text.trim()
  const inner = trimmed.length > 1 ? parsed(trimmed) : undefined
  if (inner !== undefined) {
    const said = read(inner, depth + 1)
    if (said.message !== '') return said
  }
  return trimmed.startsWith('<') && /<\/?(html|body|title|h1)\b/i.test(trimmed.slice(0, MAX_TEXT))
    ? say(pageTitle(trimmed.slice(0, MAX_TEXT)))
    : say(trimmed.slice(0, MAX_TEXT))
}

function readList(list: readonly unknown[], depth: number): Said {
  const fields: FieldError[] = []
  const rest: string[] = []
  for (const item of list.slice(0, MAX_FIELDS)) {
    const field = isRecord(item) ? readField(item) : undefined
    if (field) {
      fields.push(field)
      continue
    }
    const { message } = read(item, depth + 1)
    if (message) rest.push(message)
  }
  return fields.length > 0 ? ofFields(fields) : say(rest.join(' '))
}

/** One invalid field: FastAPI's `{loc, msg}`, or zod's `{path, message}`. */
function readField(item: Record<string, unknown>): FieldError | undefined {
  const [path, message] = Array.isArray(item.loc) ? [item.loc, item.msg] : [item.path, item.message]
  if (!Array.isArray(path) || typeof message !== 'string') return undefined
  const isPlaced = Array.isArray(item.loc) && ['body', 'query', 'path', 'header'].includes(String(path[0]))
  return {
    path: path
      .slice(isPlaced ? 1 : 0)
      .slice(0, MAX_PATH)
      .map((key) => (typeof key === 'number' ? key : plain(isRecord(key) ? '' : String(key), 100))),
    message: plain(message, MAX_MESSAGE) || 'It was refused.',
  }
}

function ofFields(fields: FieldError[]): Said {
  const lines = fields.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
  return { message: cut(lines.join('; '), MAX_MESSAGE), fields }
}

/**
 * Text that is safe anywhere: one line, no terminal colours, no invisible or direction-changing characters, no tags.
 */
function plain(text: string, max: number): string {
  const visible = text
    .slice(0, MAX_TEXT)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character starts a terminal colour
    .replace(/\u001b\[[\d;]*[A-Za-z]/g, '')
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\s]+/gu, ' ')
    // A look-alike keeps angle brackets (`<class 'int'>`) readable without making a tag.
    .replace(/<(?=[a-z/!?])/gi, '‹')
    .trim()
  return cut(visible, max)
}

function cut(text: string, max: number): string {
  if (text.length <= max) return text
  // Never cut within a surrogate pair, which would be invalid text.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(max - 2)) ? max - 2 : max - 1
  return `${text.slice(0, end)}…`
}
