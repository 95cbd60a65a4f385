import type { ShownMessage } from './message-types'

/** What joining needs to know of a message. */
export type JoinableMessage = ShownMessage & { toolCallId: string | undefined; isRemoved: boolean; version: number }
/** One row of a conversation: a message, with the answers of the tools that it called. */
export type MessageItem<M extends JoinableMessage> = { message: M; results: ReadonlyMap<string, M> }

/** The same for all, so that a message without answers is not drawn again with each joining. */
const NO_RESULTS = new Map<string, never>()

/**
 * The rows of a conversation. A tool's answer stands with the call it answers (joined by the call's id); one whose call
 * is not known stands alone. Removed messages are left out.
 */
export function messageItems<M extends JoinableMessage>(messages: readonly M[]): MessageItem<M>[] {
  const answers = new Map<string, M>()
  for (const message of messages) if (message.toolCallId && !message.isRemoved) answers.set(message.toolCallId, message)
  const joined = new Set<M>()
  const items: MessageItem<M>[] = []
  for (const message of messages) {
    if (message.isRemoved || joined.has(message)) continue
    const results = new Map<string, M>()
    for (const { id } of message.toolCalls) {
      const answer = id ? answers.get(id) : undefined
      if (!id || !answer) continue
      results.set(id, answer)
      joined.add(answer)
    }
    items.push({ message, results: results.size > 0 ? results : NO_RESULTS })
  }
  return items
}

/** Moves when anything shown in the row changes. */
export function itemVersion({ message, results }: MessageItem<JoinableMessage>): number {
  let version = message.version
  for (const result of results.values()) version += result.version
  return version
}
