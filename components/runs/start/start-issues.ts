import type { ErrorView } from '@/lib/errors'

/** Parts of the form that something can be wrong with. */
export type StartField = 'assistant' | 'thread' | 'input' | 'context' | 'modes' | 'multitask'
/** `path` is where in that part, as code would write it; empty for all of it. `isOurs`: found here, not by the server. */
export type StartIssue = { field: StartField; path: string; message: string; isOurs?: boolean }

const PARTS: Record<string, StartField> = { message: 'input', json: 'input', threadKind: 'thread' }

/**
 * What remains of a refusal once some options have changed: the server's words stay until it is asked again, ours go with
 * what they were about. The same array where nothing goes.
 */
export function remaining(issues: readonly StartIssue[], changed: object): readonly StartIssue[] {
  const parts = Object.keys(changed).map((key) => PARTS[key] ?? key)
  const left = issues.filter(({ field, isOurs }) => !(isOurs && parts.includes(field)))
  return left.length === issues.length ? issues : left
}

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
  if (issues.length > 0) {
    // Servers sum all fields up in the message: those that have a place are not said again.
    const rest = { ...error, message: 'The server also refused:', fields: unplaced }
    return { issues, rest: unplaced.length > 0 ? rest : undefined }
  }
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
