import { describe, expect, test } from 'vitest'
import type { Json } from '@/lib/traces/blocks/values'
import { modelOf, providerOf, usageOf } from '@/lib/traces/facts'
import { finishOf } from '@/lib/traces/finish'
import recorded from './fixtures/recorded.json' with { type: 'json' }
import { decodeRequest, encodeFailure, encodeResponse } from './messages'
import { runOfSpan, spanRunId, traceRunId } from './run'
import { type OtlpSpan, readSpans } from './spans'

/** Runs of a request that an unmodified client sent. */
function runsOf(name: keyof typeof recorded): Json[] {
  const body = Buffer.from(recorded[name].body, 'base64')
  const request = body[0] === 0x7b ? JSON.parse(body.toString()) : decodeRequest(body)
  return readSpans(request).spans.map(runOfSpan)
}
const span = (attributes: Json, fields: Partial<OtlpSpan> = {}): OtlpSpan => ({
  traceId: '5db028e97440df13e9c25f8093d1c41c',
  spanId: '53337d93b3f9b2a0',
  parentSpanId: undefined,
  name: 'step',
  kind: 1,
  start: 1_795_455_764_273.25,
  end: 1_795_455_764_276.5,
  attributes,
  events: [],
  isError: false,
  statusMessage: undefined,
  resource: {},
  scope: { name: undefined, version: undefined },
  ...fields,
})
const runOf = (attributes: Json, fields?: Partial<OtlpSpan>) => runOfSpan(span(attributes, fields)) as Json

describe('requests recorded from unmodified clients', () => {
  test.each(['aiSdk', 'aiSdkLegacy'] as const)('%s: two model calls and a tool below one root', (name) => {
    const runs = runsOf(name)
    const models = runs.filter((run) => run.run_type === 'llm')
    expect(models.map((run) => [modelOf(run), providerOf(run), usageOf(run)?.input, usageOf(run)?.output])).toEqual([
      ['mock-1', 'mock', 10, 3],
      ['mock-1', 'mock', 20, 4],
    ])
    expect(JSON.stringify(models[0]?.inputs)).toContain('How is the weather in Rome?')
    expect(JSON.stringify(models[1]?.outputs)).toContain('It is sunny.')
    expect(finishOf(models[1]?.outputs)).toMatchObject({ kind: 'stop' })
    expect(runs.find((run) => run.run_type === 'tool')).toMatchObject({
      name: 'weather',
      inputs: { city: 'Rome' },
      outputs: { city: 'Rome', sky: 'clear' },
    })
    expect(runs.filter((run) => run.parent_run_id === undefined).map((run) => run.id)).toEqual([runs[0]?.trace_id])
  })

  test('openllmetry: messages, calls and results of tools, and the reason of the end', () => {
    const [first, second] = runsOf('openllmetry')
    expect(first).toMatchObject({
      run_type: 'llm',
      inputs: { messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }] },
      outputs: {
        messages: [
          { role: 'assistant', content: [{ type: 'tool_call', id: 'c1', name: 'weather', args: { city: 'Rome' } }] },
        ],
      },
      extra: {
        metadata: { ls_provider: 'openai', ls_model_name: 'gpt-5', ls_temperature: 0.5, finish_reasons: ['tool_call'] },
      },
    })
    expect(second).toMatchObject({
      inputs: { messages: [{}, {}, {}, { role: 'tool', tool_call_id: 'c1', content: 'clear' }] },
      outputs: { messages: [{ content: 'It is sunny.' }] },
    })
  })

  test('JSON: ids, times to the microsecond, the exception', () => {
    const [tool] = runsOf('jsonChild')
    expect(tool).toMatchObject({
      id: spanRunId('f4d291c31b77be1071546b3d7d1aae2e', '97c36137d016ae75'),
      trace_id: 'f4d291c3-1b77-be10-7154-6b3d7d1aae2e',
      parent_run_id: spanRunId('f4d291c31b77be1071546b3d7d1aae2e', 'f2b87822e7f01e17'),
      name: 'add',
      run_type: 'tool',
      start_time: 1_795_455_763_751,
      end_time: 1_795_455_763_751.13,
      inputs: { a: 1 },
      outputs: { output: '3' },
      error: 'TypeError: not a number\n    at check (check.mjs:1:1)',
    })
    expect(runsOf('jsonParent')).toMatchObject([{ id: tool?.trace_id, parent_run_id: undefined, run_type: 'chain' }])
  })
})

