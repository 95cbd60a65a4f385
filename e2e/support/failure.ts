import { AppError } from '@/lib/errors'

/** The AppError that some work ends in; anything else, success included, fails the test. */
export async function failure(work: Promise<unknown>): Promise<AppError> {
  const outcome = await work.then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  )
  if (outcome instanceof AppError) return outcome
  throw outcome
}
