import type { ValidationError } from '@/lib/contracts/wire/http-validation-error'

/** An error response; `detail` is all that the caller sees. */
export class HttpError extends Error {
  override name = 'HttpError'
  constructor(
    readonly status: number,
    readonly detail: string | ValidationError[],
    readonly headers: Record<string, string> = {},
  ) {
    super(typeof detail === 'string' ? detail : JSON.stringify(detail))
  }
}

/** The body of an error response. Some clients, such as the Python SDK, show a sentence only. */
export function errorBody({ detail }: Pick<HttpError, 'detail'>): object {
  if (typeof detail === 'string') return { detail }
  const sentences = detail.map(({ loc, msg }) => `${loc.slice(1).join('.') || loc[0]}: ${msg}`)
  return { detail, message: sentences.join('. ') }
}

export const notFound = (what: string, id: string) => new HttpError(404, `${what} ${id} not found.`)

/** The 422 of one field. */
export const invalid = (loc: ValidationError['loc'], msg: string, type = 'value_error') =>
  new HttpError(422, [{ loc, msg, type }])

/** The store became unreachable during a run, which can resume from its last checkpoint. */
export class StoreLost extends Error {
  override name = 'StoreLost'
}

/** Runs store work; throws a StoreLost if the connection failed rather than the statement. */
export async function withStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isConnectionError(error) ? new StoreLost((error as Error).message, { cause: error }) : error
  }
}

/** Whether the database failed, and not the statement: its connection broke, none was free, or no answer came in time. */
export const isConnectionError = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && /^(08|57P|57014|53300|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH)/.test(String(error.code))) ||
    /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error)/.test(
      error.message,
    ))

/** A failure as shown in a stream, a run record and `__error__`. */
export type RunError = { error: string; message: string }

/** The name and message of anything that graph code threw, without the stack and the library's help URL. */
export function describeError(thrown: unknown): RunError {
  const { name, message } = asError(thrown)
  return { error: name || 'Error', message: String(message).replace(/\s*Troubleshooting URL: \S+\s*$/, '') }
}

/** What graph code threw if that is an error that the runtime can mark, else an error that says what it was. */
export function asError(thrown: unknown): { name: string; message: string } {
  const isError = thrown instanceof Error || isErrorLike(thrown)
  if (!isError) return new Error(textOf(thrown), { cause: thrown })
  const marked = MARKED.exec(String(thrown.message))?.groups
  // A graph that a node calls, or a task of one, threw it.
  if (marked) return new Error(marked.text ?? `The graph threw ${marked.value ?? marked.nothing}.`)
  if (Object.isExtensible(thrown)) return thrown
  return Object.assign(new Error(String(thrown.message), { cause: thrown }), { name: thrown.name })
}

/** What a runtime says that could not mark what was thrown. */
const MARKED =
  /^Cannot (?:create property 'pregelTaskId' on (?:string '(?<text>[\s\S]*)'|\w+ '(?<value>[\s\S]*)')|set propert(?:y 'pregelTaskId'|ies) of (?<nothing>null|undefined)\b(?: \(setting 'pregelTaskId'\))?)$/

function textOf(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown
  if (typeof thrown !== 'object' || thrown === null) return `The graph threw ${String(thrown)}.`
  const { message } = thrown as { message?: unknown }
  if (typeof message === 'string' && message !== '') return message
  try {
    const own = JSON.stringify(thrown, (key, value) => (key === 'pregelTaskId' ? undefined : value))
    return `The graph threw ${own}.`
  } catch {
    return 'The graph threw an object that is no error.'
  }
}

// Graph code may throw an Error from another realm, so `instanceof` is not enough.
const isErrorLike = (value: unknown): value is { name: string; message: string } =>
  typeof value === 'object' && value !== null && 'message' in value && 'name' in value && typeof value.name === 'string'

/** A thrown value as text for the log, with its stack, which only the operator sees. */
export const stackOf = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? `${thrown.name}: ${thrown.message}`) : String(thrown)
