/**
 * The normal form of the messages of a logged LLM call, whatever format they were logged in. Nothing is lost on the way:
 * each block names the place it was read from and keeps the raw value, and a block that cannot be read becomes `raw`
 * with the reason, alone: its neighbours are read as ever.
 */

/** Where something stands in the logged run, and what stands there. */
export type MessageSource = { path: string; raw: unknown }
/** What is wrong with a part of the run. */
export type Flaw = { path: string; reason: string }

export type MediaKind = 'image' | 'file' | 'audio' | 'video'
/** Where media come from. They are never loaded by themselves; `base64` has no `data:` prefix. */
export type MediaSource =
  | { from: 'url'; url: string }
  | { from: 'base64'; base64: string }
  | { from: 'text'; text: string }
  | { from: 'id'; id: string }

export type BlockBody =
  | { type: 'text'; text: string; annotations?: readonly unknown[] }
  | { type: 'reasoning'; text: string /** The provider kept the text to itself. */; isHidden?: true }
  | { type: 'refusal'; text: string }
  | { type: MediaKind; source: MediaSource; mimeType?: string; name?: string }
  | ToolCallBody
  | {
      type: 'tool_result' | 'server_tool_result'
      toolCallId: string | undefined
      status: 'success' | 'error' | undefined
      /** The result as it was logged. */
      output: unknown
      /** The same as blocks, where it is made of them. */
      blocks?: readonly Block[]
    }
  /** Something no reader knows, or a known block without what it must have. */
  | { type: 'raw'; reason: string }

export type ToolCallBody = {
  type: 'tool_call' | 'server_tool_call'
  id: string | undefined
  name: string | undefined
  /** The arguments as a value; their text where they were logged as text that is no JSON. */
  args: unknown
}

export type Block = BlockBody & {
  /** The first is where the block was read; the others say the same again (tool calls are logged twice by some). */
  places: readonly [MessageSource, ...MessageSource[]]
  flaws: readonly Flaw[]
  extras?: unknown
}

export const MESSAGE_ROLES = ['system', 'reasoning', 'user', 'assistant', 'tool'] as const
export type MessageRole = (typeof MESSAGE_ROLES)[number]

export type TraceMessage = {
  role: MessageRole | 'unknown'
  /** The role as it was logged: `developer`, `human`, a class name. */
  givenRole: string | undefined
  id: string | undefined
  name: string | undefined
  toolCallId: string | undefined
  /** How a tool's call went, where its message says so. */
  status: 'success' | 'error' | undefined
  blocks: readonly Block[]
  /** Token counts and costs of this message, as they were logged. */
  usage: unknown
  path: string
  raw: unknown
  /** Flaws of the message itself; blocks have their own. */
  flaws: readonly Flaw[]
}

/** Every flaw of a message and of all its blocks, in reading order. */
export function flawsOf(message: Pick<TraceMessage, 'flaws' | 'blocks'>): Flaw[] {
  const ofBlock = (block: Block): Flaw[] => [
    ...block.flaws,
    ...('blocks' in block && block.blocks ? block.blocks.flatMap(ofBlock) : []),
  ]
  return [...message.flaws, ...message.blocks.flatMap(ofBlock)]
}