test.each<[string, Json]>([
  ['llm', { 'gen_ai.operation.name': 'chat' }],
  ['llm', { 'gen_ai.operation.name': 'text_completion' }],
  ['embedding', { 'gen_ai.operation.name': 'embeddings' }],
  ['retriever', { 'gen_ai.operation.name': 'retrieval' }],
  ['tool', { 'gen_ai.operation.name': 'execute_tool' }],
  ['chain', { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.request.model': 'm' }],
  ['chain', { 'gen_ai.operation.name': 'constructor' }],
  ['llm', { 'gen_ai.request.model': 'm' }],
  ['tool', { 'mcp.method.name': 'tools/call' }],
  ['tool', { 'traceloop.span.kind': 'tool' }],
  ['chain', { 'traceloop.span.kind': 'workflow', 'gen_ai.request.model': 'm' }],
  ['llm', { 'openinference.span.kind': 'LLM' }],
  ['chain', { 'openinference.span.kind': 'AGENT' }],
  ['embedding', { 'ai.operationId': 'ai.embed.doEmbed' }],
  ['chain', { 'ai.operationId': 'ai.streamText', 'gen_ai.operation.name': 'chat' }],
  ['prompt', { 'langsmith.span.kind': 'prompt', 'gen_ai.operation.name': 'chat' }],
  ['chain', { 'http.method': 'GET' }],
])('a run is a %s by %j', (type, attributes) => {
  expect(runOf(attributes).run_type).toBe(type)
})

describe('messages', () => {
  const PARTS = [
    { type: 'text', content: 'Look' },
    { type: 'blob', modality: 'image', mime_type: 'image/png', content: 'aGk=' },
    { type: 'uri', modality: 'audio', uri: 'https://a.invalid/b.mp3' },
    { type: 'reasoning', content: 'Hm' },
  ]
  const own = {
    role: 'user',
    content: [
      { type: 'text', text: 'Look' },
      { type: 'image', base64: 'aGk=', mime_type: 'image/png' },
      { type: 'audio', url: 'https://a.invalid/b.mp3' },
      { type: 'reasoning', text: 'Hm' },
    ],
  }
  const call = { type: 'tool_call', id: 'c', name: 'add', args: { a: 1 } }

  test.each<[string, Json, OtlpSpan['events'], unknown[]]>([
    [
      'current conventions, as JSON text, with instructions',
      {
        'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: PARTS }]),
        'gen_ai.system_instructions': JSON.stringify([{ type: 'text', content: 'Be brief.' }]),
      },
      [],
      [{ role: 'system', content: 'Be brief.' }, own],
    ],
    ['current conventions, structured', { 'gen_ai.input.messages': [{ role: 'user', parts: PARTS }] }, [], [own]],
    [
      'current conventions, in an event',
      {},
      [
        {
          name: 'gen_ai.client.inference.operation.details',
          time: 1,
          attributes: { 'gen_ai.input.messages': [{ role: 'user', parts: PARTS }] },
        },
      ],
      [own],
    ],
    [
      'results of tools, each a message of its own',
      {
        'gen_ai.input.messages': [
          {
            role: 'tool',
            parts: [
              { type: 'tool_call_response', id: 'c', response: 'three' },
              { type: 'tool_call_response', id: 'd', response: { n: 3 } },
            ],
          },
        ],
      },
      [],
      [
        { role: 'tool', tool_call_id: 'c', content: 'three' },
        { role: 'tool', tool_call_id: 'd', content: '{"n":3}' },
      ],
    ],
    [
      'numbered attributes, in any order',
      {
        'gen_ai.prompt.10.role': 'tool',
        'gen_ai.prompt.10.content': '3',
        'gen_ai.prompt.10.tool_call_id': 'c',
        'gen_ai.prompt.2.role': 'assistant',
        'gen_ai.prompt.2.tool_calls.0.id': 'c',
        'gen_ai.prompt.2.tool_calls.0.name': 'add',
        'gen_ai.prompt.2.tool_calls.0.arguments': '{"a":1}',
        'gen_ai.prompt.0.content': '[{"type":"text","text":"Hi"}]',
      },
      [],
      [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: [call] },
        { role: 'tool', content: '3', tool_call_id: 'c' },
      ],
    ],
    [
      'OpenInference',
      {
        'llm.input_messages.0.message.role': 'user',
        'llm.input_messages.0.message.contents.0.message_content.type': 'text',
        'llm.input_messages.0.message.contents.0.message_content.text': 'Hi',
        'llm.input_messages.1.message.role': 'assistant',
        'llm.input_messages.1.message.content': 'So',
        'llm.input_messages.1.message.tool_calls.0.tool_call.id': 'c',
        'llm.input_messages.1.message.tool_calls.0.tool_call.function.name': 'add',
        'llm.input_messages.1.message.tool_calls.0.tool_call.function.arguments': '{"a":1}',
      },
      [],
      [
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'So' }, call] },
      ],
    ],
    [
      'an event per message',
      {},
      [
        { name: 'gen_ai.system.message', time: 1, attributes: { content: 'Be brief.' } },
        { name: 'gen_ai.user.message', time: 2, attributes: { 'gen_ai.event.content': '{"content":"Hi"}' } },
        { name: 'gen_ai.tool.message', time: 3, attributes: { id: 'c', content: '3' } },
        { name: 'gen_ai.choice', time: 4, attributes: { message: '{"content":"Three"}', finish_reason: 'stop' } },
      ],
      [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
        { role: 'tool', content: '3', tool_call_id: 'c' },
      ],
    ],
  ])('%s', (_, attributes, events, messages) => {
    const run = runOf(attributes, { events })
    expect(run.inputs).toEqual({ messages })
    // They are not repeated as metadata or events.
    expect(JSON.stringify([run.extra, run.events])).not.toMatch(/Look|Hi|Be brief/)
  })

  test('a choice becomes the output', () => {
    const events = [
      { name: 'gen_ai.choice', time: 4, attributes: { message: '{"content":"Three"}', finish_reason: 'stop' } },
    ]
    expect(runOf({}, { events })).toMatchObject({
      outputs: { messages: [{ role: 'assistant', content: 'Three', finish_reason: 'stop' }] },
      extra: { metadata: { finish_reasons: ['stop'] } },
    })
  })

  test.each<[string, Json, Json, unknown]>([
    [
      'inputs and outputs of an SDK',
      { 'gen_ai.prompt': '{"a":1}', 'gen_ai.completion': '{"b":[2]}' },
      { a: 1 },
      { b: [2] },
    ],
    ['plain text', { 'input.value': 'x', 'output.value': '[1]' }, { input: 'x' }, { output: [1] }],
    ['entities', { 'traceloop.entity.input': '{"args":[1]}' }, { args: [1] }, undefined],
    ['nothing', {}, {}, undefined],
  ])('%s stay as they are', (_, attributes, inputs, outputs) => {
    expect(runOf(attributes)).toMatchObject({ inputs, outputs })
  })
})

