import { TRACE_RUN_TYPES } from '@/lib/contracts/traces/run-fields'
import { isRecord, isUuid } from '@/lib/json/guards'
import { type Json, listOf, textOf } from '@/lib/traces/blocks/values'
import { first, firstNumber, firstText, unpack } from './attributes'
import { CONTENT, contentOf, finishReasons, isContentEvent, metadataOf, wholeMetadata } from './content'
import type { OtlpSpan } from './spans'
import { usageOf } from './usage'

/** A run from a span, in the form in which SDKs log runs. See docs/decisions for the choices. */
export type SpanRun = Json & { id: string; trace_id: string }

const dashed = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')

/** A trace's id is its root's, as in all tracing SDKs. */
export const traceRunId = (traceId: string): string => dashed(traceId)
/** Span ids are unique within their trace only. */
export const spanRunId = (traceId: string, spanId: string): string => dashed(traceId.slice(16) + spanId)

export function runOfSpan(span: OtlpSpan): SpanRun {
  const { attributes } = span
  const { inputs, outputs } = contentOf(span)
  const runType = runTypeOf(attributes)
  const error = span.isError ? errorOf(span) : undefined
  return {
    ...idsOf(span),
    name: nameOf(span, runType),
    run_type: runType,
    start_time: span.start,
    // Spans are exported when they end.
    end_time: span.end ?? span.start,
    ...projectOf(attributes),
    reference_example_id: idIn(attributes, 'langsmith.reference_example_id'),
    tags: tagsOf(attributes),
    inputs: inputs ?? {},
    outputs,
    error,
    events: eventsOf(span),
    extra: {
      metadata: metadataOfSpan(span, outputs),
      runtime: { ...span.resource, scope: span.scope.name, scope_version: span.scope.version },
    },
  }
}

/** Ids that an SDK chose for its runs win over those of the spans. */
function idsOf({ traceId, spanId, parentSpanId, attributes }: OtlpSpan) {
  const id = idIn(attributes, 'langsmith.span.id')
  const trace = idIn(attributes, 'langsmith.trace.id')
  const dotted = textOf(attributes['langsmith.span.dotted_order'])
  if (id && trace)
    return {
      id,
      trace_id: trace,
      parent_run_id: idIn(attributes, 'langsmith.span.parent_id'),
      ...(dotted && { dotted_order: dotted }),
    }
  // Processors that drop other spans name the nearest one that they keep.
  const isRoot = attributes['langsmith.is_root'] === true || attributes['langsmith.root_span'] === true
  const parent = textOf(attributes['langsmith.traceable_parent_otel_span_id']) ?? parentSpanId
  return {
    id: parentSpanId ? spanRunId(traceId, spanId) : traceRunId(traceId),
    trace_id: traceRunId(traceId),
    parent_run_id: isRoot || !parent ? undefined : spanRunId(traceId, parent),
  }
}

const idIn = (attributes: Json, key: string): string | undefined => {
  const value = textOf(attributes[key])
  return value && isUuid(value) ? value.toLowerCase() : undefined
}

const OPERATIONS: Record<string, string> = {
  chat: 'llm',
  completion: 'llm',
  text_completion: 'llm',
  generate_content: 'llm',
  message: 'llm',
  embedding: 'embedding',
  embeddings: 'embedding',
  execute_tool: 'tool',
  tool: 'tool',
  retrieval: 'retriever',
  retriever: 'retriever',
}

/** What the span's own convention says; steps, agents, workflows and everything unknown are chains. */
function runTypeOf(attributes: Json): string {
  const kind = firstText(attributes, 'langsmith.span.kind')?.toLowerCase()
  const known = TRACE_RUN_TYPES.find((one) => one === kind)
  if (known) return known
  const operation = firstText(attributes, 'ai.operationId')
  if (operation) {
    if (/\.(doGenerate|doStream)$/.test(operation)) return 'llm'
    if (/\.doEmbed$/.test(operation)) return 'embedding'
    return operation === 'ai.toolCall' ? 'tool' : 'chain'
  }
  const openInference = firstText(attributes, 'openinference.span.kind')?.toLowerCase()
  if (openInference) return TRACE_RUN_TYPES.find((one) => one === openInference) ?? 'chain'
  if (firstText(attributes, 'traceloop.span.kind'))
    return attributes['traceloop.span.kind'] === 'tool' ? 'tool' : 'chain'
  const named = firstText(attributes, 'gen_ai.operation.name', 'llm.request.type')?.toLowerCase()
  if (named) return (Object.hasOwn(OPERATIONS, named) && OPERATIONS[named]) || 'chain'
  if (attributes['mcp.method.name'] === 'tools/call' || firstText(attributes, 'gen_ai.tool.name')) return 'tool'
  return firstText(attributes, 'gen_ai.request.model') ? 'llm' : 'chain'
}

