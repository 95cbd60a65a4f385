import type { ErrorView } from '@/lib/errors'

/** The code of a failed sign-in, for components/auth/sign-in-errors.ts. */
export const signInCode = ({ code, retryAfterMs = 0 }: Pick<ErrorView, 'code' | 'retryAfterMs'>): string =>
  code === 'rate_limited' ? `RateLimited:${Math.ceil(retryAfterMs / 1000)}` : 'Unavailable'
