import type { JoinableMessage } from '@/components/shared/message/message-items'
import type { ShownPart, ShownToolCall } from '@/components/shared/message/message-types'
import { entryOf } from '@/lib/json/guards'
import { jsonText } from '@/lib/json/value'
import type { Block, ToolOutcome, TraceMessage } from '@/lib/traces/blocks/message'
import { readCitation } from '@/lib/traces/blocks/sources'
import { readUsage, type Usage } from '@/lib/traces/facts'
import type { Finish } from '@/lib/traces/finish'
import { joinTools } from '@/lib/traces/join-tools'
import { emptyText, HIDDEN_REASONING, hiddenReasoning } from './finish-text'

/** A logged message in the shape that the console renders; `key` is its path in the run. */
export type LoggedMessage = JoinableMessage & { key: string }

const ROLES: Record<string, string> = {
  system: 'system',
  user: 'human',
  assistant: 'ai',
  reasoning: 'ai',
  tool: 'tool',
}

/** What is known of a model's answer beyond its messages. */
export type AboutAnswer = { finish?: Finish | undefined; usage?: Usage | undefined }

/**
 * Logged messages for display. A tool result inside another message becomes its own message if its call is known, so
 * that it is shown there; otherwise it stays where it was logged.
 */
export function shownMessages(messages: readonly TraceMessage[], about: AboutAnswer = {}): LoggedMessage[] {
  const { calls } = joinTools(messages)
  const isJoined = (block: Block) => isResult(block) && block.toolCallId !== undefined && calls.has(block.toolCallId)
  const all = messages.flatMap((message) => {
    const rest = message.blocks.filter((block) => !isJoined(block))
    const results = message.blocks.filter(isJoined).flatMap(resultMessage)
    // A message with nothing but results would otherwise be shown as an empty one.
    if (message.blocks.length > 0 && rest.every(isResult)) return message.blocks.flatMap(resultMessage)
    return [shown(message, rest), ...results]
  })
  return about.finish || about.usage ? withAnswer(all, about) : all
}

type ResultBlock = Block & { type: 'tool_result' | 'server_tool_result' }
const isResult = (block: Block): block is ResultBlock =>
  block.type === 'tool_result' || block.type === 'server_tool_result'

/** An answer without content says why, and reasoning that was counted but not logged is named. */
function withAnswer(all: readonly LoggedMessage[], { finish, usage }: AboutAnswer): LoggedMessage[] {
  const last = all.findLastIndex((message) => message.role === 'ai')
  const isTold = all.some((message) => message.parts.some((part) => part.kind === 'reasoning'))
  const counted = isTold ? undefined : hiddenReasoning(usage)
  const isHidden = (part: ShownPart) => part.kind === 'note' && part.text === HIDDEN_REASONING
  const hasPlace = all.some((message) => message.parts.some(isHidden))
  return all.map((message, index) => {
    const parts = message.parts.map((part) => (isHidden(part) && counted ? note(counted) : part))
    if (index !== last) return { ...message, parts }
    if (counted && !hasPlace) parts.unshift(note(counted))
    const why = parts.every((part) => part.kind === 'note') ? emptyText(finish) : undefined
    return why && parts.length > 0
      ? { ...message, parts: [...parts, note(why)] }
      : { ...message, parts, emptyText: why }
  })
}

const note = (text: string): ShownPart => ({ kind: 'note', text })

function shown(message: TraceMessage, blocks: readonly Block[]): LoggedMessage {
  const usage = readUsage(message.usage)
  const isReasoning = message.role === 'reasoning'
  return {
    key: message.path,
    role: entryOf(ROLES, message.role) ?? message.givenRole ?? 'unknown',
    name: message.name,
    toolCallId: message.toolCallId,
    toolStatus: message.status,
    parts: blocks.flatMap((block) => partsOf(block, isReasoning)),
    toolCalls: [],
    usage: usage && { input: usage.input, output: usage.output, total: usage.total },
    isComplete: true,
    isRemoved: false,
    version: 0,
  }
}

function resultMessage(block: Block): LoggedMessage[] {
  if (!isResult(block)) return []
  const { toolCallId, status, name } = block
  const parts = [...outcomeParts(block), ...asLogged(block)]
  return [
    {
      ...{ key: block.places[0].path, role: 'tool', name, toolCallId, toolStatus: status, parts },
      ...{ toolCalls: [], usage: undefined, isComplete: true, isRemoved: false, version: 0 },
    },
  ]
}

