import type { MultitaskStrategy } from '@/lib/contracts/agents/run-options'
import { DEFAULT_STREAM_MODES, type StreamMode } from '@/lib/contracts/wire/stream-modes'

/** What is seldom set, as typed; empty leaves it to the server. */
export type MoreOptions = {
  /** Nodes with commas between, or `*` for all. */
  interruptBefore: string
  interruptAfter: string
  recursionLimit: string
  tags: string
  /** A JSON object. */
  metadata: string
  webhook: string
  durability: string
}

export const NO_MORE: MoreOptions = {
  interruptBefore: '',
  interruptAfter: '',
  recursionLimit: '',
  tags: '',
  metadata: '',
  webhook: '',
  durability: '',
}

/** What configures a run, as typed. `context` is JSON text. */
export type Configuration = { context: string; more: MoreOptions }

/** How many of its parts are set. */
export const countSet = ({ context, more }: Configuration): number =>
  [context, ...Object.values(more)].filter((one) => one.trim() !== '').length

/** The values of the form. */
export type StartOptions = Configuration & {
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
  modes: DEFAULT_STREAM_MODES,
  subgraphs: true,
  multitask: 'enqueue',
  context: '',
  more: NO_MORE,
})
