import { findJsonProblem } from './json-problem'

export type JsonFilter = { value: Record<string, unknown> } | { problem: string } | undefined

/**
 * What a person writes to find records by their metadata or values: a JSON object, or `key:value`, which means the same.
 * `parse` reads JSON; undefined where nothing is written.
 */
export function readJsonFilter(text: string, parse: (json: string) => unknown): JsonFilter {
  const given = text.trim()
  if (given === '') return undefined
  if (given.startsWith('{')) {
    const problem = findJsonProblem(given)
    if (problem) return { problem: `Line ${problem.line}, column ${problem.column}: ${problem.message}` }
    return { value: parse(given) as Record<string, unknown> } // a JSON text that begins with a brace is an object
  }
  const pair = /^([^\s:=]+)\s*[:=]\s*(.+)$/.exec(given)
  if (!pair?.[1] || !pair[2]) return { problem: 'Enter key:value or a JSON object.' }
  return { value: { [pair[1]]: valueOfText(pair[2].trim(), parse) } }
}

/** `true`, `3` and the like are meant as what they look like; the rest is text. */
const valueOfText = (text: string, parse: (json: string) => unknown): unknown =>
  /^(true|false|null|-?\d{1,15}(\.\d+)?|"(\\.|[^"\\])*")$/.test(text) ? parse(text) : text
