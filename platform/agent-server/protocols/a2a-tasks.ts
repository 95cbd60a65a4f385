import type { Message, Task, TaskState } from '@a2a-js/sdk'
import type { StateSnapshot } from '@langchain/langgraph'
import { isUuid } from '@/lib/json/guards'
import { uuidOf } from '../assistants/assistants'
import { type Conditions, meets } from '../kernel/conditions'
import type { Db } from '../persistence/db'
import { RUN_COLUMNS, type RunRow, TASK_KEY, withInput } from '../runs/run-record'
import { toPlain } from '../threads/messages'
import { interruptOut } from '../threads/state'
import type { ThreadStates } from '../threads/thread-state'
import type { Threads } from '../threads/threads'
import { agentMessage, artifactsOf, historyOf, partOf } from './a2a-parts'
import { failureOf } from './rpc'

// The protocol's numbers; see a2a-parts.ts.
export const TASK_STATES = {
  submitted: 1,
  working: 2,
  completed: 3,
  failed: 4,
  canceled: 5,
  inputRequired: 6,
} as const satisfies Record<string, TaskState>

/** Run metadata: the context as its client named it, if that is no id of a thread. */
export const CONTEXT_KEY = 'a2a_context_id'

/** The thread of a context, which a client may name as it likes. */
export const threadOf = (contextId: string): string =>
  isUuid(contextId) ? contextId.toLowerCase() : uuidOf(`context ${contextId}`)

export const contextOf = ({ metadata, thread_id }: Pick<RunRow, 'metadata' | 'thread_id'>): string =>
  typeof metadata[CONTEXT_KEY] === 'string' ? metadata[CONTEXT_KEY] : thread_id

/** A task's last run, and the task state that follows from it. */
export type FoundTask = { id: string; run: RunRow; isNewest: boolean; state: TaskState }

/** A position between two tasks of a list. */
export type TaskPosition = { changed: string; id: string }
type TaskPage = {
  contextId?: string | undefined
  state?: TaskState | undefined
  since?: string | undefined
  after?: TaskPosition | undefined
  limit: number
}

/** Presents runs as tasks; tasks have no storage of their own. */
export class A2aTasks {
  constructor(
    private readonly db: Db,
    private readonly threads: Threads,
    private readonly states: ThreadStates,
    private readonly only?: Conditions,
  ) {}

  /** Only tasks on threads that meet the conditions. */
  limitedTo(only: Conditions): A2aTasks {
    return only ? new A2aTasks(this.db, this.threads, this.states, only) : this
  }

  /** Undefined if the task is unknown or belongs to another assistant. */
  async find(taskId: string, assistantId: string): Promise<FoundTask | undefined> {
    const [row] = await this.db.query<TaskRow>(
      `select ${RUN_COLUMNS}, $1 as task_id, is_newest, ${TASK_STATE} as state from (
         select r.*, ${IS_NEWEST} as is_newest from runs r
         where r.thread_id = (select thread_id from runs where run_id = $1 and assistant_id = $2) and ${TASK_ID} = $1
           and ($3::text[] is null or ${meetsOnThread('$3')})
         order by r.seq desc limit 1) t`,
      [taskId.toLowerCase(), assistantId, this.only],
    )
    return row && foundOf(row)
  }

  /** The task as one of its runs left it, even if it has gone on since. Undefined if the run is gone. */
  async atEndOf(runId: string, taskId: string): Promise<FoundTask | undefined> {
    const [row] = await this.db.query<TaskRow>(
      `select ${RUN_COLUMNS}, $2 as task_id, is_last as is_newest, ${TASK_STATE} as state from (
         select r.*, true as is_newest, ${IS_NEWEST} as is_last from runs r where r.run_id = $1) t`,
      [runId, taskId],
    )
    return row && foundOf(row)
  }

