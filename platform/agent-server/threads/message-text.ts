/** The conversation in a graph's state, as other protocols tell it. */

export type PlainMessage = { id?: string; type: string; content?: unknown }

/** The messages of plain values; undefined for a graph that does not talk. */
export function messagesOf(values: unknown): PlainMessage[] | undefined {
  const messages = (values as { messages?: unknown } | null | undefined)?.messages
  if (!Array.isArray(messages)) return undefined
  return messages.filter((one): one is PlainMessage => typeof one?.type === 'string')
}

/** The text of a message, whether it is a string or in blocks; what is no text is left out. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .map((block: { type?: unknown; text?: unknown } | string) =>
      typeof block === 'string' ? block : block?.type === 'text' && typeof block.text === 'string' ? block.text : '',
    )
    .join('')
}

/** What the agent has said last; undefined where the values hold nothing of the kind. */
export function lastAnswer(values: unknown): string | undefined {
  const said = messagesOf(values)?.findLast(({ type, content }) => type === 'ai' && textOf(content) !== '')
  return said && textOf(said.content)
}
