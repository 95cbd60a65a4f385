import type { ShownPart, ShownToolCall } from '@/components/shared/message/message-types'
import { parseText } from '@/lib/traces/blocks/values'
import type { LoggedMessage } from './shown-messages'

/** All texts that messages show, each whole. */
export const shownTexts = (messages: readonly LoggedMessage[]): string[] =>
  messages.flatMap((message) => [
    ...[message.name, message.role, message.emptyText].filter((text) => text !== undefined),
    ...message.parts.flatMap(textsOf),
    ...message.toolCalls.flatMap(callTexts),
  ])

function textsOf(part: ShownPart): string[] {
  switch (part.kind) {
    case 'block':
      return withInner(part.block)
    case 'call':
      return callTexts(part.call)
    case 'source': {
      const { url, title, quote, parts } = part.source
      return [url, title, quote].filter((text) => text !== undefined).concat((parts ?? []).flatMap(textsOf))
    }
    case 'text':
      return [
        ...withInner(part.text),
        ...(part.citations ?? []).flatMap(({ url, title, quote }) => withInner([url, title, quote])),
      ]
    default:
      return withInner(part.text)
  }
}

const callTexts = ({ name, args, result }: ShownToolCall): string[] => [
  name,
  ...withInner(args),
  ...(result?.parts ?? []).flatMap(textsOf),
]

/** A text and, if it is JSON, what is inside. A block that is shown as JSON shows every key. */
function withInner(value: unknown): string[] {
  if (typeof value !== 'string') return allTexts(value)
  const parsed = /^\s*[[{]/.test(value) ? parseText(value).value : undefined
  return parsed === undefined ? [value] : [value, ...allTexts(parsed)]
}

function allTexts(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(allTexts)
}
