import type { ValidationError } from '@/lib/contracts/http-validation-error'

/** An answer other than a success; `detail` is the whole of what the caller is told. */
export class HttpError extends Error {
  override name = 'HttpError'
  constructor(
    readonly status: number,
    readonly detail: string | ValidationError[],
  ) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail))
  }
}

export const notFound = (what: string, id: string) => new HttpError(404, `${what} ${id} not found.`)

/** The 422 of one field. */
export const invalid = (loc: ValidationError['loc'], msg: string, type = 'value_error') =>
  new HttpError(422, [{ loc, msg, type }])

/** What a stream, a run record and `__error__` tell of a failure. */
export type RunError = { error: string; message: string }

/** The name and message of whatever graph code has thrown, without stack and without the library's help address. */
export function describeError(thrown: unknown): RunError {
  if (!(thrown instanceof Error) && !isErrorLike(thrown)) return { error: 'Error', message: String(thrown) }
  const message = String(thrown.message).replace(/\s*Troubleshooting URL: \S+\s*$/, '')
  return { error: thrown.name || 'Error', message }
}

// Graph code may run on another realm's or another copy's Error.
const isErrorLike = (value: unknown): value is { name: string; message: string } =>
  typeof value === 'object' && value !== null && 'message' in value && 'name' in value && typeof value.name === 'string'

/** A thrown value as one readable piece of text for the log; the stack is for the operator only. */
export const stackOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? `${thrown.name}: ${thrown.message}`) : String(thrown)
