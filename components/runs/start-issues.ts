import type { ErrorView } from '@/lib/errors'

/** Parts of the form that something can be wrong with. */
export type StartField = 'assistant' | 'thread' | 'input' | 'context' | 'modes' | 'multitask'
/** `path` is where in that part, as code would write it; empty for all of it. */
export type StartIssue = { field: StartField; path: string; message: string }

const FIELDS: Record<string, StartField> = {
  assistant_id: 'assistant',
  graph_id: 'assistant',
  thread_id: 'thread',
  thread: 'thread',
  input: 'input',
  context: 'context',
  config: 'context',
  stream_mode: 'modes',
  multitask_strategy: 'multitask',
}

/** Splits a refused start into what belongs to a part of the form, and what is said beside the button; each once. */
export function placeError(error: ErrorView): { issues: StartIssue[]; rest: ErrorView | undefined } {
  const issues: StartIssue[] = []
  const unplaced = error.fields.filter(({ path, message }) => {
    const at = path.findIndex((key) => Object.hasOwn(FIELDS, String(key)))
    const field = FIELDS[String(path[at])]
    if (field) issues.push({ field, path: textOf(path.slice(at + 1)), message })
    return !field
  })
  if (issues.length > 0) return { issues, rest: unplaced.length > 0 ? { ...error, fields: unplaced } : undefined }
  const named = error.code === 'not_found' || error.code === 'invalid' ? fieldNamedIn(error.message) : undefined
  if (named && unplaced.length === 0)
    return { issues: [{ field: named, path: '', message: error.message }], rest: undefined }
  return { issues, rest: error }
}

/** Servers that name no field name the thing: "Thread … not found", "No assistant or graph …". */
function fieldNamedIn(message: string): StartField | undefined {
  if (/\bthread\b/i.test(message)) return 'thread'
  return /\b(assistant|graph)\b/i.test(message) ? 'assistant' : undefined
}

const textOf = (path: readonly (string | number)[]): string =>
  path.reduce<string>((text, key) => (typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${key}` : key), '')
