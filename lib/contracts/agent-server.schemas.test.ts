import { LosslessNumber } from 'lossless-json'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { parseJson, printJson } from '../json/lossless'
import { agentServerSchemas as schemas } from './agent-server.schemas'
import { GetItemQuery, splitNamespace } from './agents/store'
import { OkQuery } from './agents/system'
import { toValidationError } from './wire/http-validation-error'

const UUID = '0190a000-0000-7000-8000-000000000001'

function refusals(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value)
  return parsed.success
    ? []
    : toValidationError(parsed.error, 'body').detail.map(({ type, loc }) => `${type} ${loc.slice(1).join('.')}`)
}

describe('a run request', () => {
  const everything = {
    assistant_id: 'agent',
    input: [1],
    command: { update: { a: 1 }, resume: { a: 1 }, goto: ['a', { node: 'b', input: null }] },
    checkpoint: { thread_id: 't', checkpoint_ns: '', checkpoint_id: 'c', checkpoint_map: {} },
    checkpoint_id: 'c',
    metadata: { a: 1 },
    config: { tags: ['a'], recursion_limit: 5, configurable: { a: 1 }, other: 1 },
    context: { a: 1 },
    webhook: '/hook',
    interrupt_before: '*',
    interrupt_after: ['a'],
    stream_mode: [
      'values',
      'messages-tuple',
      'updates',
      'debug',
      'custom',
      'events',
      'tasks',
      'checkpoints',
      'messages',
      'tools',
    ],
    stream_subgraphs: true,
    stream_resumable: true,
    feedback_keys: ['a'],
    multitask_strategy: 'interrupt',
    if_not_exists: 'create',
    after_seconds: 1.5,
    durability: 'sync',
    checkpoint_during: true,
    on_disconnect: 'cancel',
    on_completion: 'keep',
    langsmith_tracer: { project_name: 'p', example_id: 'e' },
    strict_resume: true,
  }

  test('accepts every field, unchanged', () => {
    expect(schemas.createRunStream.body.parse(everything)).toEqual(everything)
    expect(schemas.createStatelessRun.body.parse(everything)).toEqual(everything)
    const ofSdk = { ...everything, assistantId: 'agent' }
    expect(schemas.createRunBatch.body.parse([ofSdk])).toEqual([ofSdk])
    for (const { query } of [schemas.createRunStream, schemas.createStatelessRunStream])
      expect(query.parse({ namespace: ['a', 'b'] })).toEqual({ namespace: ['a', 'b'] })
  })

  test.each(['a', 1, null, [], { messages: [] }, new LosslessNumber('12345678901234567890')])(
    'accepts any JSON as input: %j',
    (input) => {
      expect(schemas.createRun.body.parse({ assistant_id: 'a', input }).input).toBe(input)
    },
  )

  test.each([
    [{}, 'missing assistant_id'],
    [{ assistant_id: 'a', streamMode: 'values' }, 'extra_forbidden streamMode'],
    [{ assistant_id: 'a', multitask_strategy: 'queue' }, 'enum multitask_strategy'],
    [{ assistant_id: 'a', stream_mode: ['values', 'all'] }, 'enum stream_mode.1'],
    [{ assistant_id: 'a', context: [] }, 'dict_type context'],
    [{ assistant_id: 'a', config: { recursion_limit: 0 } }, 'greater_than_equal config.recursion_limit'],
    [{ assistant_id: 'a', command: { goto: 1 } }, 'string_type command.goto'],
  ])('%j is refused: %s', (body, refusal) => {
    expect(refusals(schemas.createRun.body, body)).toEqual([refusal])
  })

  test('a free-form object is passed on itself, not as a copy', () => {
    const metadata = parseJson('{"__proto__":{"a":1},"n":12345678901234567890}')
    const parsed = schemas.createRun.body.parse({ assistant_id: 'a', metadata })
    expect(parsed.metadata).toBe(metadata)
    expect(printJson(parsed)).toBe('{"assistant_id":"a","metadata":{"__proto__":{"a":1},"n":12345678901234567890}}')
  })
})

