import { isRecord } from '@/lib/json/guards'
import { get, type Json, listOf, textOf } from '@/lib/traces/blocks/values'
import { below, first, firstText, listBelow, unpack } from './attributes'
import type { OtlpSpan, SpanEvent } from './spans'

/**
 * Inputs and outputs of a span. Every convention of messages becomes the interface's own format; other values stay as
 * they were logged.
 */

/** Attributes that hold inputs or outputs, so that they are not repeated as metadata. */
export const CONTENT =
  /^(gen_ai\.(input\.messages|output\.messages|system_instructions|prompt|completion|tool\.definitions|tool\.call\.(arguments|result)|retrieval\.(query|documents))|ai\.(prompt|toolCall\.(args|input|result|output)|response\.(text|toolCalls|object|reasoning|files)|values?|embeddings?)|llm\.(tools|input_messages|output_messages|prompts|completions)|embedding\.embeddings|retrieval\.documents|(input|output)\.(value|mime_type)|traceloop\.entity\.(input|output))(\.|$)/

const DETAILS = 'gen_ai.client.inference.operation.details'
const EVENT_ROLES: Record<string, string> = {
  'gen_ai.system.message': 'system',
  'gen_ai.user.message': 'user',
  'gen_ai.assistant.message': 'assistant',
  'gen_ai.tool.message': 'tool',
  'gen_ai.choice': 'assistant',
}
/** Events whose content becomes inputs or outputs. */
export const isContentEvent = ({ name }: SpanEvent): boolean =>
  name === DETAILS || Object.hasOwn(EVENT_ROLES, name) || name.startsWith('gen_ai.content.')

export function contentOf(span: OtlpSpan): { inputs: Json | undefined; outputs: Json | undefined } {
  const attributes = { ...eventAttributes(span.events), ...span.attributes }
  const outputs = outputsOf(attributes, span.events)
  return { inputs: inputsOf(attributes, span.events), outputs: outputs && withReason(outputs, attributes) }
}

/** Readers find the reason of the end in the answer itself. */
function withReason(outputs: Json, attributes: Json): Json {
  const reasons = finishReasons(attributes, undefined)
  if (!reasons) return outputs
  if (!Array.isArray(outputs.messages))
    return 'text' in outputs || 'toolCalls' in outputs ? { ...outputs, finish_reason: reasons[0] } : outputs
  const messages = outputs.messages.map((message, index) =>
    isRecord(message) && message.finish_reason === undefined && reasons[index] !== undefined
      ? { ...message, finish_reason: reasons[index] }
      : message,
  )
  return { ...outputs, messages }
}

/** Attributes that newer instrumentations put into an event, because they may be large. */
const eventAttributes = (events: readonly SpanEvent[]): Json =>
  Object.assign(
    {},
    ...events.flatMap(({ name, attributes }) =>
      name === DETAILS || name.startsWith('gen_ai.content.') ? [attributes] : [],
    ),
  )

function inputsOf(attributes: Json, events: readonly SpanEvent[]): Json | undefined {
  const system = systemOf(attributes['gen_ai.system_instructions'])
  const messages = messagesOf(attributes, 'input') ?? eventMessages(events, (name) => name !== 'gen_ai.choice')
  if (messages) return { messages: [...system, ...messages], ...toolsOf(attributes) }
  const value = first(
    attributes,
    ...['gen_ai.tool.call.arguments', 'ai.toolCall.input', 'ai.toolCall.args', 'gen_ai.prompt', 'ai.prompt.messages'],
    ...['ai.prompt', 'ai.values', 'ai.value', 'gen_ai.retrieval.query.text', 'traceloop.entity.input', 'input.value'],
  )
  if (value === undefined) return system.length > 0 ? { messages: system } : undefined
  return { ...asObject(value, 'input'), ...toolsOf(attributes) }
}

function outputsOf(attributes: Json, events: readonly SpanEvent[]): Json | undefined {
  const messages = messagesOf(attributes, 'output') ?? eventMessages(events, (name) => name === 'gen_ai.choice')
  if (messages) return { messages }
  const answer = answerOf(attributes)
  if (answer) return answer
  const found = foundOf(attributes)
  if (found) return found
  const value = first(
    attributes,
    ...['gen_ai.tool.call.result', 'ai.toolCall.output', 'ai.toolCall.result', 'gen_ai.completion'],
    ...['ai.response.object', 'ai.embeddings', 'ai.embedding', 'gen_ai.retrieval.documents'],
    ...['traceloop.entity.output', 'output.value'],
  )
  return value === undefined ? undefined : asObject(value, 'output')
}

