import type { JoinableMessage } from '@/components/shared/message/message-items'
import type { ShownPart, ShownToolCall } from '@/components/shared/message/message-types'
import { jsonText } from '@/lib/json/value'
import { readUsage } from '@/lib/traces/facts'
import type { Block, TraceMessage } from '@/lib/traces/message'

/** A logged message in the shape that the console renders; `key` is its path in the run. */
export type LoggedMessage = JoinableMessage & { key: string }

const ROLES: Record<string, string> = {
  system: 'system',
  user: 'human',
  assistant: 'ai',
  reasoning: 'ai',
  tool: 'tool',
}

/**
 * Logged messages for display. A tool result inside another message becomes its own message, so that it can be matched with
 * its call.
 */
export function shownMessages(messages: readonly TraceMessage[]): LoggedMessage[] {
  return messages.flatMap((message) => {
    const isResult = (block: Block) => block.type === 'tool_result' || block.type === 'server_tool_result'
    const rest = message.blocks.filter((block) => !isResult(block))
    const results = message.blocks.filter(isResult).map(resultOf)
    // A message with nothing but results would otherwise be shown as an empty one.
    if (results.length > 0 && rest.length === 0) return results
    return [shown(message, rest), ...results]
  })
}

function shown(message: TraceMessage, blocks: readonly Block[]): LoggedMessage {
  const usage = readUsage(message.usage)
  const isReasoning = message.role === 'reasoning'
  return {
    key: message.path,
    role: ROLES[message.role] ?? message.givenRole ?? 'unknown',
    name: message.name,
    toolCallId: message.toolCallId,
    toolStatus: message.status,
    parts: blocks.flatMap((block) => partsOf(block, isReasoning)),
    toolCalls: blocks.flatMap(callOf),
    usage: usage && { input: usage.input, output: usage.output, total: usage.total },
    isComplete: true,
    isRemoved: false,
    version: 0,
  }
}

function resultOf(block: Block): LoggedMessage {
  if (block.type !== 'tool_result' && block.type !== 'server_tool_result') throw new TypeError('no result of a tool')
  const { toolCallId, status, output, blocks } = block
  const parts: ShownPart[] = blocks
    ? blocks.flatMap((one) => partsOf(one, false))
    : [{ kind: 'text', text: typeof output === 'string' ? output : jsonText(output) }]
  return {
    ...{ key: block.places[0].path, role: 'tool', name: undefined, toolCallId, toolStatus: status, parts },
    ...{ toolCalls: [], usage: undefined, isComplete: true, isRemoved: false, version: 0 },
  }
}

function callOf(block: Block): ShownToolCall[] {
  if (block.type !== 'tool_call' && block.type !== 'server_tool_call') return []
  const args = typeof block.args === 'string' ? block.args : block.args === undefined ? '' : jsonText(block.args)
  return [{ id: block.id, name: block.name ?? 'without a name', args }]
}

const MAX_ANNOTATIONS = 100

function partsOf(block: Block, isReasoning: boolean): ShownPart[] {
  switch (block.type) {
    case 'text':
      return [
        { kind: isReasoning ? 'reasoning' : 'text', text: block.text },
        ...(block.annotations?.length
          ? [other({ type: 'annotations', annotations: block.annotations.slice(0, MAX_ANNOTATIONS) })]
          : []),
      ]
    case 'reasoning':
      return [{ kind: 'reasoning', text: block.isHidden ? 'The provider does not share this reasoning.' : block.text }]
    case 'refusal':
      return [{ kind: 'text', text: block.text }]
    case 'tool_call':
    case 'server_tool_call':
      return []
    case 'tool_result':
    case 'server_tool_result':
      return resultOf(block).parts.slice()
    case 'raw':
      return [other({ type: `Not read: ${block.reason}`, value: block.places[0].raw })]
    default:
      return [mediaPart(block)]
  }
}

const other = (block: Record<string, unknown>): ShownPart => ({ kind: 'block', block })

/** A block in the console's own format. Nothing is loaded. */
function mediaPart(block: Extract<Block, { source: unknown }>): ShownPart {
  const { type, source, mimeType, name } = block
  if (source.from === 'text') return { kind: 'text', text: source.text }
  const about = { type, ...(mimeType && { mime_type: mimeType }), ...(name && { name }) }
  if (source.from === 'base64') return other({ ...about, base64: source.base64 })
  if (source.from === 'url') return other({ ...about, url: source.url })
  return other({ ...about, id: source.id })
}
