// OpenTelemetry of JavaScript: both exporters, and the AI SDK's telemetry with a model of its own. Run by
// ../try-tracing-clients.mjs.
import { randomUUID } from 'node:crypto'
import { report, until } from './report.mjs'

/** The packages are installed when this runs, so they are no dependencies of the project. */
const load = (name) => import(name)
const { TRACES_URL: url, TRACES_KEY: key } = process.env
const { BatchSpanProcessor, NodeTracerProvider, SimpleSpanProcessor } = await load('@opentelemetry/sdk-trace-node')
const { OTLPTraceExporter: Proto } = await load('@opentelemetry/exporter-trace-otlp-proto')
const { OTLPTraceExporter: Json } = await load('@opentelemetry/exporter-trace-otlp-http')
const { SpanStatusCode, trace, context } = await load('@opentelemetry/api')

const expect = (isTrue, what) => {
  if (!isTrue) throw new Error(what)
}
const call = async (path, body) => {
  const response = await fetch(url + path, {
    method: body ? 'POST' : 'GET',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return await response.json()
}
/** The runs of a project, oldest first, once there are this many. */
async function runsOf(project, count) {
  let runs = []
  await until(async () => {
    const [found] = await call(`/sessions?name=${project}`)
    if (!found) return false
    const select = ['inputs', 'outputs', 'extra', 'events']
    runs = (await call('/runs/query', { session: [found.id], select, order: 'asc' })).runs
    return runs.length >= count
  })
  return runs
}
/** A provider of its own per check, so that each has its own project. */
function providerOf(project, Exporter, options = {}) {
  const headers = { 'x-api-key': key, 'Langsmith-Project': project }
  const exporter = new Exporter({ url: `${url}/otel/v1/traces`, headers, ...options })
  return new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
}
const names = (runs) =>
  runs
    .map((run) => run.name)
    .sort()
    .join(', ')
const childOf = (runs, name) => {
  const run = runs.find((one) => one.name === name)
  return runs.find((one) => one.id === run?.parent_run_id)?.name
}

async function exportsTree(Exporter, options) {
  const project = `otel-${randomUUID().slice(0, 8)}`
  const provider = providerOf(project, Exporter, options)
  const tracer = provider.getTracer('check')
  const root = tracer.startSpan('agent run', { attributes: { 'gen_ai.operation.name': 'invoke_agent' } })
  const inside = trace.setSpan(context.active(), root)
  const tool = tracer.startSpan(
    'execute_tool add',
    {
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'add',
        'gen_ai.tool.call.arguments': '{"a":1}',
        'gen_ai.tool.call.result': '3',
      },
    },
    inside,
  )
  tool.recordException(new TypeError('not a number'))
  tool.setStatus({ code: SpanStatusCode.ERROR, message: 'failed' })
  tool.end()
  // The child arrives before its parent.
  await provider.forceFlush()
  root.end()
  await provider.forceFlush()
  await provider.shutdown()
  const runs = await runsOf(project, 2)
  await until(async () => (await runsOf(project, 2)).some((run) => run.name === 'agent run'))
  const found = await runsOf(project, 2)
  expect(found.length === 2 && childOf(found, 'add') === 'agent run', `${names(found)} ${runs.length}`)
  const add = found.find((run) => run.name === 'add')
  expect(
    add.run_type === 'tool' && add.inputs.a === 1 && /TypeError: not a number/.test(add.error),
    JSON.stringify(add),
  )
}

/** The AI SDK with a model that calls a tool once. */
async function aiSdk(telemetryOf) {
  const { generateText, isStepCount, stepCountIs, tool, jsonSchema } = await load('ai')
  const { MockLanguageModelV4 } = await load('ai/test')
  const project = `ai-${randomUUID().slice(0, 8)}`
  const provider = providerOf(project, Proto)
  const usage = (input, output) => ({
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: output, text: output, reasoning: 0 },
  })
  const model = new MockLanguageModelV4({
    provider: 'mock',
    modelId: 'mock-1',
    doGenerate: async ({ prompt }) =>
      prompt.some((message) => message.role === 'tool')
        ? {
            content: [{ type: 'text', text: 'It is sunny.' }],
            finishReason: { unified: 'stop', raw: 'stop' },
            usage: usage(20, 4),
            warnings: [],
          }
        : {
            content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'weather', input: '{"city":"Rome"}' }],
            finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
            usage: usage(10, 3),
            warnings: [],
          },
  })
  const weather = tool({
    description: 'Weather of a city',
    inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } } }),
    execute: async ({ city }) => ({ city, sky: 'clear' }),
  })
  await generateText({
    model,
    tools: { weather },
    prompt: 'How is the weather in Rome?',
    stopWhen: (isStepCount ?? stepCountIs)(3),
    ...(await telemetryOf(provider.getTracer('ai'))),
  })
  await provider.forceFlush()
  await provider.shutdown()
  const runs = await runsOf(project, 4)
  const models = runs.filter((run) => run.run_type === 'llm')
  const [first, second] = models
  expect(models.length === 2, `${runs.map((run) => `${run.run_type} ${run.name}`)}`)
  expect(first.inputs_preview?.includes('weather in Rome'), JSON.stringify(first.inputs))
  expect(second.outputs_preview === 'It is sunny.', JSON.stringify(second.outputs))
  expect(
    first.prompt_tokens === 10 && second.completion_tokens === 4,
    `${first.prompt_tokens} ${second.completion_tokens}`,
  )
  expect(first.model === 'mock-1', `${first.model}`)
  const called = runs.find((run) => run.run_type === 'tool')
  expect(called?.name === 'weather' && called.inputs.city === 'Rome', JSON.stringify(called))
  expect(called.outputs.sky === 'clear' || called.outputs.output?.sky === 'clear', JSON.stringify(called.outputs))
  const roots = runs.filter((run) => !run.parent_run_id)
  expect(roots.length === 1 && runs.every((run) => run.trace_id === roots[0].id), names(runs))
}