describe('responses in the forms that servers are known to send', () => {
  const state = (more: object = {}) => ({
    values: {},
    next: [],
    tasks: [],
    checkpoint: null,
    created_at: null,
    metadata: null,
    ...more,
  })

  test('the state of an empty thread, without the keys that only the platform sends', () => {
    expect(schemas.getThreadState.response.parse(state())).toEqual({ ...state(), interrupts: [] })
  })

  test('nested states of subgraphs, with values untouched at every level', () => {
    const inner = state({ values: { id: new LosslessNumber('98765432109876543210'), odd: { deep: [1] } } })
    const task = {
      id: '1',
      name: 'child',
      path: ['__pregel_pull', 'child'],
      error: null,
      interrupts: [{ id: 'i', value: 1, when: 'during' }],
      checkpoint: null,
      state: inner,
      result: null,
    }
    const parsed = schemas.getThreadState.response.parse(state({ tasks: [task] }))
    expect(parsed.tasks[0]?.state?.values).toBe(inner.values)
    expect(parsed.tasks[0]?.interrupts).toEqual([{ id: 'i', value: 1 }])
  })

  test('a thread without state_updated_at, ttl and values', () => {
    const thread = { thread_id: UUID, created_at: 'x', updated_at: 'x', metadata: {}, status: 'idle' }
    expect(schemas.getThread.response.parse(thread)).toEqual(thread)
  })

  test('a version without updated_at, an assistant without context', () => {
    const version = {
      assistant_id: UUID,
      graph_id: 'g',
      config: {},
      metadata: null,
      version: 2,
      created_at: 'x',
      name: 'Untitled',
    }
    expect(schemas.listAssistantVersions.response.parse([version])).toEqual([{ ...version, metadata: {}, context: {} }])
  })

  test('an unknown run status is kept as it came', () => {
    expect(schemas.getRun.response.parse({ run_id: UUID, status: 'evicted' })).toEqual({
      run_id: UUID,
      status: 'evicted',
      metadata: {},
    })
  })

  test.each([{ namespaces: [['a', 'b']] }, [['a', 'b']]])('namespaces as %j', (response) => {
    expect(schemas.listNamespaces.response.parse(response)).toEqual({ namespaces: [['a', 'b']] })
  })

  test.each([null, undefined])('a missing item as %s', (response) => {
    expect(schemas.getItem.response.parse(response) ?? null).toBeNull()
  })

  test('a graph with numeric ids and any kind of data', () => {
    const graph = {
      nodes: [
        { id: 1, data: 'a' },
        { id: '__start__', type: 'schema', data: {} },
      ],
      edges: [{ source: 1, target: '__end__', conditional: true, data: 'yes' }],
    }
    expect(schemas.getAssistantGraph.response.parse(graph)).toEqual(graph)
  })

  test('schemas, any of which may be missing or null', () => {
    const known = { graph_id: 'g', input_schema: null, config_schema: { type: 'object' } }
    expect(schemas.getAssistantSchemas.response.parse(known)).toEqual(known)
    expect(schemas.listAssistantSubgraphs.response.parse({ 'a:1|b': known })).toEqual({ 'a:1|b': known })
  })

  test('the info of different servers', () => {
    expect(schemas.getInfo.response.parse({ version: '1', flags: { crons: false, odd: 'x' } })).toEqual({
      version: '1',
      flags: { crons: false, odd: 'x' },
      metadata: {},
    })
    expect(schemas.getInfo.response.parse({})).toEqual({ flags: {}, metadata: {} })
  })

  test('a JSON-RPC error, and no response to a notification', () => {
    const response = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'x' } }
    expect(schemas.sendMcp.response.parse(response)).toEqual(response)
    expect(schemas.sendMcp.response.parse(undefined)).toBeUndefined()
  })

  test('a failure includes the path', () => {
    expect(schemas.searchThreads.response.safeParse([{ thread_id: 'a' }, {}]).error?.issues[0]?.path).toEqual([
      1,
      'thread_id',
    ])
  })
})

