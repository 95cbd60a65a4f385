import type { Block, Flaw, ToolCallBody, TraceMessage } from './blocks/message'
import { at } from './blocks/values'

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
  /** Results in a conversation without a preceding call. */
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
  // The run of a tool logs its result alone, and a prompt may begin anywhere: only after an answer is a call missing.
  let hasReply = false
  const add = (id: string | undefined, result: ToolResult) => {
    if (id === undefined) return
    if (hasReply && !calls.has(id))
      flaws.push({ path: result.path, reason: `No earlier tool call has the id ${JSON.stringify(id.slice(0, 80))}` })
    if (!results.has(id)) results.set(id, result)
  }
  const addCall = (block: Block & ToolCallBody) => {
    if (block.id === undefined) return
    calls.set(block.id, block)
    if (block.result) add(block.id, { ...block.result, blocks: block.result.blocks ?? [], path: block.places[0].path })
  }
  for (const message of messages) {
    hasReply ||= message.role === 'assistant'
    for (const block of message.blocks) {
      if (block.type === 'tool_call' || block.type === 'server_tool_call') addCall(block)
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
