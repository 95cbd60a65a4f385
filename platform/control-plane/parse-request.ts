import type { z } from 'zod'
import type { RowSchemas } from '@/lib/contracts/wire/api'
import { fromWire } from '@/lib/contracts/wire/dialect'
import { EXACT_WORDS, toValidationError } from '@/lib/contracts/wire/http-validation-error'
import { parseJson } from '@/lib/json/lossless'
import { HttpError } from '../kernel/http-error'

type Parsed = { query: unknown; body: unknown }

/** A request's parsed query and body, in either dialect. Throws a 422 that names each invalid field. */
export async function parseRequest(
  schemas: RowSchemas,
  search: URLSearchParams,
  readBody: () => Promise<string>,
): Promise<Parsed> {
  return {
    query: schemas.query && check(schemas.query, queryObject(search), 'query'),
    body: schemas.body && check(schemas.body, fromWire(parseBody(await readBody())), 'body'),
  }
}

function check(schema: z.ZodType, value: unknown, where: 'query' | 'body'): unknown {
  if (hasText(value, (text) => text.includes('\0')))
    throw problem([where], 'Null characters are not allowed', 'value_error')
  if (hasText(value, (text) => !text.isWellFormed()))
    throw problem([where], 'Unpaired surrogates are not allowed', 'value_error')
  const parsed = schema.safeParse(value, EXACT_WORDS)
  if (!parsed.success) throw new HttpError(422, toValidationError(parsed.error, where).detail)
  return parsed.data
}

/** Repeated keys become a list; the schema decides whether a list is allowed. */
function queryObject(search: URLSearchParams): Record<string, string | string[]> {
  return Object.fromEntries(
    [...new Set(search.keys())].map((name) => {
      const values = search.getAll(name)
      return [name, values.length > 1 ? values : (values[0] as string)]
    }),
  )
}

function parseBody(text: string): unknown {
  if (text.trim() === '') throw problem(['body'], 'Field required', 'missing')
  try {
    parseJson(text) // refuses what is nested so deep that walking through it would overflow the stack
    return JSON.parse(text)
  } catch (error) {
    throw problem(['body'], `JSON decode error: ${(error as Error).message}`, 'json_invalid')
  }
}

/** Whether a text in the value, or a key of it, is one that neither PostgreSQL nor an environment can hold. */
function hasText(value: unknown, isBad: (text: string) => boolean): boolean {
  if (typeof value === 'string') return isBad(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, one]) => isBad(key) || hasText(one, isBad))
}

const problem = (loc: string[], msg: string, type: string) => new HttpError(422, [{ loc, msg, type }])
