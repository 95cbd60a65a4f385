import type { MultitaskStrategy, StreamMode } from '@/lib/contracts/agents/run-options'

/** The modes offered in the form, without the deprecated `messages` and rarely supported ones. */
export const MODE_CHOICES: readonly { value: StreamMode; label: string; hint: string }[] = [
  { value: 'messages-tuple', label: 'Tokens', hint: 'Model output, token by token' },
  { value: 'values', label: 'Values', hint: 'Full state after each step' },
  { value: 'updates', label: 'Updates', hint: 'Changes made by each node' },
  { value: 'custom', label: 'Custom', hint: 'Custom data from the graph' },
  { value: 'tasks', label: 'Tasks', hint: 'Start and end of each node' },
  { value: 'checkpoints', label: 'Checkpoints', hint: 'Every checkpoint' },
  { value: 'debug', label: 'Debug', hint: 'Detailed debug events' },
  { value: 'events', label: 'Events', hint: 'Callbacks of models and tools' },
]

export const MULTITASK_CHOICES: readonly { value: MultitaskStrategy; label: string; hint: string }[] = [
  { value: 'enqueue', label: 'Wait', hint: 'Starts when the earlier run has ended.' },
  { value: 'reject', label: 'Reject', hint: 'Does not start while another run is active.' },
  {
    value: 'interrupt',
    label: 'Interrupt',
    hint: 'Stops the earlier run and keeps its changes in the thread.',
  },
  { value: 'rollback', label: 'Roll back', hint: 'Stops the earlier run and removes its changes.' },
]

/** The values of the form. */
export type StartOptions = {
  /** An assistant id or a graph name. */
  assistant: string
  threadKind: 'new' | 'existing' | 'stateless'
  thread: string
  /** The checkpoint of the thread to start from; the latest state if empty. */
  checkpoint: string
  inputKind: 'message' | 'json'
  message: string
  /** Undefined until the user types; the field then shows the skeleton. */
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
  // Without input, the checkpoint's next nodes run again.
  inputKind: checkpoint ? 'json' : 'message',
  message: '',
  json: checkpoint ? 'null' : undefined,
  modes: ['messages-tuple', 'values', 'updates', 'custom'],
  subgraphs: true,
  multitask: 'enqueue',
  context: '',
})
