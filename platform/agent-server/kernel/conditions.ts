import { isRecord } from '@/lib/json/guards'

type Json = Record<string, unknown>

/** What a record has to contain, as JSON documents; undefined if anything goes. */
export type Conditions = readonly string[] | undefined

/** SQL for a record whose JSON meets the conditions, which are bound as one value. */
export const meets = (json: string, placeholder = '$?'): string => `${json} @> all(${placeholder}::text[]::jsonb[])`

/** The conditions of a handler's filter: `{ owner: 'x' }`, `{ owner: { $eq: 'x' } }`, `{ tags: { $contains: 'x' } }`. */
export function conditionsOf(filter: Json): Conditions {
  return Object.entries(filter).flatMap(([key, wanted]) => {
    if (!isRecord(wanted)) return [JSON.stringify({ [key]: wanted ?? null })]
    return Object.entries(wanted).map(([operator, value]) => {
      if (operator === '$eq') return JSON.stringify({ [key]: value ?? null })
      if (operator === '$contains') return JSON.stringify({ [key]: [value].flat() })
      // Ignoring it would show records that the filter hides.
      throw new Error(`The auth filter of ${key} has the unknown operator ${operator}; expected $eq or $contains.`)
    })
  })
}