  /** The tasks of an assistant, most recently changed first. `next` is where the following page begins. */
  async list(
    assistantId: string,
    { contextId, state, since, after, limit }: TaskPage,
  ): Promise<{ tasks: FoundTask[]; total: number; next: TaskPosition | undefined }> {
    const rows = await this.db.query<TaskRow & { total: number; changed: string }>(
      `with matching as (
         select t.*, ${TASK_STATE} as state from (
           select distinct on (${TASK_ID}) r.*, ${TASK_ID} as task_id, ${IS_NEWEST} as is_newest from runs r
           where r.assistant_id = $1 and ($2::text is null or r.thread_id = $2)
             and ($8::text[] is null or ${meetsOnThread('$8')})
           order by ${TASK_ID}, r.seq desc) t)
       select ${RUN_COLUMNS}, task_id, is_newest, state, updated_at::text as changed,
         (select count(*)::int from matching where ${IS_ASKED_FOR}) as total
       from matching where ${IS_ASKED_FOR} and ($5::timestamptz is null or (updated_at, task_id) < ($5, $6))
       order by updated_at desc, task_id desc limit $7::int + 1`,
      [
        assistantId,
        contextId === undefined ? undefined : threadOf(contextId),
        state,
        since,
        after?.changed,
        after?.id,
        limit,
        this.only,
      ],
    )
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    return {
      tasks: page.map(({ total: _, changed: __, ...row }) => foundOf(row)),
      total: rows[0]?.total ?? 0,
      next: last && { changed: last.changed, id: last.task_id },
    }
  }

  async read({ id, run, isNewest, state }: FoundTask, historyLength?: number): Promise<Task> {
    const place = { taskId: id, contextId: contextOf(run) }
    const snapshot = await this.#snapshot(run, isNewest)
    const values = toPlain(snapshot?.values)
    const { kwargs } = await withInput(this.db.query, run)
    const history = historyOf(values, kwargs.input, place)
    return {
      id,
      contextId: place.contextId,
      status: {
        state,
        message: statusMessage(run, state, snapshot, place),
        timestamp: run.updated_at.toISOString(),
      },
      artifacts: state === TASK_STATES.completed ? artifactsOf(values, id) : [],
      history: historyLength === undefined ? history : historyLength > 0 ? history.slice(-historyLength) : [],
      metadata: undefined,
    }
  }

  /** Cancels a task that waits for an answer. */
  async dismiss({ run }: FoundTask): Promise<void> {
    await this.db.query(
      `update runs set cancel = 'interrupt', updated_at = now() where run_id = $1 and status = 'interrupted'`,
      [run.run_id],
    )
  }

  /** The state at the end of the run, even if others ran since. */
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

/** SQL for the task state that follows from its last run `t`. */
const TASK_STATE = `case
  when t.status = 'pending' then ${TASK_STATES.submitted}
  when t.status = 'running' then ${TASK_STATES.working}
  when t.status = 'success' then ${TASK_STATES.completed}
  when t.status <> 'interrupted' then ${TASK_STATES.failed}
  -- Stopped, or cancelled before it began; or another run has continued from where it waited.
  when t.cancel is not null or t.attempt = 0 or not is_newest then ${TASK_STATES.canceled}
  else ${TASK_STATES.inputRequired} end`
const IS_ASKED_FOR = '($3::int is null or state = $3) and ($4::timestamptz is null or updated_at >= $4)'
const meetsOnThread = (placeholder: string) =>
  `exists (select from threads h where h.thread_id = r.thread_id and ${meets('h.metadata', placeholder)})`
const IS_NEWEST = 'not exists (select from runs o where o.thread_id = r.thread_id and o.seq > r.seq)'
const TASK_ID = `coalesce(r.metadata ->> '${TASK_KEY}', r.run_id)`

type TaskRow = RunRow & { task_id: string; is_newest: boolean; state: TaskState }
const foundOf = ({ task_id: id, is_newest: isNewest, state, ...run }: TaskRow): FoundTask => ({
  id,
  run,
  isNewest,
  state,
})

function statusMessage(
  { run_id, error }: RunRow,
  state: TaskState,
  snapshot: StateSnapshot | undefined,
  place: { taskId: string; contextId: string },
): Message | undefined {
  const message = (parts: Message['parts']) => agentMessage(`${run_id}-status`, parts, place)
  if (state === TASK_STATES.failed) return message([partOf(error ? failureOf(error) : 'The run failed.')])
  if (state !== TASK_STATES.inputRequired) return undefined
  const asked = snapshot?.tasks.flatMap((task) => task.interrupts.map((one) => interruptOut(one).value)) ?? []
  return message(asked.length > 0 ? asked.map(partOf) : [partOf('The agent waits before its next step.')])
}
