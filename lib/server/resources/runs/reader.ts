import 'server-only'
import { AppError } from '@/lib/errors'
import { systemActor } from '../../access/actor'

const DEADLINE_MS = 6_000

// The caller has already checked the role; the result is shared among readers.
export const readerOptions = (limit: readonly string[] | null = null) => ({
  actor: systemActor('runs', limit),
  signal: AbortSignal.timeout(DEADLINE_MS),
})

/** Why runs could not be read with these options. */
export function problemOf(error: unknown): { message: string } {
  if (error instanceof AppError) return { message: error.message }
  const isLate = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError')
  return {
    message: isLate ? `It did not respond within ${DEADLINE_MS / 1000} seconds.` : 'Its runs could not be read.',
  }
}
