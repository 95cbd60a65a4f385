import 'server-only'

const QUOTE = 34
const BACKSLASH = 92

/** Whether a JSON text in chunks is nested deeper than `max`, by its brackets and quotes alone. */
export function isDeeper(chunks: readonly Uint8Array[], max: number): boolean {
  let depth = 0
  let isInString = false
  let isEscaped = false
  for (const chunk of chunks)
    for (const code of chunk) {
      if (isEscaped) isEscaped = false
      else if (isInString) {
        if (code === BACKSLASH) isEscaped = true
        else if (code === QUOTE) isInString = false
      } else if (code === QUOTE) isInString = true
      else if (code === 91 || code === 123) {
        depth += 1
        if (depth > max) return true
      } else if (code === 93 || code === 125) depth -= 1
    }
  return false
}

/**
 * A value, not a key, whose text React would read as a reference to another part of the request. Our actions take plain
 * data, and React throws where the other part is missing.
 */
const REFERENCE = /(?<=[[,:\s])"\$(?!\$|undefined"|NaN"|-?Infinity"|-0"|D|n-?\d+")(?:[^"\\]|\\.)*"(?!\s*:)/

/** No action takes more than two. */
const MAX_ARGUMENTS = 16

/** Whether a complete body is a list of arguments, as a server action gets them. */
export function isArgumentList(chunks: readonly Uint8Array[]): boolean {
  const text = Buffer.concat(chunks).toString('utf8')
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) && list.length <= MAX_ARGUMENTS && !REFERENCE.test(text)
  } catch {
    return false
  }
}
