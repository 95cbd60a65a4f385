import type { Segment } from './namespaces'
import type { Usage, WireMessage, WirePart, WireToolCall } from './wire-message'

export type MessagePart =
  | { kind: 'text' | 'reasoning'; text: string; index: number | undefined }
  | { kind: 'block'; block: Record<string, unknown>; index: number | undefined }
/** `args` is JSON text; while the call streams it may stop anywhere. */
export type ToolCall = { index: number | undefined; id: string | undefined; name: string; args: string }

/** A message of the run as far as it is known. Mutable: `version` moves with every change of it. */
export type RunMessage = {
  /** The message's id, or a made-up one where the server gives none. */
  key: string
  id: string | undefined
  role: string
  name: string | undefined
  parts: MessagePart[]
  toolCalls: ToolCall[]
  toolCallId: string | undefined
  toolStatus: string | undefined
  usage: Usage | undefined
  namespace: readonly Segment[]
  node: string | undefined
  /** Attempt of the run that wrote it. */
  attempt: number
  /** First and last log entry that brought a part of it; 0 where it was only ever seen in a state. */
  firstSeq: number
  lastSeq: number
  firstAt: number
  lastAt: number
  isComplete: boolean
  /** Removed by the graph, or given up by a retry and not part of the final state. */
  isRemoved: boolean
  version: number
}

export type Origin = {
  namespace: readonly Segment[]
  node: string | undefined
  attempt: number
  seq: number
  at: number
}

export const createMessage = (key: string, wire: WireMessage, from: Origin): RunMessage => ({
  key,
  id: wire.id,
  role: wire.role,
  name: wire.name,
  parts: [],
  toolCalls: [],
  toolCallId: wire.toolCallId,
  toolStatus: wire.toolStatus,
  usage: undefined,
  namespace: from.namespace,
  node: from.node,
  attempt: from.attempt,
  firstSeq: from.seq,
  lastSeq: from.seq,
  firstAt: from.at,
  lastAt: from.at,
  isComplete: false,
  isRemoved: false,
  version: 0,
})

const sum = (a: Usage | undefined, b: Usage): Usage =>
  a ? { input: a.input + b.input, output: a.output + b.output, total: a.total + b.total } : b

/** Adds a piece. Constant work: strings grow as ropes (the engine joins them when they are read, once a frame), nothing is copied. */
export function addChunk(message: RunMessage, wire: WireMessage): void {
  for (const part of wire.parts) addPart(message.parts, part)
  for (const call of wire.toolCalls) addToolCall(message.toolCalls, call)
  message.name ??= wire.name
  message.toolCallId ??= wire.toolCallId
  if (wire.toolStatus) message.toolStatus = wire.toolStatus
  if (wire.usage) message.usage = sum(message.usage, wire.usage)
  message.version++
}

/** The whole message takes the place of what was put together so far. */
export function replaceMessage(message: RunMessage, wire: WireMessage): void {
  message.parts = []
  message.toolCalls = []
  const usage = wire.usage ?? message.usage
  message.usage = undefined
  addChunk(message, wire)
  message.usage = usage
  message.role = wire.role
  message.isComplete = true
}

/** Empties a message that a retried run begins to write again. */
export function restartMessage(message: RunMessage, attempt: number): void {
  Object.assign(message, { parts: [], toolCalls: [], usage: undefined, attempt, isComplete: false, isRemoved: false })
}

function addPart(parts: MessagePart[], part: WirePart): void {
  const last = parts.at(-1)
  // The block being written is nearly always the last one; others are searched for (blocks of a message are few).
  const same = (one: MessagePart) => one.kind === part.kind && one.index === part.index
  const target = last && same(last) ? last : part.index === undefined ? undefined : parts.findLast(same)
  if (!target) parts.push({ ...part })
  else if (target.kind !== 'block' && part.kind !== 'block') target.text += part.text
  else if (target.kind === 'block' && part.kind === 'block') {
    if (part.index === undefined) parts.push({ ...part })
    else target.block = { ...target.block, ...part.block }
  }
}

/** Fragments of one call share its index; those without one share its id, or follow the last call when they have neither. */
function addToolCall(calls: ToolCall[], call: WireToolCall): void {
  const target =
    call.index !== undefined
      ? calls.findLast((one) => one.index === call.index && (!call.id || !one.id || one.id === call.id))
      : call.id
        ? calls.findLast((one) => one.id === call.id)
        : call.name === ''
          ? calls.at(-1)
          : undefined
  if (!target) {
    calls.push({ ...call })
    return
  }
  target.id ??= call.id
  // Some servers repeat the name in every fragment.
  if (target.name !== call.name) target.name += call.name
  target.args += call.args
}

const joined = (message: RunMessage, kind: 'text' | 'reasoning') =>
  message.parts.reduce((text, part) => (part.kind === kind ? text + part.text : text), '')

export const messageText = (message: RunMessage): string => joined(message, 'text')
export const messageReasoning = (message: RunMessage): string => joined(message, 'reasoning')
