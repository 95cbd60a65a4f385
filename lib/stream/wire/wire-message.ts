import { isRecord } from '@/lib/json/guards'

/**
 * One message in a single shape. On the wire it is flat (`{type, content, …}`), a serialised class (`{lc: 1, id: […,
 * ClassName], kwargs}`), or input (`{role, content}`).
 */
export type WireMessage = {
  id: string | undefined
  role: string
  name: string | undefined
  parts: WirePart[]
  toolCalls: WireToolCall[]
  toolCallId: string | undefined
  toolStatus: string | undefined
  usage: Usage | undefined
  /** A chunk to append; otherwise the complete message. */
  isChunk: boolean
}

/** `index` identifies a content block that arrives in chunks; blocks without one are appended. */
export type WirePart =
  | { kind: 'text' | 'reasoning'; text: string; index: number | undefined }
  | { kind: 'block'; block: Record<string, unknown>; index: number | undefined }

export type WireToolCall = { index: number | undefined; id: string | undefined; name: string; args: string }
export type Usage = { input: number; output: number; total: number }

type Json = Record<string, unknown>
/** JSON text of a value; a placeholder if it is nested deeper than the stack. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null'
  } catch {
    return '[nested too deeply]'
  }
}
const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const optional = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined)

const ROLES: Record<string, string> = { user: 'human', assistant: 'ai', developer: 'system', function: 'tool' }
const roleOf = (type: string): string => {
  const plain = type.replace(/Message(Chunk)?$/, '').toLowerCase()
  return ROLES[plain] ?? plain
}

/** Undefined if the value is not a message. */
export function readMessage(value: unknown): WireMessage | undefined {
  if (!isRecord(value)) return undefined
  const isClass = value.lc === 1 && isRecord(value.kwargs)
  const className = isClass && Array.isArray(value.id) ? text(value.id.at(-1)) : ''
  const body = isClass ? (value.kwargs as Json) : isRecord(value.data) && !('content' in value) ? value.data : value
  const type = className || text(value.type) || text(value.role)
  if (type === '' || !('content' in body || 'tool_calls' in body || type === 'remove')) return undefined
  const isChunk = type.endsWith('Chunk') || 'tool_call_chunks' in body
  return {
    id: optional(body.id),
    role: roleOf(type),
    name: optional(body.name),
    parts: readParts(body),
    toolCalls: readToolCalls(body, isChunk),
    toolCallId: optional(body.tool_call_id),
    toolStatus: optional(body.status),
    usage: readUsage(body.usage_metadata),
    isChunk,
  }
}

function readParts(body: Json): WirePart[] {
  const parts: WirePart[] = []
  // Some providers send the reasoning next to the content, not in it.
  const aside = isRecord(body.additional_kwargs) ? text(body.additional_kwargs.reasoning_content) : ''
  if (aside !== '') parts.push({ kind: 'reasoning', text: aside, index: undefined })
  if (typeof body.content === 'string') {
    if (body.content !== '') parts.push({ kind: 'text', text: body.content, index: undefined })
  } else if (Array.isArray(body.content)) {
    for (const block of body.content) {
      const part =
        typeof block === 'string' ? ({ kind: 'text', text: block, index: undefined } as const) : readBlock(block)
      if (part) parts.push(part)
    }
  }
  return parts
}

// They repeat `tool_calls` and `tool_call_chunks`.
const TOOL_BLOCKS = new Set(['tool_use', 'tool_call', 'tool_call_chunk', 'input_json_delta', 'function_call'])

function readBlock(block: unknown): WirePart | undefined {
  if (!isRecord(block)) return undefined
  const index = number(block.index)
  const type = text(block.type)
  if (TOOL_BLOCKS.has(type)) return undefined
  if (type === 'text' || type === 'text_delta' || type === 'output_text')
    return { kind: 'text', text: text(block.text), index }
  if (type === 'reasoning' || type === 'thinking' || type === 'thinking_delta') {
    const summary = Array.isArray(block.summary)
      ? block.summary.map((one) => (isRecord(one) ? text(one.text) : '')).join('')
      : ''
    return {
      kind: 'reasoning',
      text: text(block.reasoning) || text(block.thinking) || text(block.text) || summary,
      index,
    }
  }
  return { kind: 'block', block, index }
}

function readToolCalls(body: Json, isChunk: boolean): WireToolCall[] {
  const calls = isChunk && Array.isArray(body.tool_call_chunks) ? body.tool_call_chunks : body.tool_calls
  if (!Array.isArray(calls)) return []
  return calls.filter(isRecord).map((call) => ({
    index: number(call.index),
    id: optional(call.id),
    name: text(call.name),
    // A complete call has its arguments as a value, a chunk as a fragment of JSON text.
    args: typeof call.args === 'string' ? call.args : call.args === undefined ? '' : jsonOf(call.args),
  }))
}

export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined
  const input = number(value.input_tokens) ?? 0
  const output = number(value.output_tokens) ?? 0
  return { input, output, total: number(value.total_tokens) ?? input + output }
}
