import type { MultitaskStrategy, StreamMode } from '@/lib/contracts/agents/run-options'

/** The modes a person chooses from; the older twin of `messages-tuple` and what few servers know are left out. */
export const MODE_CHOICES: readonly { value: StreamMode; label: string; hint: string }[] = [
  { value: 'messages-tuple', label: 'Tokens', hint: 'What models write, word by word' },
  { value: 'values', label: 'Values', hint: 'The whole state after each step' },
  { value: 'updates', label: 'Updates', hint: 'What each node changed' },
  { value: 'custom', label: 'Custom', hint: 'Whatever the graph itself sends' },
  { value: 'tasks', label: 'Tasks', hint: 'Start and end of each node' },
  { value: 'checkpoints', label: 'Checkpoints', hint: 'Each saved checkpoint' },
  { value: 'debug', label: 'Debug', hint: 'As much as the server can tell' },
  { value: 'events', label: 'Events', hint: 'Callbacks of every model and tool' },
]

export const MULTITASK_CHOICES: readonly { value: MultitaskStrategy; label: string; hint: string }[] = [
  { value: 'enqueue', label: 'Wait', hint: 'This run begins when the earlier one has ended.' },
  { value: 'reject', label: 'Refuse', hint: 'This run is not started while another is going on.' },
  {
    value: 'interrupt',
    label: 'Interrupt',
    hint: 'The earlier run is stopped; what it did so far stays in the thread.',
  },
  { value: 'rollback', label: 'Roll back', hint: 'The earlier run is stopped and everything it did is removed.' },
]

/** What the form holds; follows the form, not the request. */
export type StartOptions = {
  /** Id of an assistant, or name of a graph. */
  assistant: string
  threadKind: 'new' | 'existing' | 'stateless'
  thread: string
  /** Of the existing thread: where the run goes on from; its newest state when empty. */
  checkpoint: string
  inputKind: 'message' | 'json'
  message: string
  /** Undefined until a person types: the skeleton stands there instead. */
  json: string | undefined
  modes: readonly StreamMode[]
  subgraphs: boolean
  multitask: MultitaskStrategy
  context: string
}

export const initialOptions = (assistant: string, thread: string, checkpoint = ''): StartOptions => ({
  assistant,
  threadKind: thread ? 'existing' : 'new',
  thread,
  checkpoint,
  // Without input the nodes that were next at the checkpoint run again.
  inputKind: checkpoint ? 'json' : 'message',
  message: '',
  json: checkpoint ? 'null' : undefined,
  modes: ['messages-tuple', 'values', 'updates', 'custom'],
  subgraphs: true,
  multitask: 'enqueue',
  context: '',
})
