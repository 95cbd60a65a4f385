import 'server-only'
import { AppError, type ErrorCode } from '@/lib/errors'
import { clock } from '../process/clock'
import { ConnectionError } from '../upstream/network-error'

/** Failures that leave it unknown whether the change was made. */
const OPEN: readonly ErrorCode[] = ['upstream_failed', 'upstream_unreachable', 'upstream_shape', 'too_large']

/** Whether this failure leaves it unknown if the change was made. */
export function isOpen(error: unknown): error is AppError {
  if (error instanceof ConnectionError && !error.wasSent) return false
  return error instanceof AppError && OPEN.includes(error.code)
}

/** The wait before each lookup, since a server may write late. */
export const LOOKUP_WAITS_MS: readonly number[] = [0, 1_000, 2_500]

type Write<State, Result> = {
  send: () => Promise<Result>
  read: () => Promise<State>
  /** Whether the change is there. */
  isSame: (now: State) => boolean | Promise<boolean>
  /** The result if it is. */
  resultOf: (now: State) => Result
}

/** Sends a change. After an ambiguous failure it looks up whether the change was made; the AppError says what was found. */
export async function resolveAmbiguousWrite<State, Result>(write: Write<State, Result>): Promise<Result> {
  try {
    return await write.send()
  } catch (error) {
    if (!isOpen(error)) throw error
    const { code: _, message: __, ...view } = error.view
    try {
      for (const wait of LOOKUP_WAITS_MS) {
        await clock().pause(wait)
        const now = await write.read()
        if (await write.isSame(now)) return write.resultOf(now)
      }
    } catch {
      throw new AppError(
        error.code,
        `${error.message} It is unknown whether the change was made, because checking failed. Reload before you try again.`,
        { ...view, cause: error },
      )
    }
    throw new AppError(
      error.code,
      `${error.message} The console checked: nothing has changed so far. You can try again.`,
      { ...view, cause: error },
    )
  }
}
