import type { agentServerSchemas } from './agent-server.schemas'
import { defineApi, type Operation } from './wire/api'

/** The operations of one deployment's agent server. POST rows that only search or count are reads. */
export const agentServer = defineApi<typeof agentServerSchemas>()('agent-server', {
  createAssistant: { method: 'POST', path: '/assistants', role: 'developer', effect: 'write' },
  searchAssistants: { method: 'POST', path: '/assistants/search', role: 'viewer', effect: 'read' },
  countAssistants: { method: 'POST', path: '/assistants/count', role: 'viewer', effect: 'read' },
  getAssistant: { method: 'GET', path: '/assistants/{assistant_id}', role: 'viewer', effect: 'read' },
  updateAssistant: { method: 'PATCH', path: '/assistants/{assistant_id}', role: 'developer', effect: 'write' },
  deleteAssistant: { method: 'DELETE', path: '/assistants/{assistant_id}', role: 'developer', effect: 'write' },
  getAssistantGraph: { method: 'GET', path: '/assistants/{assistant_id}/graph', role: 'viewer', effect: 'read' },
  listAssistantSubgraphs: {
    method: 'GET',
    path: '/assistants/{assistant_id}/subgraphs',
    role: 'viewer',
    effect: 'read',
  },
  getAssistantSubgraph: {
    method: 'GET',
    path: '/assistants/{assistant_id}/subgraphs/{namespace}',
    role: 'viewer',
    effect: 'read',
  },
  getAssistantSchemas: { method: 'GET', path: '/assistants/{assistant_id}/schemas', role: 'viewer', effect: 'read' },
  listAssistantVersions: {
    method: 'POST',
    path: '/assistants/{assistant_id}/versions',
    role: 'viewer',
    effect: 'read',
  },
  setLatestAssistantVersion: {
    method: 'POST',
    path: '/assistants/{assistant_id}/latest',
    role: 'developer',
    effect: 'write',
  },

  createThread: { method: 'POST', path: '/threads', role: 'developer', effect: 'write' },
  searchThreads: { method: 'POST', path: '/threads/search', role: 'viewer', effect: 'read' },
  countThreads: { method: 'POST', path: '/threads/count', role: 'viewer', effect: 'read' },
  pruneThreads: { method: 'POST', path: '/threads/prune', role: 'developer', effect: 'write' },
  getThread: { method: 'GET', path: '/threads/{thread_id}', role: 'viewer', effect: 'read' },
  updateThread: { method: 'PATCH', path: '/threads/{thread_id}', role: 'developer', effect: 'write' },
  deleteThread: { method: 'DELETE', path: '/threads/{thread_id}', role: 'developer', effect: 'write' },
  copyThread: { method: 'POST', path: '/threads/{thread_id}/copy', role: 'developer', effect: 'write' },
  getThreadState: { method: 'GET', path: '/threads/{thread_id}/state', role: 'viewer', effect: 'read' },
  updateThreadState: { method: 'POST', path: '/threads/{thread_id}/state', role: 'developer', effect: 'write' },
  patchThreadState: { method: 'PATCH', path: '/threads/{thread_id}/state', role: 'developer', effect: 'write' },
  getThreadStateAt: {
    method: 'GET',
    path: '/threads/{thread_id}/state/{checkpoint_id}',
    role: 'viewer',
    effect: 'read',
  },
  getThreadStateAtCheckpoint: {
    method: 'POST',
    path: '/threads/{thread_id}/state/checkpoint',
    role: 'viewer',
    effect: 'read',
  },
  listThreadHistory: { method: 'GET', path: '/threads/{thread_id}/history', role: 'viewer', effect: 'read' },
  searchThreadHistory: { method: 'POST', path: '/threads/{thread_id}/history', role: 'viewer', effect: 'read' },
  streamThread: {
    method: 'GET',
    path: '/threads/{thread_id}/stream',
    role: 'viewer',
    effect: 'read',
    response: 'stream',
  },
  streamThreadEvents: {
    method: 'POST',
    path: '/threads/{thread_id}/stream/events',
    role: 'viewer',
    effect: 'read',
    response: 'stream',
  },
  sendThreadCommand: { method: 'POST', path: '/threads/{thread_id}/commands', role: 'developer', effect: 'write' },

  listRuns: { method: 'GET', path: '/threads/{thread_id}/runs', role: 'viewer', effect: 'read' },
  createRun: { method: 'POST', path: '/threads/{thread_id}/runs', role: 'developer', effect: 'write' },
  createRunStream: {
    method: 'POST',
    path: '/threads/{thread_id}/runs/stream',
    role: 'developer',
    effect: 'write',
    response: 'stream',
  },
  createRunWait: { method: 'POST', path: '/threads/{thread_id}/runs/wait', role: 'developer', effect: 'write' },
  getRun: { method: 'GET', path: '/threads/{thread_id}/runs/{run_id}', role: 'viewer', effect: 'read' },
  deleteRun: { method: 'DELETE', path: '/threads/{thread_id}/runs/{run_id}', role: 'developer', effect: 'write' },
  joinRun: { method: 'GET', path: '/threads/{thread_id}/runs/{run_id}/join', role: 'viewer', effect: 'read' },
  streamRun: {
    method: 'GET',
    path: '/threads/{thread_id}/runs/{run_id}/stream',
    role: 'viewer',
    effect: 'read',
    response: 'stream',
  },
  cancelRun: { method: 'POST', path: '/threads/{thread_id}/runs/{run_id}/cancel', role: 'developer', effect: 'write' },
  createThreadCron: { method: 'POST', path: '/threads/{thread_id}/runs/crons', role: 'developer', effect: 'write' },

  createStatelessRun: { method: 'POST', path: '/runs', role: 'developer', effect: 'write' },
  createStatelessRunStream: {
    method: 'POST',
    path: '/runs/stream',
    role: 'developer',
    effect: 'write',
    response: 'stream',
  },
  createStatelessRunWait: { method: 'POST', path: '/runs/wait', role: 'developer', effect: 'write' },
  createRunBatch: { method: 'POST', path: '/runs/batch', role: 'developer', effect: 'write' },
  cancelRuns: { method: 'POST', path: '/runs/cancel', role: 'developer', effect: 'write' },
  streamStatelessRun: {
    method: 'GET',
    path: '/runs/{run_id}/stream',
    role: 'viewer',
    effect: 'read',
    response: 'stream',
  },

  createCron: { method: 'POST', path: '/runs/crons', role: 'developer', effect: 'write' },
  searchCrons: { method: 'POST', path: '/runs/crons/search', role: 'viewer', effect: 'read' },
  countCrons: { method: 'POST', path: '/runs/crons/count', role: 'viewer', effect: 'read' },
  getCron: { method: 'GET', path: '/runs/crons/{cron_id}', role: 'viewer', effect: 'read' },
  updateCron: { method: 'PATCH', path: '/runs/crons/{cron_id}', role: 'developer', effect: 'write' },
  deleteCron: { method: 'DELETE', path: '/runs/crons/{cron_id}', role: 'developer', effect: 'write' },

  putItem: { method: 'PUT', path: '/store/items', role: 'developer', effect: 'write', response: 'none' },
  getItem: { method: 'GET', path: '/store/items', role: 'viewer', effect: 'read' },
  deleteItem: { method: 'DELETE', path: '/store/items', role: 'developer', effect: 'write', response: 'none' },
  searchItems: { method: 'POST', path: '/store/items/search', role: 'viewer', effect: 'read' },
  listNamespaces: { method: 'POST', path: '/store/namespaces', role: 'viewer', effect: 'read' },

  sendA2a: { method: 'POST', path: '/a2a/{assistant_id}', role: 'developer', effect: 'write' },
  getAgentCard: { method: 'GET', path: '/.well-known/agent-card.json', role: 'viewer', effect: 'read' },
  getAssistantCard: {
    method: 'GET',
    path: '/a2a/{assistant_id}/.well-known/agent-card.json',
    role: 'viewer',
    effect: 'read',
  },
  sendMcp: { method: 'POST', path: '/mcp/', role: 'developer', effect: 'write' },

  getOk: { method: 'GET', path: '/ok', role: 'viewer', effect: 'read' },
  getInfo: { method: 'GET', path: '/info', role: 'viewer', effect: 'read' },
  getMetrics: { method: 'GET', path: '/metrics', role: 'viewer', effect: 'read', response: 'text' },
  getDocs: { method: 'GET', path: '/docs', role: 'viewer', effect: 'read', response: 'text' },
  getOpenapi: { method: 'GET', path: '/openapi.json', role: 'viewer', effect: 'read' },
})

/**
 * Operations whose response has a graph's state under `values`, among other things. The browser gets that part
 * unchanged.
 */
export const VALUES_ANSWERS: ReadonlySet<string> = new Set([
  'getThreadState',
  'getThreadStateAt',
  'getThreadStateAtCheckpoint',
])

/**
 * Operations whose whole response is a graph's final state. It belongs to the user, so it is neither renamed nor
 * redacted.
 */
export const STATE_ANSWERS: ReadonlySet<string> = new Set(['createRunWait', 'createStatelessRunWait', 'joinRun'])

/** A JSON-RPC operation restricted to methods that only read, so viewers may send them. */
export const asRead = <Op extends Operation>(op: Op): Op => ({ ...op, role: 'viewer', effect: 'read' })
