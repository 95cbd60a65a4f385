import { entryOf } from '@/lib/json/guards'
/** A message to display. Messages of the run model have this shape. */
export type ShownMessage = {
  role: string
  name: string | undefined
  parts: readonly ShownPart[]
  toolCalls: readonly ShownToolCall[]
  toolStatus: string | undefined
  usage: { input: number; output: number; total: number } | undefined
  isComplete: boolean
  /** Why it has no content, if that is known. */
  emptyText?: string | undefined
}
export type ShownPart =
  | { kind: 'text'; text: string; citations?: readonly ShownCitation[] }
  | { kind: 'reasoning' | 'refusal' | 'note'; text: string }
  | { kind: 'block'; block: Record<string, unknown> }
  | { kind: 'source'; source: ShownSource }
  /** A call among other parts; `toolCalls` come after all parts. */
  | { kind: 'call'; call: ShownToolCall }
/** `args` is JSON text, possibly incomplete while it streams. */
export type ShownToolCall = {
  id: string | undefined
  name: string
  args: string
  /** The provider ran it. */
  isServer?: boolean
  /** Stands for a missing result, where none can come any more. */
  missing?: string
  /** The result, if it was logged with the call. */
  result?: Pick<ShownMessage, 'parts' | 'toolStatus'>
}
export type ShownCitation = { url?: string; title?: string; quote?: string }
export type ShownSource = ShownCitation & { score?: number; parts?: readonly ShownPart[] }

/** All tool calls of a message, in order. */
export const callsOf = ({ parts, toolCalls }: Pick<ShownMessage, 'parts' | 'toolCalls'>): ShownToolCall[] => [
  ...parts.flatMap((part) => (part.kind === 'call' ? [part.call] : [])),
  ...toolCalls,
]

const ROLE_NAMES: Record<string, string> = { human: 'Human', ai: 'AI', tool: 'Tool', system: 'System' }
export const roleName = (role: string): string => entryOf(ROLE_NAMES, role) ?? role

/** All text of a message, as copied by the user. */
export const textOf = (message: Pick<ShownMessage, 'parts'>): string =>
  message.parts.reduce((text, part) => (part.kind === 'text' || part.kind === 'refusal' ? text + part.text : text), '')
