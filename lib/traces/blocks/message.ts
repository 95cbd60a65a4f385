/**
 * The normal form of logged messages, whatever format they had. Each block keeps its place and raw value; one that
 * cannot be read becomes `raw` with the reason, and does not affect the others.
 */

/** A place in the logged run, and its raw value. */
export type MessageSource = { path: string; raw: unknown }
/** A problem in a part of the run. */
export type Flaw = { path: string; reason: string }

export type MediaKind = 'image' | 'file' | 'audio' | 'video'
/** Where media come from. They are never loaded automatically; `base64` has no `data:` prefix. */
export type MediaSource =
  | { from: 'url'; url: string }
  | { from: 'base64'; base64: string }
  | { from: 'text'; text: string }
  | { from: 'id'; id: string }

export type BlockBody =
  | { type: 'text'; text: string; annotations?: readonly unknown[] }
  | { type: 'reasoning'; text: string /** The provider withheld the text. */; isHidden?: true }
  | { type: 'refusal'; text: string }
  | { type: MediaKind; source: MediaSource; mimeType?: string; name?: string; transcript?: string }
  | SourceBody
  /** An item that the provider keeps under its id. */
  | { type: 'reference'; id: string }
  | ToolCallBody
  | (ToolOutcome & { type: 'tool_result' | 'server_tool_result'; toolCallId: string | undefined; name?: string })
  /** Something no reader knows, or a known block without a required field. */
  | { type: 'raw'; reason: string }

/** Something found: a web page, or a document or a part of one. */
export type SourceBody = {
  type: 'source'
  url?: string
  title?: string
  text?: string
  score?: number
  /** The content as blocks, if it consists of them. */
  blocks?: readonly Block[]
}

export type ToolOutcome = {
  status: 'success' | 'error' | undefined
  /** The logged result. */
  output: unknown
  /** The same as blocks, if it consists of them. */
  blocks?: readonly Block[]
}

export type ToolCallBody = {
  type: 'tool_call' | 'server_tool_call'
  id: string | undefined
  name: string | undefined
  /** The arguments as a value, or as text if they are not valid JSON. */
  args: unknown
  /** Of tools run by the provider, some formats log call and result as one item. */
  result?: ToolOutcome
}

export type Block = BlockBody & {
  /** The first is where the block was read; the others repeat it, because some SDKs log tool calls twice. */
  places: readonly [MessageSource, ...MessageSource[]]
  flaws: readonly Flaw[]
  extras?: unknown
}

export const MESSAGE_ROLES = ['system', 'reasoning', 'user', 'assistant', 'tool'] as const
export type MessageRole = (typeof MESSAGE_ROLES)[number]

export type TraceMessage = {
  role: MessageRole | 'unknown'
  /** The role as logged: `developer`, `human`, a class name. */
  givenRole: string | undefined
  id: string | undefined
  name: string | undefined
  toolCallId: string | undefined
  /** Result of the tool call, if the message has it. */
  status: 'success' | 'error' | undefined
  blocks: readonly Block[]
  /** Token counts and costs of this message, as logged. */
  usage: unknown
  path: string
  raw: unknown
  /** Flaws of the message itself; blocks have their own. */
  flaws: readonly Flaw[]
}

/** The blocks inside a block: of a result, or of something found. */
export const innerBlocks = (block: Block): readonly Block[] => [
  ...('blocks' in block ? (block.blocks ?? []) : []),
  ...('result' in block ? (block.result?.blocks ?? []) : []),
]

/** All flaws of a message and its blocks, in reading order. */
export function flawsOf(message: Pick<TraceMessage, 'flaws' | 'blocks'>): Flaw[] {
  const ofBlock = (block: Block): Flaw[] => [...block.flaws, ...innerBlocks(block).flatMap(ofBlock)]
  return [...message.flaws, ...message.blocks.flatMap(ofBlock)]
}
