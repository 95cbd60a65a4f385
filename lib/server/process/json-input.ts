import 'server-only'
import { AppError } from '@/lib/errors'
import { parseJson } from '@/lib/json/lossless'

/** Parses JSON text with its numbers as written. Throws AppError `invalid` with `message` if it is not JSON. */
export function parseJsonInput(text: string, message: string): unknown {
  try {
    return parseJson(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
    throw new AppError('invalid', message, { cause })
  }
}
