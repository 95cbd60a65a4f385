import { callsOf, type ShownMessage } from './message-types'

/** A message with the fields needed to match tool results to their calls. */
export type JoinableMessage = ShownMessage & { toolCallId: string | undefined; isRemoved: boolean; version: number }
/** One row of a conversation: a message and the results of its tool calls. */
export type MessageItem<M extends JoinableMessage> = { message: M; results: ReadonlyMap<string, M> }

/** Shared, so that messages without results do not render again each time. */
const NO_RESULTS = new Map<string, never>()

/**
 * The rows of a conversation, without removed messages. A tool result belongs to its call by id, or gets its own row if
 * the call is unknown.
 */
export function messageItems<M extends JoinableMessage>(messages: readonly M[]): MessageItem<M>[] {
  const toolMessages = new Map<string, M>()
  for (const message of messages)
    if (message.toolCallId && !message.isRemoved) toolMessages.set(message.toolCallId, message)
  const joined = new Set<M>()
  const items: MessageItem<M>[] = []
  for (const message of messages) {
    if (message.isRemoved || joined.has(message)) continue
    const results = new Map<string, M>()
    for (const { id } of callsOf(message)) {
      const toolMessage = id ? toolMessages.get(id) : undefined
      if (!id || !toolMessage) continue
      results.set(id, toolMessage)
      joined.add(toolMessage)
    }
    items.push({ message, results: results.size > 0 ? results : NO_RESULTS })
  }
  return items
}

/** Changes when anything shown in the row changes. */
export function itemVersion({ message, results }: MessageItem<JoinableMessage>): number {
  let version = message.version
  for (const result of results.values()) version += result.version
  return version
}
