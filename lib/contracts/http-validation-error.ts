import { z } from 'zod'

/** One refused field, as the platform's servers write it. */
export const ValidationError = z.object({
  loc: z.array(z.union([z.string(), z.number()])),
  msg: z.string(),
  type: z.string(),
})
export type ValidationError = z.output<typeof ValidationError>

/** The body of a 422. */
export const HTTPValidationError = z.object({ detail: z.array(ValidationError) })
export type HTTPValidationError = z.output<typeof HTTPValidationError>
