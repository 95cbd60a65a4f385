/** Origins whose pages may call the agent servers: all of them, or those listed. */
export type AllowedOrigins = '*' | readonly string[]

export const isAllowedOrigin = (allowed: AllowedOrigins, origin: string): boolean =>
  allowed === '*' || allowed.includes(origin)

/** Headers of an answer that scripts of another origin need to read. */
export const EXPOSED_HEADERS = [
  'Content-Location',
  'Location',
  'X-Pagination-Total',
  'X-Pagination-Next',
  'X-Request-Id',
  'Retry-After',
]