/** Spans of tools are called after what they do; runs of tools after the tool. */
const nameOf = ({ name, attributes }: OtlpSpan, runType: string): string =>
  firstText(attributes, 'langsmith.trace.name') ??
  (runType === 'tool' ? firstText(attributes, 'gen_ai.tool.name', 'ai.toolCall.name', 'tool.name') : undefined) ??
  name

function projectOf(attributes: Json) {
  const id = idIn(attributes, 'langsmith.trace.session_id')
  if (id) return { session_id: id }
  const name = firstText(attributes, 'langsmith.trace.session_name')
  return name ? { session_name: name } : {}
}

function tagsOf(attributes: Json): string[] | undefined {
  const given = unpack(first(attributes, 'langsmith.span.tags', 'tag.tags'))
  const list = typeof given === 'string' ? given.split(',') : listOf(given)
  const tags = list.flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [one.trim()] : []))
  return tags.length > 0 ? tags : undefined
}

/** Metadata key of the span's id, by which children find a root whose run has the trace's id. */
export const SPAN_ID = 'otel_span_id'
/** Attributes that become fields of the run, and so no metadata. */
const FIELDS = /^(langsmith\.|traceloop\.association\.properties\.|ai\.telemetry\.metadata\.|tag\.tags$)/

function metadataOfSpan(span: OtlpSpan, outputs: Json | undefined): Json {
  const { attributes } = span
  const { metadata, ...others } = attributes
  const own = Object.entries(wholeMetadata(attributes) ? others : attributes).filter(
    ([key, value]) => value !== null && !CONTENT.test(key) && !FIELDS.test(key),
  )
  const named: Json = {
    ls_provider: firstText(
      attributes,
      'gen_ai.provider.name',
      'gen_ai.system',
      'ai.model.provider',
      'llm.provider',
      'llm.system',
    ),
    ls_model_name: firstText(
      attributes,
      'gen_ai.request.model',
      'gen_ai.response.model',
      'ai.model.id',
      'llm.model_name',
      'llm.request.model',
      'embedding.model_name',
    ),
    ls_temperature: firstNumber(attributes, 'gen_ai.request.temperature', 'ai.settings.temperature'),
    ls_max_tokens: firstNumber(
      attributes,
      'gen_ai.request.max_tokens',
      'ai.settings.maxOutputTokens',
      'ai.settings.maxTokens',
    ),
    ls_invocation_params: parametersOf(attributes),
    thread_id: firstText(attributes, 'gen_ai.conversation.id'),
    session_id: firstText(attributes, 'session.id'),
    finish_reasons: finishReasons(attributes, outputs),
    usage_metadata: usageOf(attributes),
  }
  const known = Object.entries(named).filter(([, value]) => value !== undefined)
  return {
    ...Object.fromEntries(own),
    ...Object.fromEntries(known),
    ...metadataOf(attributes),
    [SPAN_ID]: span.spanId,
    otel_trace_id: span.traceId,
  }
}

const PARAMETERS = 'llm.invocation_parameters'
/** What OpenInference logs of the call, offered tools among it. */
function parametersOf(attributes: Json): Json | undefined {
  const given = unpack(attributes[PARAMETERS])
  return isRecord(given) && Object.keys(given).length > 0 ? given : undefined
}

function errorOf({ events, attributes, statusMessage }: OtlpSpan): string {
  const exception = events.findLast(({ name }) => name === 'exception')?.attributes ?? {}
  const type = firstText(exception, 'exception.type') ?? firstText(attributes, 'error.type')
  const message = firstText(exception, 'exception.message') ?? statusMessage ?? firstText(attributes, 'error.message')
  const line = [type, message].filter(Boolean).join(': ') || 'The span failed without a message.'
  const trace = firstText(exception, 'exception.stacktrace')
  if (!trace) return line
  return message && trace.includes(message) ? trace : `${line}\n\n${trace}`
}

/** Other events of the span, and the arrival of the first token where a convention tells it. */
function eventsOf({ events, attributes, start }: OtlpSpan): Json[] {
  const shown = events.filter((event) => !isContentEvent(event))
  const listed = shown.map(({ name, time, attributes: kwargs }) => ({ name, time: isoOf(time), kwargs }))
  const chunk = events.find(({ name }) => name === 'ai.stream.firstChunk' || name === 'First Token Stream Event')
  const seconds = firstNumber(attributes, 'gen_ai.response.time_to_first_chunk')
  const waited = seconds === undefined ? firstNumber(attributes, 'ai.response.msToFirstChunk') : seconds * 1000
  const at = chunk?.time ?? (waited === undefined || start === undefined ? undefined : start + waited)
  return at === undefined ? listed : [{ name: 'new_token', time: isoOf(at) }, ...listed]
}

/** Undefined beyond the range of dates, which attributes can reach. */
const isoOf = (ms: number | undefined): string | undefined =>
  ms !== undefined && ms < 8.64e15 ? new Date(ms).toISOString() : undefined
