import { randomUUID } from 'node:crypto'
import type { RunCreate } from '@/lib/contracts/agents/runs'
import { type Assistants, defaultAssistantId } from '../assistants/assistants'
import type { Graphs } from '../assistants/graphs'
import type { Caller, User } from '../auth/caller'
import type { WebhookRules } from '../kernel/webhook-rules'
import type { Db, Query } from '../persistence/db'
import { checkRecord } from '../persistence/record-access'
import type { ThreadStates } from '../threads/thread-state'
import type { Threads } from '../threads/threads'
import type { RunReaders } from './run-readers'
import type { RunRow } from './run-record'
import { type RunRequest, readRunRequest } from './run-request'
import type { Runs } from './runs'
import { checkResume } from './strict-resume'

type Services = {
  runs: Runs
  assistants: Assistants
  graphs: Graphs
  readers: RunReaders
  threads: Threads
  states: ThreadStates
  webhookRules: WebhookRules
  db: Db
}

/** Creates runs from requests of any protocol. */
export class RunStarter {
  constructor(
    private readonly services: Services,
    private readonly user?: User,
    private readonly caller?: Caller,
  ) {}

  /** For a caller, whose handlers allow each run or refuse it. */
  as(caller: Caller | undefined): RunStarter {
    return caller ? new RunStarter(this.services, caller.user, caller) : this
  }

  /** For a user who was allowed to start the run earlier. */
  for(user: User | null): RunStarter {
    return user ? new RunStarter(this.services, user) : this
  }

  /** Validates a request as far as possible without creating its run. Throws 404 and 422. */
  async check(threadId: string | undefined, given: RunCreate): Promise<RunRequest> {
    const { assistants, graphs, webhookRules, threads, states } = this.services
    const body = this.caller ? await this.#authorize(this.caller, threadId, given) : given
    await checkResume(threadId, body, threads, states)
    return readRunRequest(threadId, body, assistants, graphs, webhookRules, this.user)
  }

  async #authorize(caller: Caller, threadId: string | undefined, body: RunCreate): Promise<RunCreate> {
    await this.#checkAssistant(caller, body.assistant_id)
    const { multitask_strategy, if_not_exists, after_seconds, assistant_id } = body
    const value = {
      thread_id: threadId,
      assistant_id,
      status: 'pending',
      metadata: { ...body.metadata },
      prevent_insert_if_inflight: multitask_strategy === 'reject',
      multitask_strategy: multitask_strategy ?? 'enqueue',
      if_not_exists: if_not_exists ?? 'reject',
      after_seconds: after_seconds ?? 0,
      kwargs: body,
    }
    const conditions = await caller.ask('threads:create_run', value)
    if (threadId !== undefined) await checkRecord(this.services.db.query, 'Thread', threadId, conditions)
    return { ...body, metadata: value.metadata }
  }

  /** An assistant that the caller may not read cannot be run either. That of a graph itself belongs to nobody. */
  async #checkAssistant(caller: Caller, idOrGraph: string): Promise<void> {
    const { assistants, db } = this.services
    const { assistant_id, graph_id } = await assistants.get(idOrGraph)
    if (assistant_id === defaultAssistantId(graph_id)) return
    const conditions = await caller.ask('assistants:read', { assistant_id })
    await checkRecord(db.query, 'Assistant', assistant_id, conditions)
  }

  /**
   * Creates a run. Pass `runId` if a reader is already attached; `also` is as in `Runs.create`.
   * @throws 404, 409 and 422
   */
  async create(
    threadId: string | undefined,
    body: RunCreate,
    runId: string = randomUUID(),
    also?: (query: Query) => Promise<void>,
  ): Promise<RunRow> {
    return this.services.runs.create(await this.check(threadId, body), runId, also)
  }

  /** Creates a run whose events can also be read in protocol 2. */
  async createEventStream(threadId: string, body: RunCreate): Promise<RunRow> {
    const request = await this.check(threadId, body)
    return this.services.runs.create({ ...request, plan: { ...request.plan, isEventStream: true } }, randomUUID())
  }

  /** Creates several stateless runs. All are validated before the first one is created. */
  async createBatch(bodies: readonly RunCreate[]): Promise<RunRow[]> {
    const requests = await Promise.all(bodies.map((body) => this.check(undefined, body)))
    const rows: RunRow[] = []
    for (const request of requests) rows.push(await this.services.runs.create(request, randomUUID()))
    return rows
  }

  /** Creates a run and subscribes to it from its first event. */
  async createSubscribed(
    threadId: string | undefined,
    body: RunCreate,
    wanted: Parameters<RunReaders['subscribe']>[1],
  ) {
    const subscription = this.services.readers.subscribe(randomUUID(), wanted)
    try {
      return { subscription, row: await this.create(threadId, body, subscription.log.runId) }
    } catch (error) {
      subscription.release()
      throw error
    }
  }
}
