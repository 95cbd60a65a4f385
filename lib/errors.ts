import type { EditConflict } from './edit'

/** Every kind of failure of a request to the console. The message comes with the error. */
export type ErrorCode =
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'invalid'
  | 'conflict'
  | 'too_large'
  | 'rate_limited'
  | 'unsupported'
  | 'upstream_refused_key'
  | 'upstream_failed'
  | 'upstream_shape'
  | 'upstream_unreachable'
  | 'stopping'
  | 'internal'

export const HTTP_STATUS: Record<ErrorCode, number> = {
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  invalid: 422,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unsupported: 501,
  upstream_refused_key: 502,
  upstream_failed: 502,
  upstream_shape: 502,
  upstream_unreachable: 503,
  stopping: 503,
  internal: 500,
}

/** One invalid field. `path` is its location in our schema or the upstream's, without the leading `body`. */
export type FieldError = { path: (string | number)[]; message: string }

/** The part of an error that may reach a browser. `message` says what happened and what to do. */
export type ErrorView = {
  code: ErrorCode
  message: string
  fields: FieldError[]
  /** Identifies the log lines of this failure. */
  requestId: string
  /** The upstream's HTTP status, if it responded. */
  upstreamStatus?: number
  retryAfterMs?: number
  /** The place of a start that waits for a free stream. It keeps it by asking again after `retryAfterMs`. */
  queue?: { place: number; of: number }
  /** The three-way view of an edit that conflicts with another one. */
  conflict?: EditConflict
}

/** Why live data is not newer. `since`: the last answer, epoch ms; absent if there was none. */
export type LiveError = Pick<ErrorView, 'code' | 'message'> & { since?: number }

/** Digest of a page's error whose reason is the console's database: Next sends a browser the digest of an error and no more. */
export const STORE_AWAY = 'store_away'

const BRAND = Symbol.for('pilothouse.AppError')

export class AppError extends Error {
  readonly view: ErrorView
  readonly [BRAND] = true
  // Next loads this module more than once per process, so an AppError may come from another copy of the class.
  static [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: a subclass inherits this, and must compare as itself
    if (this !== AppError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return typeof value === 'object' && value !== null && BRAND in value
  }
  constructor(
    code: ErrorCode,
    message: string,
    more: Partial<Omit<ErrorView, 'code' | 'message'>> & { cause?: unknown } = {},
  ) {
    const { cause, ...rest } = more
    super(message, { cause })
    this.name = 'AppError'
    this.view = { code, message, fields: [], requestId: '', ...rest }
  }
  get code(): ErrorCode {
    return this.view.code
  }
}

/** The result of a server action: expected failures are values and never thrown. */
export type Result<T> = { ok: true; data: T } | { ok: false; error: ErrorView }
