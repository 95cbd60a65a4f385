import { isRecord } from '@/lib/json/guards'
import { get, listOf, textOf } from './blocks/values'

/** Why a model stopped, in one vocabulary for all providers. */
export type FinishKind =
  | 'stop'
  | 'length'
  | 'tool_calls'
  | 'content_filter'
  | 'refusal'
  | 'error'
  | 'broken_off'
  | 'other'
export type Finish = { kind: FinishKind /** The reason as logged. */; given: string }

/** The kinds that tell something. */
export const FINISH_KINDS = [
  ...(['stop', 'tool_calls', 'length', 'content_filter', 'refusal', 'error', 'broken_off'] as const),
] satisfies FinishKind[]

const KINDS: Record<FinishKind, readonly string[]> = {
  stop: ['stop', 'end_turn', 'stop_sequence', 'completed', 'finish_reason_stop'],
  length: ['length', 'max_tokens', 'max_output_tokens', 'model_context_window_exceeded'],
  tool_calls: ['tool_call', 'tool_calls', 'tool-calls', 'tool_use', 'function_call'],
  content_filter: [
    ...[
      'content_filter',
      'content-filter',
      'safety',
      'recitation',
      'blocklist',
      'prohibited_content',
      'spii',
      'language',
    ],
    ...['image_safety', 'image_prohibited_content', 'image_recitation'],
  ],
  refusal: ['refusal'],
  error: ['error', 'failed', 'malformed_function_call', 'unexpected_tool_call', 'malformed_response', 'cancelled'],
  broken_off: ['no finish reason'],
  other: [],
}
const KIND_OF = new Map(Object.entries(KINDS).flatMap(([kind, all]) => all.map((one) => [one, kind as FinishKind]))) // the table's own keys

/** Why the model stopped, from the run's outputs in any format; undefined if nothing tells. */
export function finishOf(outputs: unknown): Finish | undefined {
  const given = reasonIn(outputs, 0)
  if (given === undefined) return undefined
  return { kind: KIND_OF.get(given.toLowerCase()) ?? 'other', given }
}

const KEYS = ['finish_reason', 'stop_reason', 'finishReason', 'stopReason', 'done_reason'] as const
/** Where formats nest what the provider said, in the order of search. */
const HOLDERS = [
  ...[
    'generations',
    'choices',
    'candidates',
    'message',
    'kwargs',
    'response_metadata',
    'generation_info',
    'generationInfo',
  ],
  'additional_kwargs',
  ...['llm_output', 'output', 'outputs', 'response', 'messages', 'data'],
] as const

function reasonIn(value: unknown, depth: number): string | undefined {
  if (depth > 6) return undefined
  if (Array.isArray(value)) {
    for (const one of value.slice(-4).reverse()) {
      const found = reasonIn(one, depth + 1)
      if (found !== undefined) return found
    }
    return undefined
  }
  if (!isRecord(value)) return undefined
  const reason = KEYS.map((key) => textOf(value[key]) ?? textOf(get(value[key], 'unified'))).find(Boolean)
  if (reason !== undefined && reason !== 'completed') return reason
  const blocked =
    textOf(get(value, 'promptFeedback', 'blockReason')) ?? textOf(get(value, 'prompt_feedback', 'block_reason'))
  if (blocked !== undefined) return blocked
  const incomplete = textOf(get(value, 'incomplete_details', 'reason'))
  if (incomplete !== undefined) return incomplete
  for (const key of HOLDERS) {
    const found = value[key] === undefined ? undefined : reasonIn(value[key], depth + 1)
    if (found !== undefined) return found
  }
  if (isBrokenOff(value)) return KINDS.broken_off[0]
  // The Responses API has a status, and nothing that says why it is over.
  const isItems = Array.isArray(value.output) || value.object === 'response'
  return isItems ? statusReason(value) : undefined
}

function statusReason(value: Record<string, unknown>): string | undefined {
  const status = textOf(value.status)
  const calls = listOf(value.output).some((item) =>
    /^(function|custom_tool)_call$/.test(textOf(get(item, 'type')) ?? ''),
  )
  return status === 'completed' && calls ? 'tool_calls' : status
}

/** A stream without its last piece: the APIs tell the reason with that one, and none before. */
const isBrokenOff = ({ object, choices, role, stop_reason, type }: Record<string, unknown>): boolean =>
  (object === 'chat.completion.chunk' && listOf(choices).length > 0) ||
  (role === 'assistant' && stop_reason === null) ||
  (typeof type === 'string' && /^response\.(?!completed$|incomplete$|failed$)/.test(type))
