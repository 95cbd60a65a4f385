/** A message to display. Messages of the run model have this shape. */
export type ShownMessage = {
  role: string
  name: string | undefined
  parts: readonly ShownPart[]
  toolCalls: readonly ShownToolCall[]
  toolStatus: string | undefined
  usage: { input: number; output: number; total: number } | undefined
  isComplete: boolean
}
export type ShownPart = { kind: 'text' | 'reasoning'; text: string } | { kind: 'block'; block: Record<string, unknown> }
/** `args` is JSON text, possibly incomplete while it streams. */
export type ShownToolCall = { id: string | undefined; name: string; args: string }

const ROLE_NAMES: Record<string, string> = { human: 'Human', ai: 'AI', tool: 'Tool', system: 'System' }
export const roleName = (role: string): string => ROLE_NAMES[role] ?? role

/** All text of a message, as copied by the user. */
export const textOf = (message: ShownMessage): string =>
  message.parts.reduce((text, part) => (part.kind === 'text' ? text + part.text : text), '')