function outcomeParts({ output, blocks }: ToolOutcome): ShownPart[] {
  if (blocks) return blocks.flatMap((one) => partsOf(one))
  if (output === undefined) return []
  return [{ kind: 'text', text: typeof output === 'string' ? output : jsonText(output) }]
}

function callOf(block: Extract<Block, { args: unknown }>): ShownToolCall {
  const args = typeof block.args === 'string' ? block.args : block.args === undefined ? '' : jsonText(block.args)
  const { result } = block
  return {
    id: block.id,
    name: block.name ?? 'without a name',
    args,
    missing: 'No result in this run',
    ...(block.type === 'server_tool_call' && { isServer: true }),
    ...(result && { result: { parts: outcomeParts(result), toolStatus: result.status } }),
  }
}

const MAX_ANNOTATIONS = 100

/** The parts that show a block. What was only partly read is also shown as it was logged. */
export function partsOf(block: Block, isReasoning = false): ShownPart[] {
  return [...readParts(block, isReasoning), ...asLogged(block)]
}

function asLogged({ type, flaws: [flaw], places }: Block): ShownPart[] {
  if (!flaw || type === 'raw') return []
  const { raw } = places.find(({ path }) => flaw.path.startsWith(path)) ?? places[0]
  return [other({ type: `Partly read: ${flaw.reason}`, value: raw })]
}

function readParts(block: Block, isReasoning: boolean): ShownPart[] {
  switch (block.type) {
    case 'text':
      return textParts(block, isReasoning)
    case 'reasoning':
      if (block.isHidden) return [note(HIDDEN_REASONING)]
      return [block.text === '' ? note('Reasoning without text') : { kind: 'reasoning', text: block.text }]
    case 'refusal':
      return [{ kind: 'refusal', text: block.text }]
    case 'source': {
      const { url, title, text, score, blocks } = block
      const parts = blocks?.flatMap((one) => partsOf(one))
      const source = { ...(url && { url }), ...(title && { title }), ...(text && { quote: text }) }
      return [{ kind: 'source', source: { ...source, ...(score !== undefined && { score }), ...(parts && { parts }) } }]
    }
    case 'reference':
      return [note(`An earlier item that the provider keeps: ${block.id}`)]
    case 'tool_call':
    case 'server_tool_call':
      return [{ kind: 'call', call: callOf(block) }]
    case 'tool_result':
    case 'server_tool_result': {
      const head = `Result of ${block.name ?? block.toolCallId ?? 'a tool'}${block.status === 'error' ? ' (failed)' : ''}`
      return [note(head), ...outcomeParts(block)]
    }
    case 'raw':
      return [other({ type: `Not read: ${block.reason}`, value: block.places[0].raw })]
    default:
      return mediaParts(block)
  }
}

function textParts({ text, annotations = [] }: Extract<Block, { type: 'text' }>, isReasoning: boolean): ShownPart[] {
  if (isReasoning) return [{ kind: 'reasoning', text }]
  const kept = annotations.slice(0, MAX_ANNOTATIONS)
  const citations = kept.flatMap((one) => readCitation(one, text) ?? [])
  const unknown = kept.filter((one) => !readCitation(one, text))
  return [
    { kind: 'text', text, ...(citations.length > 0 && { citations }) },
    ...(unknown.length > 0 ? [other({ type: 'annotations', annotations: unknown })] : []),
  ]
}

const other = (block: Record<string, unknown>): ShownPart => ({ kind: 'block', block })

/** A block in the console's own format. Nothing is loaded. */
function mediaParts(block: Extract<Block, { source: unknown }>): ShownPart[] {
  const { type, source, mimeType, name, transcript } = block
  const about = { type, ...(mimeType && { mime_type: mimeType }), ...(name && { name }) }
  const said: ShownPart[] = transcript ? [{ kind: 'text', text: transcript }] : []
  if (source.from === 'text') return [...(name ? [note(name)] : []), { kind: 'text', text: source.text }, ...said]
  if (source.from === 'base64') return [other({ ...about, base64: source.base64 }), ...said]
  if (source.from === 'url') return [other({ ...about, url: source.url }), ...said]
  return [other({ ...about, id: source.id }), ...said]
}
