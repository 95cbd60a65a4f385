import { splitNamespace } from '@/lib/contracts/agents/store'
import type { AuthEvent, Caller } from '../auth/caller'
import type { Conditions } from '../kernel/conditions'
import { HttpError } from '../kernel/errors'
import type { Query } from '../persistence/db'
import { checkItem, checkRecord } from '../persistence/record-access'
import type { OperationId } from './handler-types'

type Json = Record<string, unknown>
type Asked = {
  params: Record<string, string>
  query: Json
  body: Json
  caller: Caller
  db: Query
  /** The id under which an assistant is stored, which requests may name by its graph. */
  idOf(assistant: string): string
}
/** Asks the caller's handlers, refuses what they hide, and returns the conditions for lists. */
type Rule = (asked: Asked) => Promise<Conditions>
/** `public`: answered without authentication. `run`: the run's starter asks. */
type Access = Rule | 'public' | 'run' | 'any'

/** What each operation asks of the deployment's auth handlers, as on other servers. */
const ACCESS: Record<OperationId, Access> = {
  createAssistant: creates('assistants'),
  searchAssistants: lists('assistants'),
  countAssistants: lists('assistants'),
  getAssistant: assistant('read'),
  updateAssistant: assistant('update'),
  deleteAssistant: assistant('delete'),
  getAssistantGraph: assistant('read'),
  listAssistantSubgraphs: assistant('read'),
  getAssistantSubgraph: assistant('read'),
  getAssistantSchemas: assistant('read'),
  listAssistantVersions: assistant('read'),
  setLatestAssistantVersion: assistant('update'),

  createThread: creates('threads'),
  searchThreads: lists('threads'),
  countThreads: lists('threads'),
  pruneThreads: ({ caller, body }) =>
    caller.ask(body.strategy === 'keep_latest' ? 'threads:update' : 'threads:delete', {}),
  getThread: thread('read'),
  updateThread: thread('update'),
  deleteThread: thread('delete'),
  async copyThread(asked) {
    await thread('read')(asked)
    return thread('create')(asked)
  },
  getThreadState: thread('read'),
  updateThreadState: thread('update'),
  patchThreadState: thread('update'),
  getThreadStateAt: thread('read'),
  getThreadStateAtCheckpoint: thread('read'),
  listThreadHistory: thread('read'),
  searchThreadHistory: thread('read'),
  streamThread: thread('read'),
  streamThreadEvents: thread('read'),
  // Commands that start a run are asked for again by the starter.
  sendThreadCommand: thread('read'),

  listRuns: thread('read'),
  createRun: 'run',
  createRunStream: 'run',
  createRunWait: 'run',
  getRun: thread('read'),
  deleteRun: thread('delete'),
  joinRun: thread('read'),
  streamRun: thread('read'),
  cancelRun: thread('update'),
  createThreadCron: creates('crons'),
  createStatelessRun: 'run',
  createStatelessRunStream: 'run',
  createStatelessRunWait: 'run',
  createRunBatch: 'run',
  cancelRuns: ({ caller, body }) => caller.ask('threads:update', { thread_id: body.thread_id, action: 'interrupt' }),
  async streamStatelessRun({ params, caller, db }) {
    const only = await caller.ask('threads:read', {})
    const [run] = await db<{ thread_id: string }>('select thread_id from runs where run_id = $1', [
      params.run_id?.toLowerCase(),
    ])
    // The thread of a run that is gone tells no longer whose it was.
    if (only && !run) throw new HttpError(404, `Run ${params.run_id} not found.`)
    if (run) await checkRecord(db, 'Thread', run.thread_id, only)
    return only
  },

  createCron: creates('crons'),
  searchCrons: lists('crons'),
  countCrons: lists('crons'),
  getCron: cron('read'),
  updateCron: cron('update'),
  deleteCron: cron('delete'),

  putItem: item('put'),
  getItem: item('get'),
  deleteItem: item('delete'),
  async searchItems({ caller, body }) {
    const { namespace_prefix: namespace, filter, limit, offset, query } = body
    const value: Json = { namespace: namespace ?? [], filter, limit, offset, query }
    const only = await caller.ask('store:search', value)
    body.namespace_prefix = value.namespace
    return only
  },
  async listNamespaces({ caller, body }) {
    const { prefix: namespace, suffix, max_depth, limit, offset } = body
    const value: Json = { namespace: namespace ?? [], suffix, max_depth, limit, offset }
    const only = await caller.ask('store:list_namespaces', value)
    body.prefix = value.namespace
    return only
  },

  sendA2a: 'any',
  sendMcp: 'any',
  getAgentCard: 'any',
  getAssistantCard: assistant('read'),
  getOk: 'public',
  getInfo: 'public',
  getMetrics: 'any',
  getDocs: 'any',
  getOpenapi: 'any',
}

export const isPublic = (id: OperationId): boolean => ACCESS[id] === 'public'

/** Throws the refusal of the caller's handlers. May change the request as they say. */
export async function authorize(id: OperationId, asked: Asked): Promise<Conditions> {
  const rule = ACCESS[id]
  return typeof rule === 'function' ? rule(asked) : undefined
}

function creates(resource: 'assistants' | 'threads' | 'crons'): Rule {
  return async ({ caller, body, params, db }) => {
    const value: Json = { ...params, ...body, metadata: { ...(body.metadata as Json | null | undefined) } }
    const only = await caller.ask(`${resource}:create`, value)
    body.metadata = value.metadata
    if (resource === 'crons' && params.thread_id) await checkRecord(db, 'Thread', params.thread_id, only)
    if (resource === 'assistants' && body.if_exists === 'do_nothing' && typeof body.assistant_id === 'string')
      await checkRecord(db, 'Assistant', body.assistant_id, only)
    return only
  }
}

function lists(resource: 'assistants' | 'threads' | 'crons'): Rule {
  return ({ caller, body }) => caller.ask(`${resource}:search`, { ...body })
}

function record(
  what: 'Thread' | 'Assistant' | 'Cron',
  name: string,
  event: AuthEvent,
  isChange: boolean,
): (asked: Asked) => Promise<Conditions> {
  return async ({ params, body, caller, db, idOf }) => {
    const given = params[name] as string
    const id = what === 'Assistant' ? idOf(given) : given
    const value: Json = { ...(isChange && body), ...params, [name]: id }
    if (isChange && body?.metadata) value.metadata = { ...(body.metadata as Json) }
    const only = await caller.ask(event, value)
    if (isChange && body && value.metadata) body.metadata = value.metadata
    await checkRecord(db, what, id, only)
    return only
  }
}

function thread(action: 'create' | 'read' | 'update' | 'delete') {
  return record('Thread', 'thread_id', `threads:${action}`, action === 'update')
}
function assistant(action: 'read' | 'update' | 'delete') {
  return record('Assistant', 'assistant_id', `assistants:${action}`, action === 'update')
}
function cron(action: 'read' | 'update' | 'delete') {
  return record('Cron', 'cron_id', `crons:${action}`, action === 'update')
}

function item(action: 'put' | 'get' | 'delete'): Rule {
  return async ({ query, body, caller, db }) => {
    const given = action === 'get' ? query : body
    const { namespace } = given
    const value: Json = {
      ...given,
      namespace: typeof namespace === 'string' ? splitNamespace(namespace) : (namespace ?? []),
    }
    const only = await caller.ask(`store:${action}`, value)
    const place = value.namespace as string[]
    Object.assign(given, value, typeof namespace === 'string' && { namespace: place.join('.') })
    await checkItem(db, place, String(value.key), only, action === 'put' ? value : undefined)
    return only
  }
}
