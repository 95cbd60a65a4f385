import 'server-only'
import { randomUUID } from 'node:crypto'
import { unstable_rethrow } from 'next/navigation'
import { z } from 'zod'
import { AppError, type ErrorView, type FieldError, type Result } from '@/lib/errors'
import { isUnstorable, type StoreOutage, storeOutage } from './db'
import { log } from './log'

export const newRequestId = (): string => randomUUID()

/** The invalid fields of a schema error. */
export const fieldErrors = (error: z.ZodError): FieldError[] =>
  error.issues.map(({ path, message }) => ({
    path: path.map((part) => (typeof part === 'symbol' ? String(part) : part)),
    message,
  }))

/** Parses a value. Throws AppError `invalid` with the invalid fields. */
export function parseInput<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const fields = fieldErrors(parsed.error)
  const first = fields[0]?.path.length === 0 ? fields[0].message : undefined
  throw new AppError('invalid', first ?? 'Some fields are invalid.', { fields })
}

const OUTAGE_MESSAGES: Record<StoreOutage, string> = {
  unreachable: "The console's database is unreachable. Nothing was changed; try again in a moment.",
  'read-only':
    "The console's database does not accept changes (its disk is full or it is read-only). Nothing was changed.",
  busy: "The console's database is busy. Nothing was changed; try again in a moment.",
}

function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof z.ZodError)
    return new AppError('invalid', 'Some fields are invalid.', { fields: fieldErrors(error), cause: error })
  const outage = storeOutage(error)
  if (outage) return new AppError('internal', OUTAGE_MESSAGES[outage], { cause: error })
  if (isUnstorable(error))
    return new AppError('invalid', 'A text holds the character NUL, which cannot be stored.', { cause: error })
  return new AppError('internal', 'Something went wrong in the console. Its log has the details.', {
    cause: error,
  })
}

/** The part of a failure that may be shown. Unexpected failures are logged with the same request id. */
export function errorView(error: unknown, requestId: string = newRequestId()): ErrorView {
  const app = asAppError(error)
  const view = { ...app.view, requestId: app.view.requestId || requestId }
  if (view.code === 'internal') log.error('request.failed', { requestId: view.requestId, error })
  else if (view.code.startsWith('upstream_'))
    log.warn('request.failed', { requestId: view.requestId, code: view.code, upstreamStatus: view.upstreamStatus })
  return view
}

/** Runs `fn` and returns failures as values. Next's redirects pass through. */
export async function toResult<T>(fn: () => Promise<T>, requestId?: string): Promise<Result<T>> {
  try {
    return { ok: true, data: await fn() }
  } catch (error) {
    unstable_rethrow(error)
    return { ok: false, error: errorView(error, requestId) }
  }
}
