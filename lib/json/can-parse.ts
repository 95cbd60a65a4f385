import { MAX_DEPTH, stringEnd } from '@/lib/json/lossless'

/** Whether parsing keeps everything: no duplicate keys in an object, and no excessive nesting. */
export function canParse(text: string): boolean {
  /** The keys of each enclosing object; undefined for a list. */
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

/** Only escapes give a key two spellings. */
function nameOf(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted) as string // it is a JSON string, or the parser throws
  } catch {
    return quoted
  }
}
