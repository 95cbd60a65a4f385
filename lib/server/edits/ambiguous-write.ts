import 'server-only'
import { AppError, type ErrorCode } from '@/lib/errors'
import { ConnectionError } from '../upstream/network-error'

/** Failures after which it is open whether the change was made. */
const OPEN: readonly ErrorCode[] = ['upstream_failed', 'upstream_unreachable', 'upstream_shape', 'too_large']

/** Whether it is open, after this failure, if the change that was sent was made. */
export function isOpen(error: unknown): error is AppError {
  if (error instanceof ConnectionError && !error.wasSent) return false
  return error instanceof AppError && OPEN.includes(error.code)
}

/**
 * Waits before each look, in milliseconds: a server may write late. And how long a look may take: a person waits for it who has
 * waited for the answer already. An object, so that tests can shorten it.
 */
export const LOOKS = { waitsMs: [0, 1_000, 2_500], timeoutMs: 8_000 }

type Write<T> = {
  send: () => Promise<T>
  /** Reads what is there now: the result where the change was made, undefined where it was not. */
  look: () => Promise<T | undefined>
}

/** Sends a change; after a failure that leaves it open whether it was made, looks it up and says what is true. */
export async function resolveAmbiguousWrite<T>({ send, look }: Write<T>): Promise<T> {
  try {
    return await send()
  } catch (error) {
    if (!isOpen(error)) throw error
    const { code: _, message: __, ...view } = error.view
    try {
      for (const wait of LOOKS.waitsMs) {
        await new Promise((resolve) => setTimeout(resolve, wait))
        const found = await look()
        if (found !== undefined) return found
      }
    } catch {
      throw new AppError(
        error.code,
        `${error.message} Whether the change was made is not known: it could not be looked up afterwards. Reload before you try again.`,
        { ...view, cause: error },
      )
    }
    throw new AppError(
      error.code,
      `${error.message} It was looked up afterwards: nothing has changed so far. You can try again.`,
      { ...view, cause: error },
    )
  }
}
