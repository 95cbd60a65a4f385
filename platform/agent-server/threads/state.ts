import type { RunnableConfig } from '@langchain/core/runnables'
import type { StateSnapshot } from '@langchain/langgraph'
import { metadataOut, toPlain } from './messages'

/** The wire form of a thread's state. */

type Configurable = Record<string, unknown> | undefined

/** The checkpoint that a runtime configuration points to. */
export function checkpointOut(configurable: Configurable) {
  if (!configurable) return null
  const { thread_id, checkpoint_ns = '', checkpoint_id = null, checkpoint_map } = configurable
  return { thread_id, checkpoint_ns, checkpoint_id, ...(checkpoint_map ? { checkpoint_map } : {}) }
}

type SnapshotTask = StateSnapshot['tasks'][number] & { path?: unknown; result?: unknown }

export function interruptOut(interrupt: object): Record<string, unknown> {
  const { id, value, ...more } = interrupt as Record<string, unknown>
  return { id, value: toPlain(value), ...more }
}

function taskOut(task: SnapshotTask): Record<string, unknown> {
  const { id, name, path = null, error, interrupts, state, result } = task
  const isSnapshot = state !== undefined && 'values' in state
  return {
    id,
    name,
    path,
    error: error === undefined ? null : errorText(error),
    interrupts: interrupts.map(interruptOut),
    // Unless subgraphs were requested, only the location of the subgraph's state is known.
    checkpoint: checkpointOut((isSnapshot ? state.config : (state as RunnableConfig | undefined))?.configurable),
    state: isSnapshot ? stateOut(state) : null,
    result: toPlain(result ?? null),
  }
}

const errorText = (error: unknown): unknown => {
  if (typeof error === 'object' && error !== null && 'message' in error) return String(error.message)
  return error
}

export function stateOut(snapshot: StateSnapshot): Record<string, unknown> {
  const tasks = snapshot.tasks.map((task) => taskOut(task))
  return {
    values: toPlain(snapshot.values),
    next: snapshot.next,
    tasks,
    metadata: metadataOut(snapshot.metadata) ?? {},
    created_at: snapshot.createdAt ?? null,
    // Hooks of clients take a thread with a checkpoint for one with values.
    checkpoint: snapshot.createdAt === undefined ? null : checkpointOut(snapshot.config.configurable),
    parent_checkpoint: checkpointOut(snapshot.parentConfig?.configurable),
    interrupts: tasks.flatMap((task) => task.interrupts as unknown[]),
  }
}

/** Open interrupts by the id of the task that waits. */
export function openInterrupts(snapshot: StateSnapshot): Record<string, Record<string, unknown>[]> {
  const waiting = snapshot.tasks.filter((task) => task.interrupts.length > 0)
  return Object.fromEntries(waiting.map((task) => [task.id, task.interrupts.map(interruptOut)]))
}

/** A thread's status when nothing runs on it: interrupted if it waits for an answer or at a breakpoint, else idle. */
export const restingStatus = (snapshot: StateSnapshot): 'idle' | 'interrupted' =>
  snapshot.next.length > 0 || snapshot.tasks.some((task) => task.interrupts.length > 0) ? 'interrupted' : 'idle'
