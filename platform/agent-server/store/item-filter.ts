import { isRecord } from '@/lib/json/guards'
import type { Where } from '../kernel/listing'
import { toText } from '../kernel/numbers'
import { ItemError } from './item-rules'

/** Conditions on the top-level fields of an item's value; `fields` in the statement is the value as jsonb. */

/** `sql` takes field and operand, in that order; with `isTwice`, both of them twice. */
type Operator = { sql: string; isList?: true; isTwice?: true }

const OPERATORS: Record<string, Operator> = {
  $eq: { sql: 'fields -> $? = $?::jsonb' },
  $ne: { sql: 'fields -> $? is distinct from $?::jsonb' },
  // Only values of the same type can be ordered.
  ...Object.fromEntries(
    Object.entries({ $gt: '>', $gte: '>=', $lt: '<', $lte: '<=' }).map(([name, sign]) => [
      name,
      {
        sql: `(fields -> $? ${sign} $?::jsonb and jsonb_typeof(fields -> $?) = jsonb_typeof($?::jsonb))`,
        isTwice: true,
      },
    ]),
  ),
  $in: { sql: 'fields -> $? in (select jsonb_array_elements($?::jsonb))', isList: true },
  $nin: { sql: '(fields -> $? in (select jsonb_array_elements($?::jsonb))) is not true', isList: true },
  $exists: { sql: '(fields ? $?) = $?::jsonb::boolean' },
}

/** Throws an ItemError for an unknown operator or an invalid operand. */
export function addFilter(where: Where, filter: Record<string, unknown>): void {
  for (const [field, wanted] of Object.entries(filter)) {
    if (!isRecord(wanted)) add(where, '$eq', field, wanted)
    else if (!Object.keys(wanted).some((key) => key.startsWith('$')))
      // An object without operators matches values that contain its fields.
      where.add('fields @> $?::jsonb', toText({ [field]: wanted }))
    else for (const [operator, operand] of Object.entries(wanted)) add(where, operator, field, operand)
  }
}

function add(where: Where, name: string, field: string, operand: unknown): void {
  const operator = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined
  if (!operator)
    throw new ItemError('filter', `"${name}" is not an operator; use one of ${Object.keys(OPERATORS).join(', ')}`)
  if (operator.isList && !Array.isArray(operand)) throw new ItemError('filter', `"${name}" takes a list`)
  if (name === '$exists' && typeof operand !== 'boolean') throw new ItemError('filter', '"$exists" takes true or false')
  const bound = [field, toText(operand)]
  where.add(operator.sql, ...bound, ...(operator.isTwice ? bound : []))
}