await report({
  'Spans as protobuf, with an exception': () => exportsTree(Proto),
  'Spans as JSON, compressed': () => exportsTree(Json, { compression: 'gzip' }),
  'Export twice': async () => {
    const project = `twice-${randomUUID().slice(0, 8)}`
    const headers = { 'x-api-key': key, 'Langsmith-Project': project }
    const exporters = [1, 2].map(() => new Proto({ url: `${url}/otel/v1/traces`, headers }))
    const provider = new NodeTracerProvider({ spanProcessors: exporters.map((one) => new SimpleSpanProcessor(one)) })
    provider.getTracer('check').startSpan('once').end()
    await provider.forceFlush()
    await provider.shutdown()
    const runs = await runsOf(project, 1)
    expect(runs.length === 1, names(runs))
  },
  'AI SDK, current conventions': () =>
    aiSdk(async (tracer) => {
      const { OpenTelemetry } = await load('@ai-sdk/otel')
      return { telemetry: { integrations: [new OpenTelemetry({ tracer })], functionId: 'check' } }
    }),
  'AI SDK, its older attributes': () =>
    aiSdk(async (tracer) => {
      const { LegacyOpenTelemetry } = await load('@ai-sdk/otel')
      return { telemetry: { integrations: [new LegacyOpenTelemetry({ tracer })], functionId: 'check' } }
    }),
  'The SDK’s own exporter': async () => {
    process.env.LANGSMITH_TRACING = 'true'
    const { LangSmithOTLPTraceExporter } = await load('langsmith/experimental/otel/exporter')
    const project = `own-${randomUUID().slice(0, 8)}`
    const exporter = new LangSmithOTLPTraceExporter({ url: `${url}/otel/v1/traces`, apiKey: key, projectName: project })
    const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] })
    const attributes = { 'ai.telemetry.metadata.thread_id': 't1', 'ai.operationId': 'ai.streamText' }
    provider.getTracer('ai').startSpan('ai.streamText', { attributes }).end()
    await provider.forceFlush()
    await provider.shutdown()
    const [run] = await runsOf(project, 1)
    expect(run.thread_id === 't1', JSON.stringify(run))
  },
})
