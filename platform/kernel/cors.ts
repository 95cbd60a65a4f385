/** Origins whose pages may call the agent servers: all, or the listed ones. */
export type AllowedOrigins = '*' | readonly string[]

export const isAllowedOrigin = (allowed: AllowedOrigins, origin: string): boolean =>
  allowed === '*' || allowed.includes(origin)

/** Response headers that scripts of other origins need. */
export const EXPOSED_HEADERS = [
  'Content-Location',
  'Location',
  'X-Pagination-Total',
  'X-Pagination-Next',
  'X-Request-Id',
  'Retry-After',
]
