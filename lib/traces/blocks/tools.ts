import { isRecord } from '@/lib/json/guards'
import type { Block, BlockBody, ToolOutcome } from './message'
import type { BlockReader, Read } from './reader'
import { get, type Json, kindOf, listOf, parseText, textOf } from './values'

/** Arguments are a value, or its JSON text. */
export function readArgs(value: unknown, key: string, note: Read['note']): unknown {
  if (value === undefined) note(key, `${key} is missing`)
  if (typeof value !== 'string') return value
  if (value.trim() === '') return {}
  const { value: args, reason } = parseText(value)
  if (reason === undefined) return args
  note(key, `${key} is not JSON: ${reason}`)
  return value
}

type CallKeys = { args?: string; id?: string; name?: string }

export const toolCall =
  (type: 'tool_call' | 'server_tool_call', { args = 'args', id = 'id', name = 'name' }: CallKeys = {}): BlockReader =>
  ({ block, note }) => {
    const [callId, called] = [textOf(block[id]), textOf(block[name])]
    // A tool call can lack both, but its arguments are still worth showing.
    if (called === undefined) note(name, `${name} is missing`)
    if (callId === undefined && type === 'server_tool_call') note(id, `${id} is missing`)
    return { type, id: callId, name: called, args: readArgs(block[args], args, note) }
  }

/** The AI SDK's call. */
export const vercelCall: BlockReader = (read) => {
  const keys = { args: 'input' in read.block ? 'input' : 'args', id: 'toolCallId', name: 'toolName' }
  return toolCall(read.block.providerExecuted === true ? 'server_tool_call' : 'tool_call', keys)(read)
}

/** A piece of a call's arguments, which some libraries leave beside the call. */
export const argsPiece: BlockReader = ({ block }) => {
  const piece = block.input ?? block.partial_json
  const { value, reason } = typeof piece === 'string' ? parseText(piece) : { value: piece, reason: undefined }
  return { type: 'tool_call', id: undefined, name: undefined, args: reason === undefined ? value : piece }
}

/** An item of `tool_calls`: `{ id, type: 'function', function: { name, arguments } }`. */
export function calledFunction({ block, note }: Pick<Read, 'block' | 'note'>): BlockBody {
  const called = block.function
  const id = textOf(block.id)
  const name = textOf(get(called, 'name'))
  if (!isRecord(called)) return { type: 'raw', reason: `function is ${kindOf(called)}` }
  if (name === undefined) note('function', 'function.name is missing')
  return { type: 'tool_call', id, name, args: readArgs(called.arguments, 'arguments', note) }
}

/** The first of the keys is where the result is. */
export const toolResult =
  (
    type: 'tool_result' | 'server_tool_result',
    outputKeys: readonly [string, ...string[]],
    idKey: string,
  ): BlockReader =>
  (read) => {
    const { block, note } = read
    const outputKey = outputKeys.find((key) => block[key] !== undefined) ?? outputKeys[0]
    const toolCallId = textOf(block[idKey])
    if (toolCallId === undefined) note(idKey, `${idKey} is missing`)
    return { type, toolCallId, ...outcomeOf(block[outputKey], outputKey, read, statusOf(block)) }
  }

/** The interface's own result of a tool that the provider ran, which must say how it went. */
export const ownResult: BlockReader = (read) => {
  const result = toolResult('server_tool_result', ['output'], 'tool_call_id')(read)
  const { status } = read.block
  if (status === 'success' || status === 'error' || result.type !== 'server_tool_result') return result
  read.note('status', 'status is neither success nor error')
  return { ...result, status: result.status === 'error' ? 'error' : undefined }
}

const statusOf = (block: Json): ToolOutcome['status'] => {
  const isError = block.is_error ?? block.isError ?? false
  if (isError === true || block.status === 'error' || block.status === 'failed') return 'error'
  // A value of another kind does not say that all went well.
  return isError === false ? 'success' : undefined
}

/**
 * A result in any spelling. What says of itself that it failed is an error, whatever is next to it: `error-text` of the
 * AI SDK, an `error_code` of the messages API, a program's exit code, `isError` of MCP.
 */
export function outcomeOf(
  value: unknown,
  key: string,
  { content }: Pick<Read, 'content'>,
  status: ToolOutcome['status'],
): ToolOutcome {
  const result = (blocks: Block[], failed = false, output = value): ToolOutcome => ({
    status: failed ? 'error' : status,
    output,
    ...(blocks.length > 0 && { blocks }),
  })
  if (holdsBlocks(value)) return result(content(value, key))
  if (!isRecord(value)) return result([])
  const type = textOf(value.type) ?? ''
  if (VERCEL.test(type) && ('value' in value || 'reason' in value)) {
    const isFailed = type.startsWith('error-') || type === 'execution-denied'
    const inner = 'value' in value ? value.value : value.reason
    return result(holdsBlocks(inner) ? content(inner, `${key}.value`) : [], isFailed, inner)
  }
  const listKey = FOUND_KEYS.find((one) => Array.isArray(value[one]))
  if (listKey !== undefined) return result(foundBlocks(value, listKey, key, content))
  if (type.endsWith('_error') || textOf(value.error_code) !== undefined) return result([], true)
  if ('return_code' in value || 'returnCode' in value || 'stdout' in value)
    return result(
      content({ ...value, type: 'code_execution_result' }, key),
      !isZero(value.return_code ?? value.returnCode),
    )
  if (value.isError === true || holdsBlocks(value.content)) {
    const inner = holdsBlocks(value.content) ? content(value.content, `${key}.content`) : []
    return result(inner, value.isError === true)
  }
  return result(type === '' ? [] : content(value, key).filter((block) => block.type !== 'raw'))
}

/** Where results of searches list what was found. */
const FOUND_KEYS = ['sources', 'urls'] as const

/** What was found as sources, after what else the result says. */
function foundBlocks(value: Json, listKey: string, key: string, content: Read['content']): Block[] {
  const { [listKey]: list, ...rest } = value
  const sources = listOf(list).map((one) => (isRecord(one) ? { ...one, type: 'source' } : { type: 'source', url: one }))
  const said = Object.keys(rest).length > 0 ? content({ type: 'text', text: JSON.stringify(rest) }, key) : []
  return [...said, ...content(sources, `${key}.${listKey}`)]
}

const VERCEL = /^(text|json|content|error-text|error-json|execution-denied)$/
const isZero = (code: unknown): boolean => code === undefined || code === null || code === 0

const holdsBlocks = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isRecord(one) && typeof one.type === 'string')

/** What a program printed, and the files it left. */
export const programResult: BlockReader = ({ block }) => {
  const parts = [textOf(block.stdout), textOf(block.stderr) && `stderr: ${block.stderr}`, textOf(block.output)]
  const exit = block.return_code ?? block.returnCode
  const code = isZero(exit) ? undefined : `Exit code ${exit}`
  const text = [...parts, code].filter(Boolean).join('\n')
  return { type: 'text', text }
}
