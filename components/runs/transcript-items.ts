import type { RunMessage } from '@/lib/stream/messages'

/** One row of the transcript: a message, with the answers of the tools that it called. */
export type TranscriptItem = { message: RunMessage; results: ReadonlyMap<string, RunMessage> }

const NONE: ReadonlyMap<string, RunMessage> = new Map()

/**
 * The rows of a transcript. A tool's answer stands with the call it answers (joined by the call's id); one whose call
 * is not known stands alone. Removed messages are left out.
 */
export function transcriptItems(messages: readonly RunMessage[]): TranscriptItem[] {
  const answers = new Map<string, RunMessage>()
  for (const message of messages) if (message.toolCallId && !message.isRemoved) answers.set(message.toolCallId, message)
  const joined = new Set<RunMessage>()
  const items: TranscriptItem[] = []
  for (const message of messages) {
    if (message.isRemoved || (message.toolCallId && joined.has(message))) continue
    let results: Map<string, RunMessage> | undefined
    for (const { id } of message.toolCalls) {
      const answer = id ? answers.get(id) : undefined
      if (!id || !answer) continue
      results ??= new Map()
      results.set(id, answer)
      joined.add(answer)
    }
    items.push({ message, results: results ?? NONE })
  }
  return items
}

/** Moves when anything shown in the row changes. */
export function itemVersion({ message, results }: TranscriptItem): number {
  let version = message.version
  for (const result of results.values()) version += result.version
  return version
}
