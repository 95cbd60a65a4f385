import { jsonProblemText } from './json-problem'

export type JsonFilter = { value: Record<string, unknown> } | { problem: string } | undefined

/**
 * Reads a filter on metadata or values: a JSON object, or the shorthand `key:value`. `parse` reads JSON. Undefined for
 * empty text.
 */
export function readJsonFilter(text: string, parse: (json: string) => unknown): JsonFilter {
  const given = text.trim()
  if (given === '') return undefined
  if (given.startsWith('{')) {
    const problem = jsonProblemText(given)
    if (problem) return { problem }
    return { value: parse(given) as Record<string, unknown> } // valid JSON that starts with a brace is an object
  }
  const pair = /^([^\s:=]+)\s*[:=]\s*(.+)$/.exec(given)
  if (!pair?.[1] || !pair[2]) return { problem: 'Enter key:value or a JSON object.' }
  return { value: { [pair[1]]: valueOfText(pair[2].trim(), parse) } }
}

/** `true`, `3` and other JSON literals keep their type; anything else is text. */
const valueOfText = (text: string, parse: (json: string) => unknown): unknown =>
  /^(true|false|null|-?\d{1,15}(\.\d+)?|"(\\.|[^"\\])*")$/.test(text) ? parse(text) : text
