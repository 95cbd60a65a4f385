import { MAX_DEPTH, stringEnd } from '@/lib/json/lossless'

/** Whether a parsed value says all that the text does: no key stands twice in an object, and nothing is nested too deep. */
export function canParse(text: string): boolean {
  /** The keys of each object around; undefined for a list. */
  const stack: (Set<string> | undefined)[] = []
  let isKey = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) {
      const end = stringEnd(text, at)
      const keys = isKey ? stack.at(-1) : undefined
      if (keys) {
        const key = nameOf(text.slice(at, end))
        if (keys.has(key)) return false
        keys.add(key)
        isKey = false
      }
      at = end - 1
    } else if (code === 123 || code === 91) {
      if (stack.length === MAX_DEPTH) return false
      isKey = code === 123
      stack.push(isKey ? new Set() : undefined)
    } else if (code === 125 || code === 93) stack.pop()
    else if (code === 44) isKey = stack.at(-1) !== undefined
  }
  return true
}

/** Only an escape makes two spellings of a key. */
function nameOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted) as string // a JSON string, or the parser throws
  } catch {
    return quoted
  }
}