/** The AI SDK's older attributes: a text, calls of tools, or both. */
function answerOf(attributes: Json): Json | undefined {
  const text = textOf(attributes['ai.response.text'])
  const toolCalls = listOf(unpack(attributes['ai.response.toolCalls']))
  if (text === undefined && toolCalls.length === 0) return undefined
  return { ...(text !== undefined && { text }), ...(toolCalls.length > 0 && { toolCalls }) }
}

/** Vectors and documents of OpenInference, in the form in which SDKs log them. */
function foundOf(attributes: Json): Json | undefined {
  const vectors = listBelow(attributes, 'embedding.embeddings').map((one) => unpack(get(one, 'embedding', 'vector')))
  if (vectors.some(Array.isArray)) return { embeddings: vectors }
  const documents = listBelow(attributes, 'retrieval.documents').map((one) => {
    const { content, metadata, ...rest } = isRecord(get(one, 'document')) ? (get(one, 'document') as Json) : {}
    return { ...rest, page_content: content, metadata: unpack(metadata) ?? {} }
  })
  return documents.length > 0 ? { documents } : undefined
}

const toolsOf = (attributes: Json): Json => {
  const tools = unpack(first(attributes, 'gen_ai.tool.definitions', 'ai.prompt.tools', 'llm.tools'))
  const list = Array.isArray(tools) ? tools.map(unpack) : []
  return list.length > 0 ? { tools: list } : {}
}

function asObject(given: unknown, key: 'input' | 'output'): Json {
  const value = unpack(given)
  if (isRecord(value)) return value
  const isMessages = Array.isArray(value) && value.length > 0 && value.every((one) => get(one, 'role') !== undefined)
  return isMessages ? { messages: value } : { [key]: value }
}

const systemOf = (given: unknown): Json[] => {
  const value = unpack(given)
  if (textOf(value)) return [{ role: 'system', content: value }]
  const parts = listOf(value)
  return parts.length > 0 ? messagesOfParts({ role: 'system', parts }) : []
}

/** Messages of the first convention that has any. */
function messagesOf(attributes: Json, side: 'input' | 'output'): Json[] | undefined {
  const current = listOf(unpack(attributes[`gen_ai.${side}.messages`]))
  if (current.length > 0) return current.flatMap((one) => (isRecord(one) ? messagesOfParts(one) : []))
  const prefixes =
    side === 'input'
      ? ['gen_ai.prompt', 'llm.prompts', 'llm.input_messages']
      : ['gen_ai.completion', 'llm.completions', 'llm.output_messages']
  for (const prefix of prefixes) {
    const found = listBelow(attributes, prefix)
    if (found.length > 0)
      return found.map((one) => indexedMessage(one as Json, side === 'input' ? 'user' : 'assistant'))
  }
  return undefined
}

/** A message of the current conventions: `{ role, parts }`. Each result of a tool becomes a message of its own. */
function messagesOfParts(message: Json): Json[] {
  if (!Array.isArray(message.parts)) return [message]
  const { parts, ...rest } = message as Json & { parts: unknown[] }
  const results = parts.filter((part) => get(part, 'type') === 'tool_call_response')
  const others = parts.filter((part) => get(part, 'type') !== 'tool_call_response')
  const own = results.map((part) => {
    const response = get(part, 'response') ?? get(part, 'result')
    return {
      role: 'tool',
      tool_call_id: get(part, 'id'),
      content: typeof response === 'string' ? response : JSON.stringify(response ?? null),
    }
  })
  return others.length > 0 || own.length === 0 ? [{ ...rest, content: contentOfParts(others) }, ...own] : own
}

function contentOfParts(parts: readonly unknown[]): unknown {
  const [only] = parts
  if (parts.length === 1 && get(only, 'type') === 'text' && typeof get(only, 'content') === 'string')
    return get(only, 'content')
  return parts.map(blockOf)
}

const MEDIA: Record<string, (part: Json) => Json> = {
  blob: ({ content }) => ({ base64: content }),
  uri: ({ uri }) => ({ url: uri }),
  file: ({ file_id }) => ({ id: file_id }),
}

