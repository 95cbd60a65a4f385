import type { Block, Flaw, ToolCallBody, TraceMessage } from './message'
import { at } from './values'

export type ToolResult = {
  status: 'success' | 'error' | undefined
  blocks: readonly Block[]
  /** The logged result, if it is not a list of blocks. */
  output: unknown
  path: string
}

export type Joined = {
  /** Results by the id of their call. */
  results: ReadonlyMap<string, ToolResult>
  /** Calls by id. */
  calls: ReadonlyMap<string, Block & ToolCallBody>
  /** Results without a preceding call. */
  flaws: readonly Flaw[]
}

/**
 * Matches tool calls and results by id. A result is a message, or a block of a user's message (messages API) or of the
 * assistant's own (tools run by the provider).
 */
export function joinTools(messages: readonly TraceMessage[]): Joined {
  const calls = new Map<string, Block & ToolCallBody>()
  const results = new Map<string, ToolResult>()
  const flaws: Flaw[] = []
  const add = (id: string | undefined, result: ToolResult) => {
    if (id === undefined) return
    if (!calls.has(id))
      flaws.push({ path: result.path, reason: `No tool call before has the id ${JSON.stringify(id.slice(0, 80))}` })
    if (!results.has(id)) results.set(id, result)
  }
  for (const message of messages) {
    for (const block of message.blocks) {
      if ((block.type === 'tool_call' || block.type === 'server_tool_call') && block.id !== undefined)
        calls.set(block.id, block)
      else if (block.type === 'tool_result' || block.type === 'server_tool_result') {
        const { status, blocks = [], output } = block
        add(block.toolCallId, { status, blocks, output, path: block.places[0].path })
      }
    }
    const hasOwn = message.blocks.some((block) => block.type === 'tool_result')
    if (message.role === 'tool' && message.toolCallId !== undefined && !hasOwn) {
      const { status, blocks, path } = message
      add(message.toolCallId, { status, blocks, output: undefined, path: at(path, 'tool_call_id') })
    }
  }
  return { results, calls, flaws }
}
