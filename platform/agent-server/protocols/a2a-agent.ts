import { randomUUID } from 'node:crypto'
import type {
  ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk'
import type { A2ARequestHandler } from '@a2a-js/sdk/server'
import type { RunCreate } from '@/lib/contracts/agents/runs'
import { isUuid } from '@/lib/json/guards'
import type { AssistantRow } from '../assistants/assistants'
import { HttpError, stackOf } from '../kernel/errors'
import { batches } from '../kernel/listing'
import type { Entry } from '../runs/events'
import type { RunReaders, RunSubscription } from '../runs/run-readers'
import { isInProgress, type RunRow, TASK_KEY } from '../runs/run-record'
import type { RunStarter } from '../runs/run-starter'
import type { RunStopper } from '../runs/run-stopper'
import type { Runs } from '../runs/runs'
import { textOf } from '../threads/message-text'
import { artifact, partOf, readParts } from './a2a-parts'
import type { A2aPush, A2aVersion } from './a2a-push'
import {
  type A2aTasks,
  CONTEXT_KEY,
  contextOf,
  type FoundTask,
  TASK_STATES,
  type TaskPosition,
  threadOf,
} from './a2a-tasks'
import { sentenceOf } from './rpc'

export type A2aServices = {
  tasks: A2aTasks
  starter: RunStarter
  stopper: RunStopper
  readers: RunReaders
  runs: Runs
  push: A2aPush
  /** The fields of a graph's input; undefined if unknown. */
  inputFields(graphId: string): Promise<readonly string[] | undefined>
  logError(line: string): void
}
export type A2aErrors = typeof import('@a2a-js/sdk/errors')

type Started = { taskId: string; row: RunRow; subscription: RunSubscription }
type PushPlace = { taskId: string; id: string }
type Events = AsyncGenerator<StreamResponse, void, undefined>

const MAX_TASKS = 100
/** ISO 8601; JavaScript reads much else as a time, even "-1". */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d/
/** Includes the two that a task never has here: rejected and auth required. */
const STATES = [...Object.values(TASK_STATES), 7, 8]
/** How many tasks of a list have their state read at once. */
const CONCURRENCY = 4

/**
 * Exposes an assistant to other agents for one request: a context is a thread, and a task is a run (or several, each
 * resuming the previous one). Handles both protocol versions; the SDK translates the older one.
 */
export class A2aAgent
  implements Pick<A2ARequestHandler, 'sendMessage' | 'sendMessageStream' | 'getTask' | 'listTasks' | 'cancelTask'>
{
  constructor(
    private readonly services: A2aServices,
    private readonly assistant: AssistantRow,
    private readonly errors: A2aErrors,
    /** Aborted when the caller disconnects; the task continues. */
    private readonly signal: AbortSignal,
    private readonly version: A2aVersion,
  ) {}

  /** Refuses the protocol features that this server lacks with the protocol's own errors. */
  asHandler(): A2ARequestHandler {
    const { errors } = this
    const refuse = (make: () => Error) => async (): Promise<never> => {
      throw make()
    }
    const { isOn } = this.services.push
    return {
      // Tells the SDK the agent's capabilities; never sent to a client.
      getAgentCard: async () =>
        ({ capabilities: { streaming: true, pushNotifications: isOn } }) as Awaited<
          ReturnType<A2ARequestHandler['getAgentCard']>
        >,
      getAuthenticatedExtendedAgentCard: refuse(() => new errors.ExtendedAgentCardNotConfiguredError()),
      sendMessage: (params) => this.#guard(() => this.sendMessage(params)),
      sendMessageStream: (params) => this.#guardAll(this.sendMessageStream(params)),
      getTask: (params) => this.#guard(() => this.getTask(params)),
      cancelTask: (params) => this.#guard(() => this.cancelTask(params)),
      resubscribe: (params) => this.#guardAll(this.resubscribe(params)),
      listTasks: (params) => this.#guard(() => this.listTasks(params)),
      createTaskPushNotificationConfig: (params) => this.#guard(() => this.createPushConfig(params)),
      getTaskPushNotificationConfig: (params) => this.#guard(() => this.getPushConfig(params)),
      listTaskPushNotificationConfigs: (params) => this.#guard(() => this.listPushConfigs(params)),
      deleteTaskPushNotificationConfig: (params) => this.#guard(() => this.deletePushConfig(params)),
    }
  }

  async sendMessage({ message, configuration }: SendMessageRequest): Promise<Task> {
    const { taskId, row, subscription } = await this.#start(message, [], configuration?.taskPushNotificationConfig)
    if (configuration?.returnImmediately) subscription.release()
    else await drain(this.services.readers.read(row, { signal: this.signal }, subscription))
    return this.services.tasks.read(await this.#find(taskId), configuration?.historyLength)
  }

  async *sendMessageStream({ message, configuration }: SendMessageRequest): Events {
    const pushTo = configuration?.taskPushNotificationConfig
    const { taskId, row, subscription } = await this.#start(message, ['messages-tuple'], pushTo)
    const place = { taskId, contextId: contextOf(row) }
    const status = { state: TASK_STATES.submitted, message: undefined, timestamp: row.created_at.toISOString() }
    const given = message && configuration?.historyLength !== 0 ? [{ ...message, ...place }] : []
    const task = { id: taskId, contextId: place.contextId, status, artifacts: [], history: given, metadata: undefined }
    yield { payload: { $case: 'task', value: task } }
    yield* this.#follow(row, taskId, subscription)
  }

  async getTask({ id, historyLength }: { id: string; historyLength?: number }): Promise<Task> {
    return this.services.tasks.read(await this.#find(id), historyLength)
  }

  async listTasks(asked: ListTasksRequest): Promise<ListTasksResponse> {
    const { pageSize = 50, pageToken, contextId, status, historyLength } = asked
    if (pageSize < 1 || pageSize > MAX_TASKS) throw this.#malformed(`A page has 1 to ${MAX_TASKS} tasks.`)
    if (status && !(STATES as readonly number[]).includes(status)) throw this.#malformed('The status is unknown.')
    if ((historyLength ?? 0) < 0) throw this.#malformed('historyLength cannot be negative.')
    const since = asked.statusTimestampAfter || undefined
    if (since && (!TIME.test(since) || Number.isNaN(Date.parse(since))))
      throw this.#malformed('statusTimestampAfter is not a time.')
    const { tasks, total, next } = await this.services.tasks.list(this.assistant.assistant_id, {
      contextId: contextId || undefined,
      state: status || undefined,
      since,
      after: pageToken ? this.#readToken(pageToken) : undefined,
      limit: pageSize,
    })
    const read: Task[] = []
    for (const some of batches(tasks, CONCURRENCY))
      read.push(...(await Promise.all(some.map((task) => this.services.tasks.read(task, historyLength)))))
    if (!asked.includeArtifacts) for (const task of read) task.artifacts = []
    const nextPageToken = next ? Buffer.from(JSON.stringify(next)).toString('base64url') : ''
    return { tasks: read, nextPageToken, pageSize: read.length, totalSize: total }
  }

  #readToken(token: string): TaskPosition {
    try {
      const { changed, id } = JSON.parse(Buffer.from(token, 'base64url').toString()) as TaskPosition
      if (!Number.isNaN(Date.parse(changed)) && typeof id === 'string') return { changed, id }
    } catch {
      // Refused below.
    }
    throw this.#malformed('The pageToken does not belong to this list.')
  }

  async cancelTask({ id }: { id: string }): Promise<Task> {
    const { tasks, runs, stopper, push } = this.services
    const found = await this.#find(id)
    if (isInProgress(found.run.status) && (await runs.cancel(found.run.run_id, 'interrupt')))
      await stopper.waitForEnd(found.run, this.signal)
    else if (found.state === TASK_STATES.inputRequired) {
      await tasks.dismiss(found)
      await push.notify(found.id, found.run.run_id)
    } else throw new this.errors.TaskNotCancelableError({ message: `Task ${id} has already ended.` })
    return tasks.read(await this.#find(id))
  }

  async createPushConfig(config: TaskPushNotificationConfig): Promise<TaskPushNotificationConfig> {
    const { push } = this.services
    const { id, run } = await this.#pushed(config.taskId)
    push.check(config)
    return push.save(id, config, this.version, { threadId: run.thread_id })
  }

  async getPushConfig({ taskId, id }: PushPlace): Promise<TaskPushNotificationConfig> {
    const task = await this.#pushed(taskId)
    const all = await this.services.push.list(task.id)
    const found = id ? all.find((one) => one.id === id) : all[0]
    if (found) return found
    const message = `Task ${taskId} has no push notification configuration${id ? ` ${id}` : ''}.`
    throw new this.errors.TaskNotFoundError({ message })
  }

  async listPushConfigs({ taskId }: Pick<PushPlace, 'taskId'>) {
    const { id } = await this.#pushed(taskId)
    return { configs: await this.services.push.list(id), nextPageToken: '' }
  }

  async deletePushConfig({ taskId, id }: PushPlace): Promise<void> {
    const task = await this.#pushed(taskId)
    await this.services.push.remove(task.id, id)
  }

  /** The task whose push notifications are meant. */
  async #pushed(taskId: string): Promise<FoundTask> {
    if (!this.services.push.isOn) throw new this.errors.PushNotificationNotSupportedError()
    return this.#find(taskId)
  }

  async *resubscribe({ id }: { id: string }): Events {
    const found = await this.#find(id)
    if (!isInProgress(found.run.status))
      throw new this.errors.UnsupportedOperationError({ message: `Task ${id} is not in progress.` })
    yield { payload: { $case: 'task', value: await this.services.tasks.read(found) } }
    yield* this.#follow(found.run, found.id)
  }

  async #find(taskId: string): Promise<FoundTask> {
    const found = await this.services.tasks.find(taskId, this.assistant.assistant_id)
    if (!found) throw new this.errors.TaskNotFoundError({ message: `Task ${taskId} not found.` })
    return found
  }

  async #start(
    message: Message | undefined,
    modes: string[],
    pushTo: TaskPushNotificationConfig | undefined,
  ): Promise<Started> {
    const { push } = this.services
    if (pushTo && !push.isOn) throw new this.errors.PushNotificationNotSupportedError()
    // Before the run starts, because a refused request must have no effect.
    if (pushTo) push.check(pushTo)
    const started = await this.#startRun(message, modes)
    const { taskId, row } = started
    if (pushTo) await push.save(taskId, pushTo, this.version, { threadId: row.thread_id, begun: row.run_id })
    return started
  }

  async #startRun(message: Message | undefined, modes: string[]): Promise<Started> {
    if (!message?.parts.length) throw this.#malformed('The message has no parts.')
    const { text, data, isOther } = readParts(message)
    if (isOther)
      throw new this.errors.ContentTypeNotSupportedError({
        message: 'This agent accepts only text and data parts.',
      })
    const more: Partial<RunCreate> = { stream_mode: modes.length ? 'messages-tuple' : 'updates' }
    if (message.taskId) {
      const found = await this.#find(message.taskId)
      const { run, state, id } = found
      if (message.contextId && threadOf(message.contextId) !== run.thread_id)
        throw this.#malformed(`Task ${id} belongs to another context.`)
      if (state !== TASK_STATES.inputRequired)
        throw new this.errors.UnsupportedOperationError({ message: `Task ${id} is not waiting for a message.` })
      const resume = data ? { ...data, ...(text && { text }) } : text
      const metadata = { ...(CONTEXT_KEY in run.metadata && { [CONTEXT_KEY]: contextOf(run) }), [TASK_KEY]: id }
      return this.#create(run.thread_id, { ...more, command: { resume }, metadata }, modes, id)
    }
    const contextId = message.contextId || randomUUID()
    const input = { ...data, ...(text && { messages: [await this.#humanMessage(text, message.messageId)] }) }
    const metadata = isUuid(contextId) ? undefined : { [CONTEXT_KEY]: contextId }
    return this.#create(threadOf(contextId), { ...more, input, metadata, if_not_exists: 'create' }, modes)
  }

  async #create(threadId: string, body: Partial<RunCreate>, modes: string[], taskId?: string): Promise<Started> {
    const { assistant_id } = this.assistant
    const run = { ...body, assistant_id, ...(taskId && { multitask_strategy: 'reject' as const }) }
    const { subscription, row } = await this.services.starter.createSubscribed(threadId, run, { modes })
    return { taskId: taskId ?? row.run_id, row, subscription }
  }

  async #humanMessage(content: string, id: string) {
    const { graph_id } = this.assistant
    const fields = await this.services.inputFields(graph_id)
    if (fields && !fields.includes('messages'))
      throw new this.errors.ContentTypeNotSupportedError({
        message: `This agent has no conversation. Send a data part with the fields of its input: ${fields.join(', ')}.`,
      })
    return { role: 'user', content, ...(id && { id }) }
  }

  async *#follow(row: RunRow, taskId: string, subscription?: RunSubscription): Events {
    const { readers, tasks } = this.services
    const place = { taskId, contextId: contextOf(row), metadata: undefined }
    let messageId: unknown
    for await (const entries of readers.read(row, { signal: this.signal, modes: ['messages-tuple'] }, subscription))
      for (const entry of entries) {
        if (entry.event === 'metadata') {
          const status = { state: TASK_STATES.working, message: undefined, timestamp: new Date().toISOString() }
          yield { payload: { $case: 'statusUpdate', value: { ...place, status } } }
        }
        const said = readChunk(entry)
        if (!said) continue
        // The last of several messages is the answer, so each new one replaces the previous one.
        const append = messageId === said.id
        messageId = said.id
        const value = { ...place, artifact: artifact(taskId, [partOf(said.text)]), append, lastChunk: false }
        yield { payload: { $case: 'artifactUpdate', value } }
      }
    if (this.signal.aborted) return
    const { artifacts, status } = await tasks.read(await this.#find(taskId), 0)
    for (const one of artifacts)
      yield { payload: { $case: 'artifactUpdate', value: { ...place, artifact: one, append: false, lastChunk: true } } }
    yield { payload: { $case: 'statusUpdate', value: { ...place, status } } }
  }

  #malformed(message: string): Error {
    return new this.errors.RequestMalformedError({ message })
  }

  async #guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw this.#explain(error)
    }
  }

  async *#guardAll(events: Events): Events {
    try {
      yield* events
    } catch (error) {
      throw this.#explain(error)
    }
  }

  /** The protocol's error; details of unexpected ones are only logged for the operator. */
  #explain(error: unknown): Error {
    if (error instanceof this.errors.A2AError) return error
    if (error instanceof HttpError) return this.#malformed(sentenceOf(error.detail))
    this.services.logError(`A request by A2A failed: ${stackOf(error)}`)
    return new Error('Internal error')
  }
}

async function drain(entries: AsyncGenerator<Entry[], undefined>): Promise<void> {
  for await (const _ of entries);
}

/** The agent's text in an event of the mode messages-tuple. */
function readChunk({ event, data }: Entry): { id: unknown; text: string } | undefined {
  if (event.split('|', 1)[0] !== 'messages') return undefined
  const [message] = JSON.parse(data) as [{ id?: unknown; type?: string; content?: unknown }]
  const text = message.type?.startsWith('ai') || message.type?.startsWith('AI') ? textOf(message.content) : ''
  return text === '' ? undefined : { id: message.id, text }
}
