import { z } from 'zod'
import { isRecord } from '@/lib/json/guards'
import type { Open } from './state'

/** Schema building blocks that several resources share. */

/** A FastAPI error `type` for a rule that zod does not have; see `toValidationError`. */
export const refused = (type: string) => ({ type })

/** A free-form JSON object, passed on by reference: copying large state is slow and could lose numbers or odd keys. */
export const JsonObject = z.custom<Record<string, unknown>>(isRecord, {
  error: (issue) => (issue.input === undefined ? 'Field required' : 'Input should be a valid dictionary'),
  params: refused('dict_type'),
})
export type JsonObject = Record<string, unknown>

/** A response's enum: any string is valid, and the known ones remain as completions. */
export const openEnum = <const Known extends readonly string[]>(_known: Known) =>
  // The check is fine; only the type is wider, because every string is a member of Open.
  z.string() as unknown as z.ZodType<Open<Known[number]>, Open<Known[number]>>

/** A list that some servers omit or send as null if it is empty. */
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z
    .array(item)
    .nullish()
    .transform((list) => list ?? [])

/** An object that some servers omit or send as null if it is empty. */
export const objectOrEmpty = JsonObject.nullish().transform((value) => value ?? {})

/** An integer in a query: a number, or its decimal text. Rejects `1e3x`, `1.5`, empty text and blanks. */
export const queryInt = (min: number, max: number = Number.MAX_SAFE_INTEGER) =>
  z
    .custom<number | string>(
      (value) => Number.isInteger(value) || (typeof value === 'string' && /^[+-]?\d{1,16}$/.test(value)),
      {
        error: 'Input should be a valid integer, unable to parse string as an integer',
        params: refused('int_parsing'),
      },
    )
    .transform(Number)
    .pipe(z.int().min(min).max(max))

const BOOLEANS: Record<string, boolean> = { true: true, '1': true, false: false, '0': false }

/** A boolean in a query: itself, or `true`, `1`, `false`, `0` in any case. */
export const queryBool = () =>
  z
    .custom<boolean | string>(
      (value) =>
        typeof value === 'boolean' || (typeof value === 'string' && Object.hasOwn(BOOLEANS, value.toLowerCase())),
      {
        error: 'Input should be a valid boolean, unable to interpret input',
        params: refused('bool_parsing'),
      },
    )
    .transform((value) => (typeof value === 'boolean' ? value : (BOOLEANS[value.toLowerCase()] as boolean)))

const isText = (value: unknown): value is string => typeof value === 'string'
const textOrTexts = z.custom<string | readonly string[]>(
  (value) => isText(value) || (Array.isArray(value) && value.every(isText)),
  {
    error: ({ input }) => (input === undefined ? 'Field required' : 'Input should be a valid list'),
    params: refused('list_type'),
  },
)

/** A query parameter with several values, sent as repeated keys. */
export const queryList = () => textOrTexts.transform((value) => (isText(value) ? [value] : [...value]))

/** A query parameter with several values, sent as one comma-separated text. Blank parts are left out. */
export const queryCommaList = () =>
  textOrTexts.transform((value) =>
    (isText(value) ? value.split(',') : value)
      .map((part) => part.trim())
      .filter(Boolean)
      .join(','),
  )

/** `limit` 1 to 100, default 20, and `offset`, as in all lists of the control plane. */
export const pageQuery = { limit: queryInt(1, 100).default(20), offset: queryInt(0).default(0) }

/** `limit` and `offset` of the agent server's searches; the server defaults to 10 and 0. */
export const searchPage = { limit: z.int().min(1).max(1000).nullish(), offset: z.int().min(0).nullish() }

export const SORT_ORDERS = ['asc', 'desc'] as const
export const sortBy = <const Keys extends readonly [string, ...string[]]>(...keys: Keys) => ({
  sort_by: z.enum(keys).nullish(),
  sort_order: z.enum(SORT_ORDERS).nullish(),
})
