import type { InputIssue } from './input-check'

export const STREAM_MODES = [
  { value: 'messages-tuple', label: 'Messages', hint: 'Tokens as the model writes them' },
  { value: 'values', label: 'Values', hint: 'The whole state after each step' },
  { value: 'updates', label: 'Updates', hint: 'What each node changed' },
  { value: 'custom', label: 'Custom', hint: 'Whatever the graph itself sends' },
  { value: 'tasks', label: 'Tasks', hint: 'Start and end of each node' },
  { value: 'checkpoints', label: 'Checkpoints', hint: 'Each saved checkpoint' },
  { value: 'debug', label: 'Debug', hint: 'As much as the server can tell' },
  { value: 'events', label: 'Events', hint: 'Callback events of every model and tool' },
] as const
export type StreamMode = (typeof STREAM_MODES)[number]['value']

export const MULTITASK = [
  { value: 'enqueue', label: 'Wait', hint: 'This run begins when the earlier one has ended.' },
  { value: 'reject', label: 'Refuse', hint: 'This run is not started while another is going on.' },
  { value: 'interrupt', label: 'Interrupt', hint: 'The earlier run is stopped; what it did so far stays in the thread.' },
  { value: 'rollback', label: 'Roll back', hint: 'The earlier run is stopped and everything it did is removed from the thread.' },
] as const
export type Multitask = (typeof MULTITASK)[number]['value']

/** What the form holds; follows the form, not the request. */
export type StartOptions = {
  assistant: string
  threadKind: 'new' | 'existing' | 'stateless'
  thread: string
  inputKind: 'message' | 'json'
  message: string
  /** Undefined until a person types: the skeleton stands there instead. */
  json: string | undefined
  modes: readonly StreamMode[]
  subgraphs: boolean
  multitask: Multitask
  context: string
}

export const initialOptions = (assistant: string, thread: string): StartOptions => ({
  assistant,
  threadKind: thread ? 'existing' : 'new',
  thread,
  inputKind: 'message',
  message: '',
  json: undefined,
  modes: ['messages-tuple', 'values', 'updates', 'custom'],
  subgraphs: true,
  multitask: 'enqueue',
  context: '',
})

/** Where in the form something is wrong. */
export type StartField = 'assistant' | 'thread' | 'input' | 'context' | 'modes'
export type StartIssue = InputIssue & { field: StartField }

/** The part of the form that a field path of a server's 422 belongs to; undefined where the form has no such part. */
export function fieldOf(path: readonly (string | number)[]): StartField | undefined {
  const names: Record<string, StartField> = {
    assistant_id: 'assistant',
    thread_id: 'thread',
    input: 'input',
    context: 'context',
    config: 'context',
    stream_mode: 'modes',
  }
  return path.map((key) => names[String(key)]).find((field) => field !== undefined)
}
