/** Reads the conversation in a graph's state, for other protocols. */

export type PlainMessage = { id?: string; type: string; content?: unknown }

/** The messages in plain values; undefined if the graph has none. */
export function messagesOf(values: unknown): PlainMessage[] | undefined {
  const messages = (values as { messages?: unknown } | null | undefined)?.messages
  if (!Array.isArray(messages)) return undefined
  return messages.filter((one): one is PlainMessage => typeof one?.type === 'string')
}

/** The text of a message, from a string or content blocks; other content is omitted. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block: { type?: unknown; text?: unknown } | string) =>
      typeof block === 'string' ? block : block?.type === 'text' && typeof block.text === 'string' ? block.text : '',
    )
    .join('')
}

/** The agent's last message; undefined if there is none. */
export function lastMessageText(values: unknown): string | undefined {
  const said = messagesOf(values)?.findLast(({ type, content }) => type === 'ai' && textOf(content) !== '')
  return said && textOf(said.content)
}
