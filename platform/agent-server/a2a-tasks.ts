import type { Message, Task, TaskState } from '@a2a-js/sdk'
import type { StateSnapshot } from '@langchain/langgraph'
import { agentMessage, artifactsOf, historyOf, partOf } from './a2a-parts'
import type { Db } from './db'
import { toPlain } from './messages'
import { isInProgress, RUN_COLUMNS, type RunRow, withInput } from './runs'
import { interruptOut } from './state'
import type { ThreadStates } from './thread-state'
import type { Threads } from './threads'

// The protocol's numbers; see a2a-parts.ts.
export const STATE = {
  submitted: 1,
  working: 2,
  completed: 3,
  failed: 4,
  canceled: 5,
  inputRequired: 6,
} as const satisfies Record<string, TaskState>

/** Run metadata: the task that a run continues. A task has the id of its first run. */
export const TASK_KEY = 'a2a_task_id'

/** A task's last run, and what the task is by it. */
export type FoundTask = { id: string; run: RunRow; isNewest: boolean; state: TaskState }

/** Runs as tasks: nothing is stored for them besides. */
export class A2aTasks {
  constructor(
    private readonly db: Db,
    private readonly threads: Threads,
    private readonly states: ThreadStates,
  ) {}

  /** Undefined for a task that is not there, or is another assistant's. */
  async find(taskId: string, assistantId: string): Promise<FoundTask | undefined> {
    const [run] = await this.db.query<RunRow & { is_newest: boolean }>(
      `with first as (select thread_id from runs where run_id = $1 and assistant_id = $2)
       select ${RUN_COLUMNS}, seq = (select max(seq) from runs where thread_id = (select thread_id from first)) as is_newest
       from runs where thread_id = (select thread_id from first) and (run_id = $1 or metadata ->> '${TASK_KEY}' = $1)
       order by seq desc limit 1`,
      [taskId.toLowerCase(), assistantId],
    )
    return run && { id: taskId.toLowerCase(), run, isNewest: run.is_newest, state: stateOf(run, run.is_newest) }
  }

  async read({ id, run, isNewest, state }: FoundTask, historyLength?: number): Promise<Task> {
    const place = { taskId: id, contextId: run.thread_id }
    const snapshot = await this.#snapshot(run, isNewest)
    const values = toPlain(snapshot?.values)
    const { kwargs } = await withInput(this.db.query, run)
    const history = historyOf(values, kwargs.input, place)
    return {
      id,
      contextId: run.thread_id,
      status: {
        state,
        message: statusMessage(run, state, snapshot, place),
        timestamp: run.updated_at.toISOString(),
      },
      artifacts: state === STATE.completed ? artifactsOf(values, id) : [],
      history: historyLength === undefined ? history : historyLength > 0 ? history.slice(-historyLength) : [],
      metadata: undefined,
    }
  }

  /** Nobody will answer what the task asks: it counts as cancelled from now on. */
  async dismiss({ run }: FoundTask): Promise<void> {
    await this.db.query(
      `update runs set cancel = 'interrupt', updated_at = now() where run_id = $1 and status = 'interrupted'`,
      [run.run_id],
    )
  }

  /** The state that the run has left, also when others have run since. */
  async #snapshot(run: RunRow, isNewest: boolean): Promise<StateSnapshot | undefined> {
    const thread = await this.threads.get(run.thread_id)
    if (isNewest) return this.states.snapshot(thread)
    const [last] = await this.db.query<{ checkpoint_id: string }>(
      `select checkpoint_id from checkpoints where thread_id = $1 and checkpoint_ns = '' and metadata ->> 'run_id' = $2
       order by checkpoint_id desc limit 1`,
      [run.thread_id, run.run_id],
    )
    return last && this.states.snapshot(thread, last)
  }
}

function stateOf(run: RunRow, isNewest: boolean): TaskState {
  if (run.status === 'pending') return STATE.submitted
  if (isInProgress(run.status)) return STATE.working
  if (run.status === 'success') return STATE.completed
  if (run.status !== 'interrupted') return STATE.failed
  // Stopped by someone, or before it began; or something else has gone on in the place where it waited.
  return run.cancel !== null || run.attempt === 0 || !isNewest ? STATE.canceled : STATE.inputRequired
}

function statusMessage(
  { run_id, error }: RunRow,
  state: TaskState,
  snapshot: StateSnapshot | undefined,
  place: { taskId: string; contextId: string },
): Message | undefined {
  const message = (parts: Message['parts']) => agentMessage(`${run_id}-status`, parts, place)
  if (state === STATE.failed) return message([partOf(error ? `${error.error}: ${error.message}` : 'The run failed.')])
  if (state !== STATE.inputRequired) return undefined
  const asked = snapshot?.tasks.flatMap((task) => task.interrupts.map((one) => interruptOut(one).value)) ?? []
  return message(asked.length > 0 ? asked.map(partOf) : [partOf('The agent waits before its next step.')])
}
