import type { Context } from 'hono'
import { z } from 'zod'
import type { RowSchemas } from '@/lib/contracts/wire/api'
import { toValidationError } from '@/lib/contracts/wire/http-validation-error'
import { parseJson } from '@/lib/json/lossless'
import { parseLeniently } from '../../kernel/lenient'
import { HttpError, invalid } from '../kernel/errors'
import { isTooDeep, toText } from '../kernel/numbers'
import { takeTurns } from '../kernel/serde'

/** What an operation responds with. Without a body: 204, unless a status says otherwise. */
export type Reply = {
  status?: number
  headers?: Record<string, string>
  body?: unknown
  /** Sent instead of a JSON body. */
  stream?: ReadableStream<Uint8Array>
  text?: string
}

export const EVENT_STREAM = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
}
export const JSON_STREAM = { 'Content-Type': 'application/json', 'Cache-Control': 'no-cache, no-transform' }

type Parsed = { query: unknown; body: unknown }

/**
 * Query and body, parsed by the operation's schemas; `onIgnored` is called for each unknown key. Throws a 422
 * that names each field.
 */
export async function parseRequest(
  schemas: RowSchemas,
  url: URL,
  readBody: () => Promise<string>,
  onIgnored: (field: string) => void = () => {},
): Promise<Parsed> {
  const check = (schema: z.ZodType, value: unknown, place: 'query' | 'body'): unknown => {
    try {
      const { data, ignored } = parseLeniently(schema, value)
      for (const field of ignored) onIgnored(`${place}.${field}`)
      return data
    } catch (error) {
      if (error instanceof z.ZodError) throw new HttpError(422, toValidationError(error, place).detail)
      throw error
    }
  }
  return {
    query: schemas.query ? check(schemas.query, queryObject(url.searchParams), 'query') : {},
    body: schemas.body && check(schemas.body, await parseBody(await readBody()), 'body'),
  }
}

/** Repeated keys, or one JSON list of texts, as a list; blank values are absent. Some clients send either for `stream_mode`. */
const queryObject = (search: URLSearchParams): Record<string, string | string[]> =>
  Object.fromEntries(
    [...new Set(search.keys())].flatMap((name) => {
      const values = search
        .getAll(name)
        .flatMap((value) => jsonTexts(value) ?? value)
        .filter((value) => value.trim() !== '')
      return values.length === 0 ? [] : [[name, values.length > 1 ? values : (values[0] as string)]]
    }),
  )

/** Parses a JSON list of strings such as `["a","b"]`; undefined for anything else. */
function jsonTexts(value: string): string[] | undefined {
  if (!value.startsWith('[')) return undefined
  try {
    const list: unknown = JSON.parse(value)
    return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : undefined
  } catch {
    return undefined
  }
}

const TOO_DEEP = invalid(['body'], 'The data is nested too deeply')

/** An empty body counts as an empty object, so that the schema reports what is missing. */
async function parseBody(text: string): Promise<unknown> {
  if (text.trim() === '') return {}
  await takeTurns(text.length)
  try {
    return parseJson(text)
  } catch (error) {
    if (isTooDeep(error)) throw TOO_DEEP
    throw invalid(['body'], `JSON decode error: ${(error as Error).message}`, 'json_invalid')
  }
}

/** The HTTP error for a store error that the caller caused; undefined for all others. */
export function explainStoreError(error: unknown): HttpError | undefined {
  const { code, routine } = (error ?? {}) as { code?: unknown; routine?: unknown }
  if (code === '22P05' || code === '22021')
    return invalid(['body'], 'Null characters are not allowed in metadata, configuration and context')
  // What is written is JSON, so only half a character makes it invalid.
  if (code === '22P02' && String(routine).startsWith('json_'))
    return invalid(['body'], 'Unpaired surrogates are not allowed in metadata, configuration and context')
  if (error instanceof RangeError && /call stack/.test(error.message)) return TOO_DEEP
  return undefined
}

/** A path's decoded segments; an encoded slash is part of its segment. Throws a 404 for invalid encoding. */
export function segmentsOf(path: string): string[] {
  try {
    return path.split('/').filter(Boolean).map(decodeURIComponent)
  } catch {
    throw new HttpError(404, 'Not Found')
  }
}

export function toResponse(context: Context, { status, headers, body, stream, text }: Reply): Response {
  for (const [name, value] of Object.entries(headers ?? {})) context.header(name, value)
  if (stream) return context.body(stream, 200)
  if (text !== undefined) return context.body(text, 200)
  if (body === undefined) return context.body(null, (status ?? 204) as 204)
  // Values were already converted to plain JSON at their source.
  context.header('Content-Type', 'application/json')
  return context.body(toText(body), (status ?? 200) as 200)
}
