import type { Block, Flaw, ToolCallBody, TraceMessage } from './message'
import { at } from './values'

export type ToolResult = {
  status: 'success' | 'error' | undefined
  blocks: readonly Block[]
  /** The result as it was logged, where it is no list of blocks. */
  output: unknown
  path: string
}

export type Joined = {
  /** Results by the id of their call. */
  results: ReadonlyMap<string, ToolResult>
  /** Calls by id. */
  calls: ReadonlyMap<string, Block & ToolCallBody>
  /** Results whose call is nowhere before them. */
  flaws: readonly Flaw[]
}

/**
 * Calls of tools and their results, joined by id: a result is a message of its own, or a block (of a user's message
 * in the messages API, of the assistant's own for tools that the provider runs).
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