function blockOf(part: unknown): unknown {
  if (!isRecord(part)) return part
  const { type, content, modality, arguments: args, ...rest } = part
  if (type === 'text' || type === 'reasoning') return { ...rest, type, text: content ?? rest.text }
  if (type === 'tool_call') return { ...rest, type, args: unpack(args) ?? {} }
  const media = typeof type === 'string' && Object.hasOwn(MEDIA, type) ? MEDIA[type] : undefined
  if (!media) return part
  const kind = ['image', 'audio', 'video'].find((one) => one === modality) ?? 'file'
  return { type: kind, ...media(part), ...(rest.mime_type !== undefined && { mime_type: rest.mime_type }) }
}

/** A message from numbered attributes: `gen_ai.prompt.0.role`, or OpenInference's with `message` around it. */
function indexedMessage(entry: Json, fallbackRole: string): Json {
  const message = isRecord(entry.message) ? entry.message : entry
  const contents = listOf(message.contents).map((one) => {
    const block = get(one, 'message_content')
    const image = get(block, 'image', 'image', 'url')
    return image === undefined ? block : { type: 'image', url: image }
  })
  const calls = listOf(message.tool_calls).map((one) => {
    const call = isRecord(get(one, 'tool_call')) ? get(one, 'tool_call') : one
    return {
      type: 'tool_call',
      id: get(call, 'id'),
      name: get(call, 'name') ?? get(call, 'function', 'name'),
      args: unpack(get(call, 'arguments') ?? get(call, 'function', 'arguments')) ?? {},
    }
  })
  const written = contents.length > 0 ? contents : partsIn(message.content)
  const texts = typeof written === 'string' && written !== '' ? [{ type: 'text', text: written }] : listOf(written)
  return {
    role: message.role ?? fallbackRole,
    content: calls.length === 0 ? (written ?? '') : [...texts, ...calls],
    ...(message.tool_call_id !== undefined && { tool_call_id: message.tool_call_id }),
    ...(message.finish_reason !== undefined && { finish_reason: message.finish_reason }),
  }
}

/** Content of several parts is logged as JSON text; other text that looks like JSON stays text. */
function partsIn(content: unknown): unknown {
  const value = unpack(content)
  return Array.isArray(value) && value.every((one) => typeof get(one, 'type') === 'string') ? value : content
}

/** Messages of the older conventions, one event each. */
function eventMessages(events: readonly SpanEvent[], isWanted: (name: string) => boolean): Json[] | undefined {
  const found = events.flatMap(({ name, attributes }) => {
    const role = Object.hasOwn(EVENT_ROLES, name) ? EVENT_ROLES[name] : undefined
    return role && isWanted(name) ? [eventMessage(role, attributes)] : []
  })
  return found.length > 0 ? found : undefined
}

function eventMessage(role: string, attributes: Json): Json {
  const body = unpack(attributes['gen_ai.event.content'])
  const given: Json = isRecord(body)
    ? body
    : Object.fromEntries(Object.entries(attributes).map(([key, value]) => [key, unpack(value)]))
  const message = isRecord(given.message) ? given.message : given
  const calls = listOf(message.tool_calls)
  return {
    role: firstText(message, 'role') ?? role,
    content: message.content ?? (isRecord(body) ? '' : (body ?? '')),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(role === 'tool' && message.id !== undefined && { tool_call_id: message.id }),
    ...(given.finish_reason !== undefined && { finish_reason: given.finish_reason }),
  }
}

/** Reasons why the model stopped, from wherever they are. */
export function finishReasons(attributes: Json, outputs: Json | undefined): string[] | undefined {
  const given = unpack(
    first(attributes, 'gen_ai.response.finish_reasons', 'ai.response.finishReason', 'llm.finish_reason'),
  )
  const list = Array.isArray(given) ? given : given === undefined ? [] : [given]
  const found = list.concat(list.length > 0 ? [] : listOf(outputs?.messages).map((one) => get(one, 'finish_reason')))
  const texts = found.filter((one): one is string => typeof one === 'string' && one !== '')
  return texts.length > 0 ? texts : undefined
}

/** Metadata that an application set, under its own keys. OpenInference writes all of it as one JSON text. */
export function metadataOf(attributes: Json): Json {
  const prefixes = ['traceloop.association.properties.', 'ai.telemetry.metadata.', 'langsmith.metadata.']
  const single = prefixes.flatMap((prefix) => below(attributes, prefix))
  return { ...wholeMetadata(attributes), ...Object.fromEntries(single) }
}

export function wholeMetadata({ metadata }: Json): Json | undefined {
  const whole = unpack(metadata)
  return isRecord(whole) ? whole : undefined
}