test('has the metadata that OpenInference logs as one JSON text', () => {
  const metadataOf = (metadata: unknown) =>
    (runOf({ metadata, 'openinference.span.kind': 'CHAIN' }).extra as { metadata: Json }).metadata
  const found = metadataOf('{"thread_id":"th1","team":{"deep":1},"otel_span_id":"no"}')
  expect(found).toMatchObject({ thread_id: 'th1', team: { deep: 1 } })
  expect(found).not.toHaveProperty('metadata')
  expect(found.otel_span_id).not.toBe('no')
  for (const other of ['plain', '[1]', '{broken', 5]) expect(metadataOf(other)).toMatchObject({ metadata: other })
})

test('what an SDK says about its own runs wins', () => {
  const id = '019bb1f6-0000-7000-8000-000000000001'
  const trace = '019bb1f6-0000-7000-8000-000000000000'
  expect(
    runOf(
      {
        'langsmith.span.id': id,
        'langsmith.trace.id': trace,
        'langsmith.span.parent_id': trace,
        'langsmith.span.dotted_order': 'x',
        'langsmith.trace.name': 'named',
        'langsmith.trace.session_name': 'project',
        'langsmith.span.tags': 'a, b,',
        'langsmith.metadata.team': 'red',
        'langsmith.usage_metadata': '{"input_tokens":1,"output_tokens":2,"total_tokens":3}',
        'session.id': 's',
      },
      { parentSpanId: '0000000000000001' },
    ),
  ).toMatchObject({
    ...{ id, trace_id: trace, parent_run_id: trace, dotted_order: 'x', name: 'named', session_name: 'project' },
    tags: ['a', 'b'],
    extra: { metadata: { team: 'red', session_id: 's', usage_metadata: { total_tokens: 3 } } },
  })
  // A processor that drops other spans: the root it keeps has a parent elsewhere.
  expect(runOf({ 'langsmith.is_root': true }, { parentSpanId: '0000000000000001' })).toMatchObject({
    id: spanRunId('5db028e97440df13e9c25f8093d1c41c', '53337d93b3f9b2a0'),
    trace_id: traceRunId('5db028e97440df13e9c25f8093d1c41c'),
    parent_run_id: undefined,
  })
})

