import type { FieldError } from '@/lib/errors'
import type { Problem } from './check'
import { partAt, type Spec } from './spec-value'

/** A field error from the server with the rejected value. It applies until that value changes. */
export type Refusal = Problem & { value: unknown }

/** The server's errors at fields of the draft. Errors without a field in the draft are left out. */
export const refusalsOf = (fields: readonly FieldError[], draft: Spec): Refusal[] =>
  fields.flatMap(({ path: [group, field, ...path], message }) => {
    const value = partAt(draft, path)
    return group === 'source_config' && field === 'resource_spec' && value !== undefined
      ? [{ path, message, value }]
      : []
  })

/** The errors whose value is still in the draft. */
export const standingRefusals = (refusals: readonly Refusal[], draft: Spec): Problem[] =>
  refusals.filter(({ path, value }) => partAt(draft, path) === value)
