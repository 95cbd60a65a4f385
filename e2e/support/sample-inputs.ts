import type { ApiTable, Operation } from '@/lib/contracts/wire/api'

const id = '6f1f3c3e-7d1b-4f6e-9d53-0c4f4f9f0001'

/** A valid body for each operation that needs more than an empty object; for tests over whole tables. */
const BODIES: Record<string, unknown> = {
  createDeployment: {
    name: 'demo',
    source: 'github',
    source_config: {
      integration_id: id,
      repo_url: 'https://example.com/a/b',
      deployment_type: 'dev',
      build_on_push: false,
    },
    source_revision_config: { repo_ref: 'main', graph_config_path: 'graph.json' },
    secrets: [],
  },
  updateDeploymentTier: { tier: 'prod' },
  updateDeployment: { source_revision_config: { repo_ref: 'next' } },
  createRevision: { source_revision_config: { repo_ref: 'next' } },
  createListener: { compute_type: 'k8s', compute_id: 'cluster' },
  updateListener: { version: '1' },
  updateRetention: { runs: { max_age_days: 30, max_bytes: null } },
  createAssistant: { graph_id: 'agent' },
  setLatestAssistantVersion: { version: 1 },
  pruneThreads: { thread_ids: [id] },
  patchThreadState: { metadata: {} },
  getThreadStateAtCheckpoint: { checkpoint: {} },
  streamThreadEvents: { channels: ['values'] },
  sendThreadCommand: { id: 1, method: 'state.get' },
  createRun: { assistant_id: 'agent' },
  createRunStream: { assistant_id: 'agent' },
  createRunWait: { assistant_id: 'agent' },
  createThreadCron: { assistant_id: 'agent', schedule: '0 * * * *' },
  createStatelessRun: { assistant_id: 'agent' },
  createStatelessRunStream: { assistant_id: 'agent' },
  createStatelessRunWait: { assistant_id: 'agent' },
  createRunBatch: [{ assistant_id: 'agent' }],
  createCron: { assistant_id: 'agent', schedule: '0 * * * *' },
  putItem: { namespace: ['a'], key: 'k', value: {} },
  deleteItem: { namespace: ['a'], key: 'k' },
  sendA2a: { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: {} },
  sendMcp: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
}
const QUERIES: Record<string, unknown> = {
  deleteDeployments: { deployment_ids: [id] },
  listRevisionLogs: { type: 'build' },
  listDeploymentLogs: { type: 'deploy' },
  searchDeploymentLogs: { deployment_id: id },
  listRepositoryRefs: { repo_url: 'https://example.com/a/b' },
  inspectRepository: { repo_url: 'https://example.com/a/b', repo_ref: 'main', graph_config_path: 'graph.json' },
  getItem: { namespace: 'a', key: 'k' },
  getTraceAttachment: { name: 'picture' },
  getAgentCard: { assistant_id: id },
}

/** The rows of some operation tables, each with its name for a test title. */
export const rowsOf = (...tables: ApiTable[]) =>
  tables.flatMap((table) => Object.values(table).map((op) => [`${op.api}.${op.id}`, op] as const))

/** An input that the operation's schemas accept. `hasBody` comes from the schema half. */
export function sampleInput(op: Operation, hasBody: boolean) {
  const names = [...op.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string) // this group always participates
  return {
    workspace: 'default',
    deploymentId: op.api === 'agent-server' ? id : undefined,
    params: Object.fromEntries(names.map((name) => [name, id])),
    query: QUERIES[op.id],
    body: hasBody ? (BODIES[op.id] ?? {}) : undefined,
  }
}
export const SAMPLE_ID = id

/** A deployment in the API's format, with a secret's value in it. */
export const deploymentRecord = (url: string | null) => ({
  id,
  name: 'demo',
  source: 'github',
  source_config: { custom_url: url },
  source_revision_config: {},
  secrets: [{ name: 'TOKEN', value: 'canary-secret-value' }],
  created_at: '2026-11-21T00:00:00Z',
  updated_at: '2026-11-21T00:00:00Z',
  status: 'READY',
})
