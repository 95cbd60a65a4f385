import { isRecord } from '@/lib/json/guards'
import type { Block, BlockBody, ToolOutcome } from './message'
import type { BlockReader, Read } from './reader'
import { outcomeOf, readArgs } from './tools'
import { get, type Json, listOf, textOf } from './values'

/** Tools that the provider runs, which the Responses API logs as one item with arguments and result. */

type Row = {
  name?: string
  /** The keys that hold what the tool was asked for; all that are no result if there is no row. */
  args: readonly string[]
  /** The result as blocks, each with the key that it is read from. */
  found?: (block: Json) => [key: string, blocks: unknown[]] | undefined
}

const TOOLS: Record<string, Row> = {
  web_search_call: {
    args: ['action'],
    found: ({ action }) => ['action.sources', listOf(get(action, 'sources')).map((one) => asSource(one))],
  },
  file_search_call: {
    args: ['queries'],
    found: ({ results }) => ['results', listOf(results).map((one) => asSource(one))],
  },
  code_interpreter_call: {
    args: ['code', 'container_id'],
    found: ({ outputs }) => ['outputs', listOf(outputs).map(printed)],
  },
  image_generation_call: {
    args: ['revised_prompt', 'prompt', 'size', 'quality', 'background', 'output_format', 'action', 'partial_images'],
    found: ({ result, output_format }) =>
      textOf(result)
        ? ['result', [{ type: 'image', base64: result, mime_type: `image/${textOf(output_format) ?? 'png'}` }]]
        : undefined,
  },
}

const asSource = (one: unknown): unknown => (isRecord(one) ? { ...one, type: 'source' } : one)
const printed = (one: unknown): unknown => {
  if (get(one, 'type') === 'logs') return { type: 'text', text: get(one, 'logs') }
  return get(one, 'type') === 'image' ? { type: 'image', url: get(one, 'url') } : one
}

const RESULTS = ['output', 'outputs', 'result', 'results', 'error', 'tools'] as const
const NO_ARGS = new Set<string>([...RESULTS, 'type', 'id', 'status', 'call_id', 'name', 'approval_request_id'])

/** Calls that the application answers itself, in a message of its own. */
const ANSWERED_LATER = new Set(['computer_call', 'local_shell_call', 'shell_call', 'apply_patch_call'])

export const providerCall: BlockReader = (read) => {
  const { block } = read
  const type = String(block.type)
  const name = textOf(block.name) ?? type.replace(/_call$/, '')
  if (ANSWERED_LATER.has(type))
    return { type: 'tool_call', id: textOf(block.call_id) ?? textOf(block.id), name, args: argsOf(block, read) }
  const result = resultOf(type, block, read)
  return { type: 'server_tool_call', id: textOf(block.id), name, args: argsOf(block, read), ...(result && { result }) }
}

function argsOf(block: Json, { note }: Read): unknown {
  const { arguments: given } = block
  if (given !== undefined) return readArgs(given, 'arguments', note)
  const row = Object.hasOwn(TOOLS, String(block.type)) ? TOOLS[String(block.type)] : undefined
  const kept = Object.entries(block).filter(([key]) => (row ? row.args.includes(key) : !NO_ARGS.has(key)))
  // A search is its action; where it has found something is the result.
  if (row && isRecord(block.action)) {
    const { sources, ...action } = block.action
    return action
  }
  return Object.fromEntries(kept)
}

function resultOf(type: string, block: Json, read: Read): ToolOutcome | undefined {
  const given = block.status
  const error = block.error ?? undefined
  const isFailed = error !== undefined || given === 'failed' || given === 'incomplete'
  const status = isFailed ? 'error' : 'success'
  if (error !== undefined) return { status, output: get(error, 'message') ?? error }
  const found = Object.hasOwn(TOOLS, type) ? TOOLS[type]?.found?.(block) : undefined
  if (found && found[1].length > 0) return { status, output: found[1], blocks: blocksOf(found, read) }
  const key = RESULTS.find((one) => block[one] !== undefined && block[one] !== null)
  if (key) return outcomeOf(block[key], key, read, status)
  // The provider does not always tell the result, but that the call is over.
  const isOver = isFailed || given === 'completed'
  return isOver ? { status, output: undefined } : undefined
}

const blocksOf = ([key, blocks]: [string, unknown[]], { content }: Read): Block[] => content(blocks, key)

/** The tools that a server of the model context protocol offers. */
export const listedTools: BlockReader = (read): BlockBody => {
  const { block } = read
  const args = textOf(block.server_label) === undefined ? {} : { server_label: block.server_label }
  const error = block.error ?? undefined
  const result: ToolOutcome =
    error === undefined ? { status: 'success', output: block.tools } : { status: 'error', output: error }
  return { type: 'server_tool_call', id: textOf(block.id), name: 'mcp_list_tools', args, result }
}

/** A provider asks whether its tool may be called. */
export const approvalRequest: BlockReader = ({ block, note }) => ({
  type: 'server_tool_call',
  id: textOf(block.id),
  name: textOf(block.name),
  args: readArgs(block.arguments, 'arguments', note),
})