test('details of tokens, and the first token', () => {
  const run = runOf({
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': '7',
    'gen_ai.usage.cache_read.input_tokens': 60,
    'gen_ai.usage.reasoning.output_tokens': 5,
    'gen_ai.response.time_to_first_chunk': 0.25,
  })
  expect(usageOf(run)).toMatchObject({
    input: 100,
    output: 7,
    total: 107,
    inputDetails: { cache_read: 60 },
    outputDetails: { reasoning: 5 },
  })
  expect(run.events).toEqual([{ name: 'new_token', time: '2026-11-23T17:42:44.523Z' }])
})

test('an error without an exception is told by its status', () => {
  expect(runOf({ 'error.type': 'timeout' }, { isError: true, statusMessage: 'too slow' }).error).toBe(
    'timeout: too slow',
  )
  expect(runOf({}, { isError: true }).error).toBe('The span failed without a message.')
})

test('values of every kind survive, and odd ones do no harm', () => {
  const deep = { arrayValue: { values: [] as unknown[] } }
  let at = deep
  for (let n = 0; n < 500; n++) {
    const next = { arrayValue: { values: [] as unknown[] } }
    at.arrayValue.values.push(next)
    at = next
  }
  const attributes = [
    { key: 'big', value: { intValue: '9223372036854775807' } },
    { key: 'small', value: { intValue: '-5' } },
    { key: 'ratio', value: { doubleValue: 0.5 } },
    { key: 'no number', value: { doubleValue: Number.NaN } },
    { key: 'map', value: { kvlistValue: { values: [{ key: 'a', value: { boolValue: true } }] } } },
    { key: '__proto__', value: { stringValue: 'x' } },
    { key: `gen_ai.prompt.0${'.a'.repeat(5000)}`, value: { stringValue: 'x' } },
    { key: 'deep', value: deep },
  ]
  const ids = { traceId: 'AA'.repeat(16), spanId: 'bb'.repeat(8) }
  const times = { startTimeUnixNano: '18446744073709551615', endTimeUnixNano: 'soon' }
  const odd = [
    { ...ids, ...times, attributes, parentSpanId: '0'.repeat(16) },
    { ...ids, traceId: '0'.repeat(32) },
    { spanId: 5 },
    null,
  ]
  const { spans, invalid } = readSpans({ resourceSpans: [{ scopeSpans: [{ spans: odd }, null] }, 5] })
  expect([spans.length, invalid]).toEqual([1, 3])
  expect(spans[0]).toMatchObject({ traceId: 'aa'.repeat(16), parentSpanId: undefined, name: 'span', end: undefined })
  expect(spans[0]?.attributes).toMatchObject({
    big: '9223372036854775807',
    small: -5,
    ratio: 0.5,
    'no number': 'NaN',
    map: { a: true },
  })
  expect(() => JSON.stringify(spans.map(runOfSpan))).not.toThrow()
})

test('answers are what exporters decode', () => {
  expect(encodeResponse({}).length).toBe(0)
  expect(encodeResponse({ partialSuccess: { rejectedSpans: 2, errorMessage: 'no' } }).toString('hex')).toBe(
    '0a0608021202' + '6e6f',
  )
  expect(encodeFailure('no').toString('hex')).toBe('12026e6f')
  expect(() => decodeRequest(Buffer.from('no protobuf'))).toThrow()
})
