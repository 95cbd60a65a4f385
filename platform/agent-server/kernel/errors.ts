import type { ValidationError } from '@/lib/contracts/wire/http-validation-error'

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

/** The store went away in the middle of a run: nobody's mistake, and the run can go on from its last checkpoint. */
export class StoreLost extends Error {
  override name = 'StoreLost'
}

/** Does what needs the store; throws a StoreLost where its connection is at fault, not the statement. */
export async function withStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isConnectionError(error) ? new StoreLost((error as Error).message, { cause: error }) : error
  }
}

const isConnectionError = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && /^(08|57P|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH)/.test(String(error.code))) ||
    /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(
      error.message,
    ))

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
