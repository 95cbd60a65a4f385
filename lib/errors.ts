import type { EditConflict } from './edit'

/** Every way a request of ours can fail. One map to HTTP status below; sentences come with the error itself. */
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
  internal: 500,
}

/** One refused field; `path` is the upstream's or our schema's location without the leading `body`. */
export type FieldError = { path: (string | number)[]; message: string }

/** The part of an error that may reach a browser. `message` is one or two plain sentences that say what to do. */
export type ErrorView = {
  code: ErrorCode
  message: string
  fields: FieldError[]
  /** Finds the log lines of this failure. */
  requestId: string
  /** Status the upstream answered with, where it answered. */
  upstreamStatus?: number
  retryAfterMs?: number
  /** Of an edit that met another one: who changed what, by name. */
  conflict?: EditConflict
}

const BRAND = Symbol.for('pilothouse.AppError')

export class AppError extends Error {
  readonly view: ErrorView
  readonly [BRAND] = true
  // Next loads this module more than once in a process, and what is shared on globalThis throws another copy's AppError.
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

/** What a server action gives back: an expected failure is a value, never a throw. */
export type Result<T> = { ok: true; data: T } | { ok: false; error: ErrorView }
