import { isRecord } from '@/lib/json/guards'
import { codeExecutionResult, GEMINI_PARTS } from './gemini'
import { wrongKinds } from './kinds'
import { readMedia } from './media'
import type { Block, BlockBody, Flaw, MediaKind } from './message'
import { approvalRequest, listedTools, providerCall } from './provider-tools'
import type { BlockReader, Read } from './reader'
import { reference, source } from './sources'
import { reasoning, refusal, text } from './text'
import { argsPiece, calledFunction, ownResult, programResult, toolCall, toolResult, vercelCall } from './tools'
import { at, kindOf } from './values'

/** Blocks of every format by their `type`. Few types occur in two formats, and those have one reader for both. */

/** Results can contain blocks that contain results; no real one is deeper. */
const MAX_DEPTH = 16

/** Without a kind, the MIME type decides. */
const media =
  (kind?: MediaKind): BlockReader =>
  ({ block, note }) =>
    readMedia(kind, block, note)

const READERS = new Map<string, BlockReader>([
  // The interface's own.
  ['text', text],
  ['reasoning', reasoning],
  ['image', media('image')],
  ['file', media('file')],
  ['audio', media('audio')],
  ['video', media('video')],
  ['tool_call', toolCall('tool_call')],
  ['server_tool_call', toolCall('server_tool_call')],
  ['server_tool_result', ownResult],
  // Chat completions and Responses.
  ['image_url', media('image')],
  ['input_audio', media('audio')],
  ['refusal', refusal],
  ['input_text', text],
  ['output_text', text],
  ['summary_text', reasoning],
  ['reasoning_text', reasoning],
  ['input_image', media('image')],
  ['input_file', media('file')],
  ['function', calledFunction],
  ['function_call', toolCall('tool_call', { args: 'arguments', id: 'call_id' })],
  ['custom_tool_call', toolCall('tool_call', { args: 'input', id: 'call_id' })],
  ['function_call_output', toolResult('tool_result', ['output'], 'call_id')],
  ['custom_tool_call_output', toolResult('tool_result', ['output'], 'call_id')],
  ['computer_screenshot', media('image')],
  ['mcp_list_tools', listedTools],
  ['mcp_approval_request', approvalRequest],
  ['mcp_approval_response', toolResult('tool_result', ['approve'], 'approval_request_id')],
  ['item_reference', reference],
  // The messages API.
  ['thinking', reasoning],
  ['redacted_thinking', reasoning],
  ['document', media()],
  ['tool_use', toolCall('tool_call', { args: 'input' })],
  ['server_tool_use', toolCall('server_tool_call', { args: 'input' })],
  ['mcp_tool_use', toolCall('server_tool_call', { args: 'input' })],
  ['tool_result', toolResult('tool_result', ['content'], 'tool_use_id')],
  ['web_search_result', source],
  ['search_result', source],
  ['web_fetch_result', source],
  // Also a part of Gemini, with the result under its key.
  ['code_execution_result', (read) => (read.block.code_execution_result ? codeExecutionResult : programResult)(read)],
  ['bash_code_execution_result', programResult],
  ['container_upload', media('file')],
  // The runtime's and other libraries'.
  ['text-plain', media('file')],
  ['media', media()],
  ['video_url', media('video')],
  ['audio_url', media('audio')],
  ['tool_call_chunk', toolCall('tool_call')],
  ['server_tool_call_chunk', toolCall('server_tool_call')],
  ['input_json_delta', argsPiece],
  ['invalid_tool_call', toolCall('tool_call')],
  ['server_tool_call_result', toolResult('server_tool_result', ['output'], 'toolCallId')],
  ['tool-call', vercelCall],
  ['tool-result', toolResult('tool_result', ['output', 'result'], 'toolCallId')],
  ['tool-error', toolResult('tool_result', ['error'], 'toolCallId')],
  ['source', source],
  ['image-data', media('image')],
  ['image-url', media('image')],
  ['file-data', media('file')],
  ['file-url', media('file')],
  ...GEMINI_PARTS,
])

function readerOf(type: string): BlockReader | undefined {
  const known = READERS.get(type)
  if (known) return known
  if (/_tool_result$/.test(type)) return toolResult('server_tool_result', ['content'], 'tool_use_id')
  if (/_call_output$/.test(type)) return toolResult('tool_result', ['output'], 'call_id')
  return /_call$/.test(type) ? providerCall : undefined
}

/** The reader of a block without a type. */
function untypedReader(raw: Record<string, unknown>): BlockReader | undefined {
  if (typeof raw.text === 'string') return text
  if (isRecord(raw.function)) return calledFunction
  return GEMINI_PARTS.find(([key]) => isRecord(raw[key]))?.[1]
}

/** Reads one block. Never throws: a block that cannot be read is `raw`. */
export function readBlock(raw: unknown, path: string, depth = 0): Block {
  const flaws: Flaw[] = []
  const below = (key: string) => key.split('.').reduce(at, path)
  const body = bodyOf(raw, {
    note: (key, reason) => flaws.push({ path: below(key), reason }),
    content: (value, key) => readContent(value, below(key), depth + 1),
    depth,
  })
  if (body.type === 'raw') flaws.push({ path, reason: body.reason })
  else if (isRecord(raw))
    flaws.push(...wrongKinds(raw, path).filter((one) => !flaws.some((own) => own.path === one.path)))
  const extras = isRecord(raw) ? raw.extras : undefined
  return { ...body, places: [{ path, raw }], flaws, ...(extras !== undefined && { extras }) }
}

function bodyOf(raw: unknown, read: Omit<Read, 'block'> & { depth: number }): BlockBody {
  if (typeof raw === 'string') return { type: 'text', text: raw }
  if (!isRecord(raw)) return { type: 'raw', reason: `A block is an object, not ${kindOf(raw)}` }
  if (read.depth > MAX_DEPTH) return { type: 'raw', reason: 'Nested too deeply' }
  const { type } = raw
  if (typeof type === 'string') {
    const reader = readerOf(type)
    if (!reader) return { type: 'raw', reason: `No block of type ${JSON.stringify(type.slice(0, 80))} is known` }
    return reader({ ...read, block: raw })
  }
  // Some SDKs omit the type.
  const reader = untypedReader(raw)
  if (reader) return reader({ ...read, block: raw })
  return { type: 'raw', reason: type === undefined ? 'type is missing' : `type is ${kindOf(type)}, not text` }
}

/** A message's content: text, blocks, one block, or nothing. */
export function readContent(content: unknown, path: string, depth = 0): Block[] {
  if (content === undefined || content === null || content === '') return []
  if (Array.isArray(content)) return content.map((block, index) => readBlock(block, at(path, index), depth))
  return [readBlock(content, path, depth)]
}
