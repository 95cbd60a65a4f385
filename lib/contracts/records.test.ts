import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { agentServerSchemas as agent } from './agent-server.schemas'
import { controlPlaneSchemas as plane } from './control-plane.schemas'
import { tracesSchemas as traces } from './traces.schemas'

// A full example of each record: every field is kept, and only the required ones must be there.

type Row = readonly [name: string, schema: z.ZodType, full: Record<string, unknown>, required: readonly string[]]
const json = { a: [1, null] }
const at = '2026-01-01T00:00:00Z'
const isValid = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success
const without = (record: object, key: string) =>
  Object.fromEntries(Object.entries(record).filter(([one]) => one !== key))

const config = {
  repo_ref: 'main',
  graph_config_path: 'g',
  image_uri: 'i',
  repo_commit_sha: 'c',
  source_tarball_path: 't',
}
const deployment = {
  ...{ id: 'd', name: 'n', source: 'github', source_revision_config: config, tenant_id: 't', status: 'READY' },
  source_config: {
    ...{ integration_id: 'i', repo_url: 'https://git.example/a', deployment_type: 'dev', build_on_push: true },
    ...{ custom_url: 'https://a.example', listener_id: 'l', listener_config: { k8s_namespace: 'ns' } },
    ...{ install_command: 'a', build_command: 'b' },
  },
  secret_references: [{ name: 'A', secret_name: 's', secret_key: 'k' }],
  ...{ created_at: at, updated_at: at, latest_revision_id: 'r', active_revision_id: 'r', image_version: '1' },
  ...{ tracing_project_id: 'p', isolation: 'user', secrets: [{ name: 'A' }] },
}
const revision = {
  ...{ id: 'r', created_at: at, updated_at: at, status: 'DEPLOYED', source: 'github', source_revision_config: config },
  status_history: [{ status: 'CREATING', at }],
  commit: { message: 'm', author: 'a', authored_at: at },
}
const line = { id: 1, timestamp: 2, level: 'INFO', message: 'm', run_id: 'r', revision_id: 'v' }
const repository = { host_integration_id: 'h', id: 1, name: 'n', owner: 'o', url: 'u', default_branch: 'main' }
const integration = { id: 'i', installation_id: 1, name: 'n' }
const kept = {
  ...{ max_age_days: 14, max_bytes: 1_000_000, count: 2, bytes: 10, disk_bytes: 20, is_fixed: false },
  largest: { name: 'p', bytes: 10, recent_bytes: 5, recent_days: 7 },
}
const listener = {
  ...{ id: 'l', created_at: at, updated_at: at, compute_type: 'k8s', compute_id: 'c', version: '1' },
  compute_config: { k8s_namespaces: ['a'] },
  connection: { away: { who: 'listener', since: at }, token: 'valid' },
}
const assistant = {
  ...{ assistant_id: 'a', graph_id: 'g', name: 'n', description: 'd', config: json, context: json, metadata: json },
  ...{ version: 1, created_at: at, updated_at: at },
}
const node = { id: 'a', name: 'n', type: 't', data: json, metadata: json }
const edge = { id: 'e', source: 'a', target: 'b', data: 'd', conditional: true }
const interrupt = { id: 'i', value: 1, response_schema: json, namespace: ['a'] }
const checkpoint = { thread_id: 't', checkpoint_ns: '', checkpoint_id: 'c', checkpoint_map: json }
const state = {
  ...{ next: ['a'], checkpoint, metadata: json, created_at: at, parent_checkpoint: checkpoint, values: json },
  interrupts: [interrupt],
  tasks: [{ id: 't', name: 'n', path: [], error: 'e', interrupts: [interrupt], checkpoint, state: null, result: 1 }],
}
const run = {
  ...{ run_id: 'r', thread_id: 't', assistant_id: 'a', created_at: at, updated_at: at, status: 'success' },
  ...{ metadata: json, kwargs: json, multitask_strategy: 'reject', cancel_reason: 'c' },
}
const cron = {
  ...{ cron_id: 'c', assistant_id: 'a', thread_id: 't', on_run_completed: 'keep', schedule: '* * * * *' },
  ...{ timezone: 'z', end_time: at, created_at: at, updated_at: at, user_id: 'u', payload: json, next_run_date: at },
  ...{ metadata: json, enabled: true },
}
const item = { namespace: ['a'], key: 'k', value: json, created_at: at, updated_at: at, score: 0.5 }
const totals = {
  ...{ run_count: 1, error_count: 1, error_rate: 0.1, latency_p50: 1, latency_p95: 1, latency_p99: 1 },
  ...{ first_token_p50: 1, first_token_p95: 1, prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  total_cost: '0.1',
}
const usage = {
  ...{ model: 'm', provider: 'p', day: '2026-01-01', run_count: 1, prompt_tokens: 1, completion_tokens: 1 },
  ...{ cache_read_tokens: 1, cache_write_tokens: 1, cache_write_1h_tokens: 1, reasoning_tokens: 1 },
}
const project = {
  ...{ id: 'p', name: 'n', description: 'd', start_time: at, end_time: at, extra: json, tenant_id: 't' },
  ...{ reference_dataset_id: 'r', trace_tier: 'x', last_run_start_time: at, run_count: 1, latency_p50: 1 },
  ...{ latency_p99: 1, first_token_p50: 1, first_token_p99: 1, prompt_tokens: 1, completion_tokens: 1 },
  ...{ total_tokens: 2, prompt_cost: 1, completion_cost: '1', total_cost: 2, error_rate: 0, feedback_stats: json },
}
const traced = {
  ...{ id: 'r', name: 'n', run_type: 'llm', status: 'success', start_time: at, end_time: 1, first_token_time: at },
  ...{ trace_id: 't', dotted_order: 'd', parent_run_id: 'p', parent_run_ids: ['p'], child_run_ids: ['c'] },
  ...{ direct_child_run_ids: ['c'], session_id: 's', thread_id: 't', model: 'm', provider: 'p', latency: 1 },
  ...{ first_token: 1, inputs: json, outputs: json, inputs_preview: 'i', outputs_preview: 'o', error: 'e' },
  ...{ events: [1], extra: json, serialized: json, tags: ['t'], reference_example_id: 'e', prompt_tokens: 1 },
  ...{ completion_tokens: 1, total_tokens: 2, prompt_token_details: json, completion_token_details: json },
  ...{ prompt_cost: 1, completion_cost: '1', total_cost: 2, prompt_cost_details: json, price_model_id: 'p' },
  ...{ completion_cost_details: json, model_usage: [usage], feedback_stats: json },
  stored_attachments: [{ name: 'n', content_type: 't', size: 1 }],
  feedback: [{ id: 'f', key: 'k', score: 1, value: 'v', comment: 'c', correction: json }],
}

describe('a record of a server', () => {
  test.each<Row>([
    [
      'a deployment',
      plane.getDeployment.response,
      deployment,
      ['id', 'name', 'source', 'source_config', 'source_revision_config', 'created_at', 'updated_at', 'status'],
    ],
    [
      'a list of deployments',
      plane.listDeployments.response,
      { resources: [deployment], offset: 1 },
      ['resources', 'offset'],
    ],
    [
      'a revision',
      plane.getRevision.response,
      revision,
      ['id', 'created_at', 'updated_at', 'status', 'source_revision_config'],
    ],
    ['a page of logs', plane.listRevisionLogs.response, { logs: [line], next_offset: '7' }, ['logs']],
    ['a search of logs', plane.searchDeploymentLogs.response, { items: [line], next_cursor: 'c' }, ['items']],
    [
      'branches and tags',
      plane.listRepositoryRefs.response,
      { branches: ['main'], tags: [], is_complete: true },
      ['branches', 'tags', 'is_complete'],
    ],
    [
      'an inspection',
      plane.inspectRepository.response,
      {
        commit: 'c',
        graph_config_path: 'g',
        graphs: ['a'],
        env_example: { path: 'p', variables: [{ name: 'A', is_optional: true }] },
      },
      ['commit', 'graph_config_path', 'graphs'],
    ],
    ['installations', plane.listGithubInstallations.response, { items: [integration], next_cursor: 'c' }, ['items']],
    ['repositories', plane.listInstallationRepositories.response, { items: [repository], next_cursor: 'c' }, ['items']],
    [
      'a place for an upload',
      plane.createUploadUrl.response,
      { upload_url: 'https://files.example/a?signature=s', object_path: 'a', upload_headers: { 'Content-Type': 'b' } },
      ['upload_url', 'object_path'],
    ],
    [
      'an installation link',
      plane.createInstallationLink.response,
      { install_url: 'u', oauth_reuse_url: 'o' },
      ['install_url'],
    ],
    [
      'retention',
      plane.getRetention.response,
      { traces: kept, runs: { ...kept, max_age_days: null, max_bytes: null, largest: null } },
      ['traces', 'runs'],
    ],
    ['a listener', plane.getListener.response, listener, ['id', 'compute_type']],
    [
      'a listener with its token',
      plane.createListener.response,
      { ...listener, token: 't', platform_url: 'u' },
      ['id', 'compute_type'],
    ],
    ['a token of a listener', plane.renewListenerToken.response, { token: 't', platform_url: 'u' }, ['token']],
    [
      'a list of listeners',
      plane.listListeners.response,
      { resources: [listener], offset: 1 },
      ['resources', 'offset'],
    ],
    ['an assistant', agent.getAssistant.response, assistant, ['assistant_id', 'graph_id']],
    ['a graph', agent.getAssistantGraph.response, { nodes: [node], edges: [edge] }, ['nodes', 'edges']],
    [
      'schemas',
      agent.getAssistantSchemas.response,
      {
        graph_id: 'g',
        input_schema: json,
        output_schema: json,
        state_schema: json,
        config_schema: json,
        context_schema: json,
      },
      [],
    ],
    ['a state', agent.getThreadState.response, state, []],
    ['a written state', agent.updateThreadState.response, { checkpoint, configurable: json }, []],
    ['a run', agent.getRun.response, run, ['run_id', 'status']],
    ['a cron', agent.getCron.response, cron, ['cron_id', 'schedule']],
    ['a page of items', agent.searchItems.response, { items: [item] }, []],
    [
      'an answer to a call',
      agent.sendA2a.response,
      { jsonrpc: '2.0', id: 1, result: json, error: { code: 1, message: 'm', data: 1 } },
      [],
    ],
    [
      'facts about a server',
      agent.getInfo.response,
      { version: '1', graph_py_version: '1', graph_js_version: '1', context: 'js', flags: json, metadata: json },
      [],
    ],
    ['a state of health', agent.getOk.response, { ok: true }, ['ok']],
    ['a project', traces.getTracingProject.response, project, ['id']],
    ['a traced run', traces.getTraceRun.response, traced, ['id']],
    ['a page of traced runs', traces.queryTraceRuns.response, { runs: [traced], cursors: { next: 'n' } }, ['runs']],
    [
      'an attachment',
      traces.getTraceAttachment.response,
      { name: 'n', content_type: 't', base64: 'b' },
      ['name', 'base64'],
    ],
    [
      'totals',
      traces.getTraceTotals.response,
      {
        ...totals,
        groups: [{ key: 'k', ...totals, model_usage: [usage] }],
        group_count: 1,
        facets: {
          model: [{ value: 'v', provider: 'p', count: 1 }],
          provider: [],
          finish_reason: [],
          name: [],
          tag: [],
        },
        last_run_start_time: at,
        buckets: [{ start_time: at, ...totals }],
        model_usage: [{ ...usage, start_time: at }],
        other_costs: [{ start_time: at, run_count: 1, total_cost: 1 }],
      },
      [],
    ],
  ])('%s keeps its fields, drops others, and needs the required ones', (_name, schema, full, required) => {
    expect(schema.parse({ ...full, unknown: 1 })).toEqual(full)
    for (const key of Object.keys(full)) {
      const isRequired = required.includes(key)
      if (key !== 'env_example') expect([key, isValid(schema, without(full, key))]).toEqual([key, !isRequired])
      if (key !== 'tasks') expect([key, isValid(schema, { ...full, [key]: null })]).toEqual([key, !isRequired])
    }
  })

  test('may lack lists and objects, which are empty then', () => {
    expect(agent.getAssistant.response.parse({ assistant_id: 'a', graph_id: 'g', config: null })).toEqual({
      ...{ assistant_id: 'a', graph_id: 'g', config: {}, context: {}, metadata: {} },
    })
    expect(agent.getThreadState.response.parse({ next: null })).toEqual({ next: [], tasks: [], interrupts: [] })
    expect(agent.getInfo.response.parse({})).toEqual({ flags: {}, metadata: {} })
  })

  test('lists namespaces as they are, or around them', () => {
    const namespaces = [['a', 'b'], []]
    expect(agent.listNamespaces.response.parse(namespaces)).toEqual({ namespaces })
    expect(agent.listNamespaces.response.parse({ namespaces })).toEqual({ namespaces })
    for (const wrong of [{}, ['a'], { namespaces: [[1]] }])
      expect(isValid(agent.listNamespaces.response, wrong)).toBe(false)
  })

  test('gives the cursor of a page of logs as text, or none', () => {
    const next = (next_offset: unknown) => plane.listRevisionLogs.response.parse({ logs: [], next_offset }).next_offset
    expect([7, 0, '7', '', null, undefined].map(next)).toEqual(['7', '0', '7', '', null, null])
  })

  test('of a revision that cannot be read hides no other, and its field is told', () => {
    const spoilt = [{ ...revision, id: 'b', created_at: 5 }, { ...revision, id: undefined }, 'text']
    const { resources, unread, offset } = plane.listRevisions.response.parse({
      resources: [revision, ...spoilt, { ...revision, id: 'd' }],
      offset: 5,
    })
    expect([resources.map(({ id }) => id), offset]).toEqual([[revision.id, 'd'], 5])
    expect(unread).toEqual([
      { id: 'b', field: 'created_at', problem: expect.stringContaining('expected string') },
      { id: null, field: 'id', problem: expect.stringContaining('expected string') },
      { id: null, field: 'the whole record', problem: expect.stringContaining('expected object') },
    ])
    expect(JSON.stringify(unread)).not.toContain('text')
    for (const part of [{ resources: [] }, { offset: 1 }, { resources: {}, offset: 1 }])
      expect(plane.listRevisions.response.safeParse(part).success).toBe(false)
  })

  test('of a rating whose id is none leaves its traced run readable', () => {
    const { feedback } = traces.getTraceRun.response.parse({ ...traced, feedback: [{ id: ['f'], key: 'k' }] })
    expect(feedback).toEqual([{ id: null, key: 'k' }])
  })

  test('that is not documented is dropped', () => {
    expect(plane.updateDeploymentTier.response.parse({ secrets: [{ name: 'A', value: 'canary' }] })).toBeNull()
  })
})
