import 'server-only'
import { AppError, type FieldError } from '@/lib/errors'

/** Length of the pieces compared, in characters. Shorter pieces reveal little and occur in most sentences. */
const PIECE = 8
const SHORTEST = 4

/**
 * A copy of a server's refusal without the secret values that it may quote, whole or shortened. Messages that contain a
 * piece of a value are replaced, and list indexes become secret names.
 */
export function withoutSecretValues(
  error: AppError,
  secrets: readonly { name: string; value: string | null }[],
): AppError {
  const values = secrets.map(({ value }) => value ?? '').filter((value) => value.length >= SHORTEST)
  const { code, message, fields, ...rest } = error.view
  const said = isQuote(message, values) ? LEFT_OUT : message
  const named = fields.map(
    (field): FieldError => ({
      path: field.path.map((part, index) =>
        typeof part === 'number' && field.path[index - 1] === 'secrets' ? (secrets[part]?.name ?? part) : part,
      ),
      message: isQuote(field.message, values) ? 'Refused by the server' : field.message,
    }),
  )
  return new AppError(code, said, { ...rest, fields: named })
}

const LEFT_OUT = 'The server refused the change. Its message is not shown, because it contains part of a secret.'

function isQuote(words: string, values: readonly string[]): boolean {
  const pieces = new Set<string>()
  for (let at = 0; at + PIECE <= words.length; at++) pieces.add(words.slice(at, at + PIECE))
  return values.some((value) => {
    if (value.length <= PIECE) return words.includes(value)
    for (let at = 0; at + PIECE <= value.length; at++) if (pieces.has(value.slice(at, at + PIECE))) return true
    return false
  })
}
