import type { Segment } from './wire/namespaces'
import type { Usage, WireMessage, WirePart, WireToolCall } from './wire/wire-message'

export type MessagePart =
  | { kind: 'text' | 'reasoning'; text: string; index: number | undefined }
  | { kind: 'block'; block: Record<string, unknown>; index: number | undefined }
/** `args` is JSON text, which is incomplete while the call streams. */
export type ToolCall = { index: number | undefined; id: string | undefined; name: string; args: string }

/** A message of the run as far as it is known. Mutable: `version` changes with every update. */
export type RunMessage = {
  /** The message's id, or a generated one if the server sends none. */
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
  /** First and last log entry with a part of it; 0 if it was only seen in a state. */
  firstSeq: number
  lastSeq: number
  firstAt: number
  lastAt: number
  isComplete: boolean
  /** Removed by the graph, or from an abandoned attempt and not in the final state. */
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

/** Appends a chunk in constant time: strings grow as ropes, which the engine joins when they are read. */
export function addChunk(message: RunMessage, wire: WireMessage): void {
  for (const part of wire.parts) addPart(message.parts, part)
  for (const call of wire.toolCalls) addToolCall(message.toolCalls, call)
  message.name ??= wire.name
  message.toolCallId ??= wire.toolCallId
  if (wire.toolStatus) message.toolStatus = wire.toolStatus
  if (wire.usage) message.usage = sum(message.usage, wire.usage)
  message.version++
}

/** Replaces the chunks so far with the complete message. */
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

/** Clears a message that a retried run writes again. */
export function restartMessage(message: RunMessage, attempt: number): void {
  Object.assign(message, { parts: [], toolCalls: [], usage: undefined, attempt, isComplete: false, isRemoved: false })
}

function addPart(parts: MessagePart[], part: WirePart): void {
  const last = parts.at(-1)
  // The current block is nearly always the last one, and a message has few others to search.
  const same = (one: MessagePart) => one.kind === part.kind && one.index === part.index
  const target = last && same(last) ? last : part.index === undefined ? undefined : parts.findLast(same)
  if (!target) parts.push({ ...part })
  else if (target.kind !== 'block' && part.kind !== 'block') target.text += part.text
  else if (target.kind === 'block' && part.kind === 'block') {
    if (part.index === undefined) parts.push({ ...part })
    else target.block = { ...target.block, ...part.block }
  }
}

/** Chunks of one call share its index; without one, its id; without either, they belong to the last call. */
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
  // Some servers repeat the name in every chunk.
  if (target.name !== call.name) target.name += call.name
  target.args += call.args
}

const joined = (message: RunMessage, kind: 'text' | 'reasoning') =>
  message.parts.reduce((text, part) => (part.kind === kind ? text + part.text : text), '')

export const messageText = (message: RunMessage): string => joined(message, 'text')
export const messageReasoning = (message: RunMessage): string => joined(message, 'reasoning')
