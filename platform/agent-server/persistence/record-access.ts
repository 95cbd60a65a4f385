import { type Conditions, meets } from '../kernel/conditions'
import { HttpError, notFound } from '../kernel/errors'
import type { Query } from './db'

const RECORDS = {
  Thread: { table: 'threads', id: 'thread_id' },
  Assistant: { table: 'assistants', id: 'assistant_id' },
  Cron: { table: 'crons', id: 'cron_id' },
} as const

/** Throws a 404 if the record exists and does not meet the conditions; one that does not exist is left to the operation. */
export async function checkRecord(
  query: Query,
  what: keyof typeof RECORDS,
  id: string,
  conditions: Conditions,
): Promise<void> {
  if (!conditions) return
  const { table, id: column } = RECORDS[what]
  const [hidden] = await query(`select from ${table} where ${column} = $1 and not (${meets('metadata', '$2')})`, [
    id.toLowerCase(),
    conditions,
  ])
  if (hidden) throw notFound(what, id)
}

/** Throws a 404 unless the stored item, and a 403 unless the new one, meets the conditions. */
export async function checkItem(
  query: Query,
  namespace: readonly string[],
  key: string,
  conditions: Conditions,
  next?: { value?: unknown },
): Promise<void> {
  if (!conditions) return
  const place = { namespace, key }
  const [found] = await query<{ meets: boolean }>(
    `select ${meets(`(as_json(convert_to(value::text, 'UTF8')) || $3::jsonb)`, '$4')} as meets from items
     where namespace = $1::text[] and key = $2 and (expires_at is null or expires_at > now())`,
    [namespace, key, place, conditions],
  )
  if (found && !found.meets) throw new HttpError(404, 'Item not found')
  if (!next) return
  const document = { ...(next.value as object | undefined), ...place }
  const [given] = await query<{ meets: boolean }>(`select ${meets('$1::jsonb', '$2')} as meets`, [document, conditions])
  if (!given?.meets) throw new HttpError(403, 'Forbidden')
}