describe('queries', () => {
  test('a namespace is joined by periods, whether given as a list, one value or repeated keys', () => {
    expect(GetItemQuery.parse({ key: 'k', namespace: ['a', 'b'] })).toEqual({ key: 'k', namespace: 'a.b' })
    expect(GetItemQuery.parse({ key: 'k', namespace: 'a.b', refresh_ttl: 'false' })).toEqual({
      key: 'k',
      namespace: 'a.b',
      refresh_ttl: false,
    })
    expect(splitNamespace('a.b')).toEqual(['a', 'b'])
    expect(splitNamespace(undefined)).toEqual([])
  })

  test('booleans are accepted as the SDK sends them', () => {
    expect(schemas.cancelRun.query.parse({ wait: '0', action: 'rollback' })).toEqual({
      wait: false,
      action: 'rollback',
    })
    expect(schemas.joinRun.query.parse({ cancel_on_disconnect: '1' })).toEqual({ cancel_on_disconnect: true })
    expect(schemas.getAssistantGraph.query.parse({ xray: '2' })).toEqual({ xray: 2 })
    expect(schemas.getAssistantGraph.query.parse({ xray: 'true' })).toEqual({ xray: true })
  })

  test('a value given once or several times is a list', () => {
    expect(schemas.streamRun.query.parse({ stream_mode: 'values' })).toEqual({ stream_mode: ['values'] })
    expect(schemas.streamRun.query.parse({ stream_mode: ['values', 'updates'] })).toEqual({
      stream_mode: ['values', 'updates'],
    })
  })
})

describe('other requests', () => {
  test.each([
    [
      'assistant',
      schemas.createAssistant.body,
      { graph_id: 'g', context: {}, name: 'n', metadata: {}, if_exists: 'do_nothing' },
      'missing graph_id',
    ],
    ['version', schemas.setLatestAssistantVersion.body, { version: 3 }, 'missing version'],
    ['prune', schemas.pruneThreads.body, { thread_ids: [], strategy: 'delete' }, 'missing thread_ids'],
    [
      'item',
      schemas.putItem.body,
      { namespace: ['a'], key: 'k', value: {}, index: false, ttl: null },
      'missing namespace,missing key,missing value',
    ],
    [
      'state at a checkpoint',
      schemas.getThreadStateAtCheckpoint.body,
      { checkpoint: { checkpoint_id: 'c' }, subgraphs: true },
      'missing checkpoint',
    ],
    [
      'rpc',
      schemas.sendA2a.body,
      { jsonrpc: '2.0', id: 1, method: 'message/send', params: {} },
      'literal_error jsonrpc,missing method',
    ],
  ] as const)('%s: a complete form passes, an empty one reports what is missing', (_, schema, body, missing) => {
    expect(refusals(schema, body)).toEqual([])
    expect(refusals(schema, {}).join()).toBe(missing)
  })

  test('a thread has no required fields, and its time to live may be a number or an object', () => {
    for (const ttl of [undefined, null, 5, { ttl: 5, strategy: 'delete' }])
      expect(refusals(schemas.createThread.body, { ttl })).toEqual([])
    expect(refusals(schemas.createThread.body, { thread_id: 'not-a-uuid' })).toEqual(['uuid_parsing thread_id'])
  })

  test.each(['* * * * *', '0 9 * * 1-5'])('the schedule %j is accepted', (schedule) => {
    expect(refusals(schemas.createCron.body, { assistant_id: 'a', schedule })).toEqual([])
  })
  test.each(['', '* * *', 'hourly'])('the schedule %j is refused', (schedule) => {
    expect(refusals(schemas.createCron.body, { assistant_id: 'a', schedule })).toEqual([
      'string_pattern_mismatch schedule',
    ])
  })

  test('a cron keeps its assistant', () => {
    expect(refusals(schemas.updateCron.body, { enabled: false })).toEqual([])
    expect(refusals(schemas.updateCron.body, { assistant_id: 'a' })).toEqual(['extra_forbidden assistant_id'])
  })

  test('a label of a namespace contains no period', () => {
    expect(refusals(schemas.putItem.body, { namespace: ['a.b'], key: 'k', value: {} })).toEqual([
      'string_pattern_mismatch namespace.0',
    ])
  })
})

test('the health check sends a number, which every server reads', () => {
  for (const [given, sent] of [
    [true, 1],
    ['false', 0],
    ['1', 1],
  ])
    expect(OkQuery.parse({ check_db: given })).toEqual({ check_db: sent })
})

test('the depth of a graph is a number or a word, in any case', () => {
  const depthOf = (xray: unknown) => schemas.getAssistantGraph.query.parse({ xray }).xray
  expect(['12', 3, true, 'TRUE', 'false'].map(depthOf)).toEqual([12, 3, true, true, false])
  for (const wrong of ['1234', 'yes', '-1', null])
    expect(refusals(schemas.getAssistantGraph.query, { xray: wrong })).toEqual(['bool_parsing xray'])
})
