import { AppError } from '@/lib/errors'

/** The AppError that a promise rejects with. Any other result fails the test. */
export async function failure(work: Promise<unknown>): Promise<AppError> {
  const outcome = await work.then(
    () => new Error('it succeeded'),
    (error: unknown) => error,
  )
  if (outcome instanceof AppError) return outcome
  throw outcome
}
