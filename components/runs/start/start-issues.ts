import type { ErrorView } from '@/lib/errors'

/** The parts of the form that can have an error. */
export type StartField = 'assistant' | 'thread' | 'input' | 'context' | 'modes' | 'multitask' | 'more'
/** `path` is the location within the field, empty for all of it. `isOurs`: found in the browser, not by the server. */
export type StartIssue = { field: StartField; path: string; message: string; isOurs?: boolean }

const PARTS: Record<string, StartField> = { message: 'input', json: 'input', threadKind: 'thread' }

/**
 * The issues left after some options have changed: ours go with the option, the server's stay until the next attempt. Returns
 * the same array if nothing changed.
 */
export function remaining(issues: readonly StartIssue[], changed: object): readonly StartIssue[] {
  const parts = Object.keys(changed).map((key) => PARTS[key] ?? key)
  const left = issues.filter(({ field, isOurs }) => !(isOurs && parts.includes(field)))
  return left.length === issues.length ? issues : left
}

const NAMES: Partial<Record<StartField, string>> = {
  input: 'Input',
  context: 'Context',
  modes: 'Advanced',
  more: 'Advanced',
}

/** The first issue as an error, for where the field is not shown. */
export function issueError([first]: readonly StartIssue[]): ErrorView {
  const { field, path, message } = first ?? { field: 'input', path: '', message: 'This cannot be sent.' }
  const name = NAMES[field]
  const text = [path, message].filter(Boolean).join(' ')
  return { code: 'invalid', message: name ? `${name}: ${text}` : text, fields: [], requestId: '' }
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
  interrupt_before: 'more',
  interrupt_after: 'more',
  recursion_limit: 'more',
  webhook: 'more',
  durability: 'more',
  metadata: 'more',
}

/** Splits the error of a rejected start into issues per field and the rest, shown next to the button. */
export function placeError(error: ErrorView): { issues: StartIssue[]; rest: ErrorView | undefined } {
  const issues: StartIssue[] = []
  const unplaced = error.fields.filter(({ path, message }) => {
    const at = path.findIndex((key) => Object.hasOwn(FIELDS, String(key)))
    const field = FIELDS[String(path[at])]
    if (field) issues.push({ field, path: textOf(path.slice(at + 1)), message })
    return !field
  })
  if (issues.length > 0) {
    // The server's message repeats all field errors, so it is replaced.
    const rest = { ...error, message: 'The server also rejected:', fields: unplaced }
    return { issues, rest: unplaced.length > 0 ? rest : undefined }
  }
  const named = error.code === 'not_found' || error.code === 'invalid' ? fieldNamedIn(error.message) : undefined
  if (named && unplaced.length === 0)
    return { issues: [{ field: named, path: '', message: error.message }], rest: undefined }
  return { issues, rest: error }
}

/** The field named in a message without field paths, such as "Thread … not found". */
function fieldNamedIn(message: string): StartField | undefined {
  if (/\bthread\b/i.test(message)) return 'thread'
  return /\b(assistant|graph)\b/i.test(message) ? 'assistant' : undefined
}

const textOf = (path: readonly (string | number)[]): string =>
  path.reduce<string>((text, key) => (typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${key}` : key), '')
