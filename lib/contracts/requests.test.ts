import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { agentServerSchemas as agent } from './agent-server.schemas'
import { controlPlaneSchemas as plane } from './control-plane.schemas'
import { tracesSchemas as traces } from './traces.schemas'

// A full example of each request: every field is kept, and only the required ones must be there.

type Row = readonly [name: string, schema: z.ZodType, full: Record<string, unknown>, required: readonly string[]]
const json = { a: [1, null] }
const at = '2026-01-01T00:00:00Z'
const UUID = '0190a000-0000-7000-8000-000000000001'
const checkpoint = { thread_id: 't', checkpoint_ns: '', checkpoint_id: 'c', checkpoint_map: json }
const isValid = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success
const without = (record: object, key: string) =>
  Object.fromEntries(Object.entries(record).filter(([one]) => one !== key))

const search = { limit: 1, offset: 0, sort_order: 'asc', select: ['a'] }

describe('a request', () => {
  test.each<Row>([
    [
      'of a listener',
      plane.createListener.body,
      { compute_type: 'k8s', compute_id: 'cc', compute_config: { k8s_namespaces: ['aa'] }, version: '1' },
      ['compute_type', 'compute_id'],
    ],
    [
      'that changes a listener',
      plane.updateListener.body,
      { compute_config: { k8s_namespaces: ['aa'] }, version: '1' },
      [],
    ],
    [
      'that changes retention',
      plane.updateRetention.body,
      {
        traces: { max_age_days: 14, max_bytes: 1_000_000 },
        runs: { max_age_days: null, max_bytes: null },
      },
      [],
    ],
    [
      'of an assistant',
      agent.createAssistant.body,
      {
        graph_id: 'gg',
        assistant_id: UUID,
        config: json,
        context: json,
        metadata: json,
        if_exists: 'raise',
        name: 'n',
        description: 'd',
      },
      ['graph_id'],
    ],
    [
      'that changes an assistant',
      agent.updateAssistant.body,
      { graph_id: 'gg', config: json, context: json, metadata: json, name: 'n', description: 'd' },
      [],
    ],
    [
      'for assistants',
      agent.searchAssistants.body,
      { metadata: json, graph_id: 'g', name: 'n', sort_by: 'name', ...search },
      [],
    ],
    ['that counts assistants', agent.countAssistants.body, { metadata: json, graph_id: 'g', name: 'n' }, []],
    ['for versions', agent.listAssistantVersions.body, { metadata: json, limit: 1, offset: 0 }, []],
    ['of a version', agent.setLatestAssistantVersion.body, { version: 1 }, ['version']],
    [
      'of a thread',
      agent.createThread.body,
      {
        thread_id: UUID,
        metadata: json,
        if_exists: 'raise',
        ttl: { strategy: 'delete', ttl: 1 },
        supersteps: [{ updates: [{ values: 1, command: { goto: 'a' }, as_node: 'n' }] }],
      },
      [],
    ],
    ['that changes a thread', agent.updateThread.body, { metadata: json, ttl: 5 }, []],
    [
      'for threads',
      agent.searchThreads.body,
      { ids: ['a'], metadata: json, values: json, status: 'idle', sort_by: 'status', extract: { a: 'b' }, ...search },
      [],
    ],
    ['that counts threads', agent.countThreads.body, { metadata: json, values: json, status: 'idle' }, []],
    ['that prunes threads', agent.pruneThreads.body, { thread_ids: ['a'], strategy: 'delete' }, ['thread_ids']],
    [
      'that writes a state',
      agent.updateThreadState.body,
      { values: json, as_node: 'n', checkpoint, checkpoint_id: 'c' },
      [],
    ],
    ['that changes a state', agent.patchThreadState.body, { metadata: json }, ['metadata']],
    ['for a state', agent.getThreadStateAtCheckpoint.body, { checkpoint, subgraphs: true }, ['checkpoint']],
    ['for a history', agent.searchThreadHistory.body, { limit: 1, before: 'c', metadata: json, checkpoint }, []],
    ['that cancels runs', agent.cancelRuns.body, { status: 'all', thread_id: 't', run_ids: ['r'] }, []],
    [
      'for crons',
      agent.searchCrons.body,
      { assistant_id: 'a', thread_id: 't', metadata: json, enabled: true, sort_by: 'cron_id', ...search },
      [],
    ],
    ['that counts crons', agent.countCrons.body, { assistant_id: 'a', thread_id: 't', metadata: json }, []],
    [
      'of an item',
      agent.putItem.body,
      { namespace: ['aa'], key: 'kk', value: json, index: ['a'], ttl: 1 },
      ['namespace', 'key', 'value'],
    ],
    ['that deletes an item', agent.deleteItem.body, { namespace: ['aa'], key: 'kk' }, ['key']],
    [
      'for items',
      agent.searchItems.body,
      { namespace_prefix: ['aa'], filter: json, query: 'q', refresh_ttl: true, limit: 1, offset: 0 },
      [],
    ],
    [
      'for namespaces',
      agent.listNamespaces.body,
      { prefix: ['a'], suffix: ['b'], max_depth: 1, limit: 1, offset: 0 },
      [],
    ],
    ['of a call', agent.sendMcp.body, { jsonrpc: '2.0', id: 1, method: 'ping', params: json }, ['jsonrpc', 'method']],
    [
      'of a project',
      traces.createTracingProject.body,
      {
        name: 'nn',
        id: UUID,
        start_time: at,
        reference_dataset_id: 'r',
        description: 'd',
        extra: json,
        trace_tier: 't',
      },
      ['name'],
    ],
    [
      'that changes a project',
      traces.updateTracingProject.body,
      { name: 'nn', end_time: at, description: 'd', extra: json, trace_tier: 't' },
      [],
    ],
    [
      'for traced runs',
      traces.queryTraceRuns.body,
      {
        cost: {
          min: 0,
          max: 1,
          is_of_trace: true,
          prices: [
            {
              model: 'm',
              provider: 'p',
              valid_from: '2026-01-01',
              input: 1,
              output: 1,
              cache_read: 1,
              cache_write: 1,
              cache_write_1h: 1,
              reasoning: 1,
            },
          ],
        },
        session: ['s'],
        id: ['i'],
        trace: 't',
        parent_run: 'p',
        reference_example: ['e'],
        run_type: 'llm',
        is_model: true,
        is_root: true,
        start_time: at,
        end_time: at,
        error: true,
        query: 'q',
        filter: 'f',
        trace_filter: 't',
        tree_filter: 't',
        cursor: 'c',
        limit: 1,
        select: ['a'],
        order: 'asc',
      },
      [],
    ],
    [
      'for totals',
      traces.getTraceTotals.body,
      { session: ['s'], group_by: 'model', facets: true, bucket_seconds: 1, model_usage: true, other_costs: true },
      [],
    ],
  ])('%s has these fields and no others', (_name, schema, full, required) => {
    expect(schema.parse(full)).toEqual(full)
    expect(isValid(schema, { ...full, unknown: 1 })).toBe(false)
    for (const key of Object.keys(full)) {
      const isRequired = required.includes(key)
      expect([key, isValid(schema, without(full, key))]).toEqual([key, !isRequired])
      // A wrong type: no field takes a symbol, and only calls have an id that may be null.
      expect([key, isValid(schema, { ...full, [key]: Symbol('no') })]).toEqual([key, false])
    }
  })

  test.each<[string, z.ZodType, unknown]>([
    ['an empty name', agent.createAssistant.body, { graph_id: '' }],
    ['no version', agent.setLatestAssistantVersion.body, { version: 0 }],
    ['a part of a version', agent.setLatestAssistantVersion.body, { version: 1.5 }],
    ['too many', agent.searchAssistants.body, { limit: 1001 }],
    ['none', agent.searchThreads.body, { limit: 0 }],
    ['a place before the first', agent.searchCrons.body, { offset: -1 }],
    ['another order', agent.searchThreads.body, { sort_by: 'name' }],
    ['no time to live', agent.updateThread.body, { ttl: 0 }],
    ['no time to live in an object', agent.updateThread.body, { ttl: { ttl: 0 } }],
    ['an empty key', agent.putItem.body, { namespace: ['a'], key: '', value: {} }],
    ['an empty part of a namespace', agent.putItem.body, { namespace: [''], key: 'k', value: {} }],
    ['a period in a namespace', agent.putItem.body, { namespace: ['a.b'], key: 'k', value: {} }],
    ['an index that is true', agent.putItem.body, { namespace: ['a'], key: 'k', value: {}, index: true }],
    ['no depth', agent.listNamespaces.body, { max_depth: 0 }],
    ['another version of the protocol', agent.sendMcp.body, { jsonrpc: '1.0', method: 'ping' }],
    ['an empty method', agent.sendMcp.body, { jsonrpc: '2.0', method: '' }],
    ['an empty batch', agent.createRunBatch.body, []],
    ['a schedule of four fields', agent.createCron.body, { assistant_id: 'a', schedule: '* * * *' }],
    ['a schedule of six fields', agent.createCron.body, { assistant_id: 'a', schedule: '* * * * * *' }],
    ['a negative price', traces.queryTraceRuns.body, { cost: { min: -1, prices: [] } }],
    ['too many traced runs', traces.queryTraceRuns.body, { limit: 101 }],
    ['no bucket', traces.getTraceTotals.body, { bucket_seconds: 0 }],
    ['an empty name of a project', traces.createTracingProject.body, { name: '' }],
    ['an empty compute id', plane.createListener.body, { compute_type: 'k8s', compute_id: '' }],
    ['another compute type', plane.createListener.body, { compute_type: 'vm', compute_id: 'c' }],
    ['an empty ref', plane.inspectRepository.query, { repo_url: 'u', repo_ref: '', graph_config_path: 'g' }],
    ['an empty path', plane.inspectRepository.query, { repo_url: 'u', repo_ref: 'r', graph_config_path: '' }],
    ['an empty name of an attachment', traces.getTraceAttachment.query, { name: '' }],
    ['no assistant of a card', agent.getAgentCard.query, { assistant_id: '' }],
    ['another kind of log', plane.listRevisionLogs.query, { type: 'run' }],
    ['another level', plane.listRevisionLogs.query, { type: 'build', level: 'LOUD' }],
  ])('with %s is refused', (_name, schema, value) => {
    expect(isValid(schema, value)).toBe(false)
  })

  test.each<[z.ZodType, Record<string, unknown>, unknown]>([
    [
      plane.listRevisionLogs.query,
      { type: 'build', start_time: at, end_time: at, query: 'q', level: 'INFO', run_id: 'r', offset: 'o' },
      { order: 'asc', limit: 50 },
    ],
    [
      plane.searchDeploymentLogs.query,
      { deployment_id: 'dd', revision_id: 'r', cursor: 'c', sort_order: 'desc' },
      { log_type: 'DEPLOY', page_size: 20 },
    ],
    [
      plane.inspectRepository.query,
      { repo_url: 'https://git.example/a', repo_ref: 'main', graph_config_path: 'g.json' },
      {},
    ],
    [plane.listRepositoryRefs.query, { repo_url: 'https://git.example/a' }, {}],
    [plane.listGithubInstallations.query, { cursor: 'c' }, { page_size: 20 }],
    [plane.listListeners.query, {}, { limit: 20, offset: 0 }],
    [plane.listRevisions.query, { status: 'A,B' }, { limit: 20, offset: 0 }],
    [agent.getMetrics.query, { format: 'json' }, {}],
    [agent.listThreadHistory.query, { before: 'c' }, {}],
    [agent.cancelRun.query, { action: 'interrupt', reason: 'r' }, {}],
    [agent.listRuns.query, { status: 's' }, {}],
    [agent.getThreadState.query, { select: 's' }, {}],
    [traces.listTraceTree.query, { cursor: 'c' }, {}],
    [traces.listTracingProjects.query, { name: 'n', name_contains: 'c', sort_by: 's' }, {}],
  ])('has the defaults of its server: %#', (schema, given, defaults) => {
    expect(schema.parse(given)).toEqual({ ...given, ...(defaults as object) })
    expect(isValid(schema, { ...given, unknown: 1 })).toBe(false)
  })

  test.each<[z.ZodType, Record<string, unknown>, unknown]>([
    [agent.listAssistantSubgraphs.query, { recurse: 'true' }, { recurse: true }],
    [agent.deleteAssistant.query, { delete_threads: '0' }, { delete_threads: false }],
    [agent.getThreadState.query, { subgraphs: '1' }, { subgraphs: true }],
    [agent.cancelRun.query, { wait: '1' }, { wait: true }],
    [agent.joinRun.query, { cancel_on_disconnect: 'true' }, { cancel_on_disconnect: true }],
    [agent.streamRun.query, { stream_mode: 'a', namespace: ['b'] }, { stream_mode: ['a'], namespace: ['b'] }],
    [agent.streamThread.query, { stream_modes: 'a' }, { stream_modes: ['a'] }],
    [agent.getOk.query, { check_db: 'true' }, { check_db: 1 }],
    [agent.listRuns.query, { limit: '5', offset: '1', select: 'a' }, { limit: 5, offset: 1, select: ['a'] }],
    [
      agent.getItem.query,
      { key: 'kk', namespace: ['a', 'b'], refresh_ttl: '0' },
      { key: 'kk', namespace: 'a.b', refresh_ttl: false },
    ],
    [traces.listTraceTree.query, { limit: '5000' }, { limit: 5000 }],
    [traces.getTracingProject.query, { include_stats: '1' }, { include_stats: true }],
    [
      traces.listTracingProjects.query,
      { id: 'a', limit: '1', sort_by_desc: '1' },
      { id: ['a'], limit: 1, sort_by_desc: true },
    ],
    [plane.deleteDeployment.query, {}, {}],
  ])('reads text from a URL: %#', (schema, given, read) => {
    expect(schema.parse(given)).toMatchObject(read as object)
    expect(isValid(schema, { ...given, unknown: 1 })).toBe(false)
  })

  test.each([
    [agent.getItem.query, { key: 'k', namespace: [1] }],
    [agent.getItem.query, { key: 'k', namespace: {} }],
    [agent.getItem.query, { key: '' }],
    [traces.listTraceTree.query, { limit: '5001' }],
    [agent.getMetrics.query, { format: 'xml' }],
  ])('refuses other text: %#', (schema, given) => {
    expect(isValid(schema as z.ZodType, given)).toBe(false)
  })
})
