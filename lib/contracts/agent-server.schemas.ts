import { z } from 'zod'
import {
  Assistant,
  AssistantCreate,
  AssistantGraph,
  AssistantPatch,
  AssistantsCount,
  AssistantsSearch,
  AssistantVersionsSearch,
  DeleteAssistantQuery,
  GraphQuery,
  GraphSchema,
  GraphSchemas,
  SetLatestVersion,
  SubgraphsQuery,
} from './agents/assistants'
import { CreatedCron, Cron, CronCreate, CronPatch, CronsCount, CronsSearch, ThreadCronCreate } from './agents/crons'
import { ThreadCommand, ThreadEventsSubscription } from './agents/protocol'
import {
  CancelRunQuery,
  JoinRunQuery,
  JoinStreamQuery,
  ListRunsQuery,
  Run,
  RunBatchCreate,
  RunCreate,
  RunStreamQuery,
  RunsCancel,
  RunsCancelQuery,
  StatelessRunCreate,
  ThreadStreamQuery,
} from './agents/runs'
import {
  GetItemQuery,
  Item,
  ItemDelete,
  ItemPut,
  ItemsPage,
  ItemsSearch,
  NamespacesPage,
  NamespacesSearch,
} from './agents/store'
import { AgentCard, AgentCardQuery, Info, MetricsQuery, Ok, OkQuery, RpcRequest, RpcResponse } from './agents/system'
import {
  StateAtCheckpoint,
  Thread,
  ThreadCreate,
  ThreadHistoryQuery,
  ThreadHistorySearch,
  ThreadPatch,
  ThreadQuery,
  ThreadState,
  ThreadStatePatch,
  ThreadStateQuery,
  ThreadStateUpdate,
  ThreadStateUpdated,
  ThreadsCount,
  ThreadsPrune,
  ThreadsSearch,
} from './agents/threads'
import type { RowSchemas } from './wire/api'
import { JsonObject } from './wire/fields'

const events = z.unknown()
/** A count is a bare number. */
const count = z.int()
/** The run's final state, or `__error__` or `__interrupt__` in its place, also when the graph failed. */
const finalValues = z.unknown()
/** Servers send nothing, null or some document. */
const anything = z.unknown()

/** The schemas of the agent server's operations; keys match the rows in `agent-server.ts`. */
export const agentServerSchemas = {
  createAssistant: { body: AssistantCreate, response: Assistant },
  searchAssistants: { body: AssistantsSearch, response: z.array(Assistant) },
  countAssistants: { body: AssistantsCount, response: count },
  getAssistant: { response: Assistant },
  updateAssistant: { body: AssistantPatch, response: Assistant },
  deleteAssistant: { query: DeleteAssistantQuery, response: anything },
  getAssistantGraph: { query: GraphQuery, response: AssistantGraph },
  listAssistantSubgraphs: { query: SubgraphsQuery, response: GraphSchemas },
  getAssistantSubgraph: { query: SubgraphsQuery, response: GraphSchemas },
  getAssistantSchemas: { response: GraphSchema },
  listAssistantVersions: { body: AssistantVersionsSearch, response: z.array(Assistant) },
  setLatestAssistantVersion: { body: SetLatestVersion, response: Assistant },

  createThread: { body: ThreadCreate, response: Thread },
  searchThreads: { body: ThreadsSearch, response: z.array(Thread) },
  countThreads: { body: ThreadsCount, response: count },
  pruneThreads: { body: ThreadsPrune, response: z.object({ pruned_count: z.int() }) },
  getThread: { query: ThreadQuery, response: Thread },
  updateThread: { body: ThreadPatch, response: Thread },
  deleteThread: { response: anything },
  copyThread: { response: Thread },
  getThreadState: { query: ThreadStateQuery, response: ThreadState },
  updateThreadState: { body: ThreadStateUpdate, response: ThreadStateUpdated },
  patchThreadState: { body: ThreadStatePatch, response: anything },
  getThreadStateAt: { query: ThreadStateQuery, response: ThreadState },
  getThreadStateAtCheckpoint: { body: StateAtCheckpoint, response: ThreadState },
  listThreadHistory: { query: ThreadHistoryQuery, response: z.array(ThreadState) },
  searchThreadHistory: { body: ThreadHistorySearch, response: z.array(ThreadState) },
  streamThread: { query: ThreadStreamQuery, response: events },
  streamThreadEvents: { body: ThreadEventsSubscription, response: events },
  sendThreadCommand: { body: ThreadCommand, response: anything },

  listRuns: { query: ListRunsQuery, response: z.array(Run) },
  createRun: { body: RunCreate, response: Run },
  createRunStream: { query: RunStreamQuery, body: RunCreate, response: events },
  createRunWait: { body: RunCreate, response: finalValues },
  getRun: { response: Run },
  deleteRun: { response: anything },
  joinRun: { query: JoinRunQuery, response: finalValues },
  streamRun: { query: JoinStreamQuery, response: events },
  cancelRun: { query: CancelRunQuery, response: anything },
  createThreadCron: { body: ThreadCronCreate, response: CreatedCron },

  createStatelessRun: { body: StatelessRunCreate, response: Run },
  createStatelessRunStream: { query: RunStreamQuery, body: StatelessRunCreate, response: events },
  createStatelessRunWait: { body: StatelessRunCreate, response: finalValues },
  createRunBatch: { body: RunBatchCreate, response: z.array(Run) },
  cancelRuns: { query: RunsCancelQuery, body: RunsCancel, response: anything },
  streamStatelessRun: { query: JoinStreamQuery, response: events },

  createCron: { body: CronCreate, response: CreatedCron },
  searchCrons: { body: CronsSearch, response: z.array(Cron) },
  countCrons: { body: CronsCount, response: count },
  getCron: { response: Cron },
  updateCron: { body: CronPatch, response: Cron },
  deleteCron: { response: anything },

  putItem: { body: ItemPut, response: z.undefined() },
  // A missing item is null, an empty response or a 404, depending on the server.
  getItem: { query: GetItemQuery, response: Item.nullish() },
  deleteItem: { body: ItemDelete, response: z.undefined() },
  searchItems: { body: ItemsSearch, response: ItemsPage },
  listNamespaces: { body: NamespacesSearch, response: NamespacesPage },

  // `message/stream` sends events instead.
  sendA2a: { body: RpcRequest, response: RpcResponse },
  getAgentCard: { query: AgentCardQuery, response: AgentCard },
  // The same card at the address where clients look that only know the agent's host.
  getAssistantCard: { response: AgentCard },
  // The response to a notification is empty.
  sendMcp: { body: RpcRequest, response: RpcResponse.nullish() },

  getOk: { query: OkQuery, response: Ok },
  getInfo: { response: Info },
  getMetrics: { query: MetricsQuery, response: z.string() },
  getDocs: { response: z.string() },
  getOpenapi: { response: JsonObject },
} satisfies Record<string, RowSchemas>
