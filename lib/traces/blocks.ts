import { isRecord } from '@/lib/json/guards'
import { readMedia } from './media'
import type { Block, BlockBody, Flaw } from './message'
import { at, get, type Json, kindOf, listOf, parseText, textOf } from './values'

/** Blocks of every format by their `type`. Few types occur in two formats, and those have one reader for both. */

/** Results can contain blocks that contain results; no real one is deeper. */
const MAX_DEPTH = 16

type Read = { block: Json; path: string; depth: number; note(key: string, reason: string): void }
type BlockReader = (read: Read) => BlockBody

const missing = (key: string, value: unknown): BlockBody => ({
  type: 'raw',
  reason: value === undefined ? `${key} is missing` : `${key} is ${kindOf(value)}, not text`,
})

const text: BlockReader = ({ block }) => {
  const value = block.text ?? get(block.text, 'value')
  const annotations = Array.isArray(block.annotations) ? block.annotations : block.citations
  if (typeof value !== 'string') return missing('text', value)
  return { type: 'text', text: value, ...(listOf(annotations).length > 0 && { annotations: listOf(annotations) }) }
}

const reasoning: BlockReader = ({ block }) => {
  const own = [block.text, block.reasoning, block.thinking].find((one) => typeof one === 'string')
  if (typeof own === 'string' && own !== '') return { type: 'reasoning', text: own }
  const parts = [...listOf(block.summary), ...listOf(block.content)]
  const joined = parts.map((part) => textOf(get(part, 'text')) ?? '').join('\n\n')
  if (joined.trim() !== '') return { type: 'reasoning', text: joined }
  const isHidden = !!(block.encrypted_content ?? block.signature ?? block.data) || Array.isArray(block.summary)
  if (isHidden) return { type: 'reasoning', text: '', isHidden: true }
  return typeof own === 'string' ? { type: 'reasoning', text: own } : missing('text', block.text)
}

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

const toolCall =
  (type: 'tool_call' | 'server_tool_call', argsKey: string, idKey = 'id', nameKey = 'name'): BlockReader =>
  ({ block, note }) => {
    const id = textOf(block[idKey])
    const name = textOf(block[nameKey])
    // A tool call can lack both, but its arguments are still worth showing.
    if (name === undefined) note(nameKey, 'name is missing')
    if (id === undefined && type === 'server_tool_call') note(idKey, 'id is missing')
    return { type, id, name, args: readArgs(block[argsKey], argsKey, note) }
  }

const toolResult =
  (type: 'tool_result' | 'server_tool_result', outputKey: string, idKey: string): BlockReader =>
  ({ block, path, depth, note }) => {
    const output = block[outputKey]
    const toolCallId = textOf(block[idKey])
    if (toolCallId === undefined) note(idKey, `${idKey} is missing`)
    const isOwn = type === 'server_tool_result' && outputKey === 'output'
    const given = block.status
    const isKnown = given === 'success' || given === 'error'
    if (isOwn && !isKnown) note('status', 'status is neither success nor error')
    const isError = block.is_error === true || block.isError === true
    const status = isKnown ? given : isError ? 'error' : isOwn ? undefined : 'success'
    const blocks = holdsBlocks(output) ? readContent(output, at(path, outputKey), depth + 1) : undefined
    return { type, toolCallId, status, output, ...(blocks && { blocks }) }
  }

const holdsBlocks = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isRecord(one) && typeof one.type === 'string')

const refusal: BlockReader = ({ block }) =>
  typeof block.refusal === 'string' ? { type: 'refusal', text: block.refusal } : missing('refusal', block.refusal)

/** Media of the older standard (`media`, `document`), whose kind follows from their content. */
const mediaByType: BlockReader = ({ block, note }) => {
  const mime = textOf(block.mime_type) ?? textOf(block.mediaType) ?? textOf(get(block.source, 'media_type')) ?? ''
  const kind = (['image', 'audio', 'video'] as const).find((one) => mime.startsWith(`${one}/`)) ?? 'file'
  return readMedia(kind, block, note)
}
const media =
  (kind: 'image' | 'file' | 'audio' | 'video'): BlockReader =>
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
  ['tool_call', toolCall('tool_call', 'args')],
  ['server_tool_call', toolCall('server_tool_call', 'args')],
  ['server_tool_result', toolResult('server_tool_result', 'output', 'tool_call_id')],
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
  ['function', ({ block, note, ...rest }) => calledFunction({ block, note, ...rest })],
  ['function_call', toolCall('tool_call', 'arguments', 'call_id')],
  ['custom_tool_call', toolCall('tool_call', 'input', 'call_id')],
  ['function_call_output', toolResult('tool_result', 'output', 'call_id')],
  ['custom_tool_call_output', toolResult('tool_result', 'output', 'call_id')],
  // The messages API.
  ['thinking', reasoning],
  ['redacted_thinking', reasoning],
  ['document', mediaByType],
  ['tool_use', toolCall('tool_call', 'input')],
  ['server_tool_use', toolCall('server_tool_call', 'input')],
  ['tool_result', toolResult('tool_result', 'content', 'tool_use_id')],
  // The runtime's and other libraries'.
  ['text-plain', media('file')],
  ['media', mediaByType],
  ['video_url', media('video')],
  ['audio_url', media('audio')],
  ['tool_call_chunk', toolCall('tool_call', 'args')],
  ['invalid_tool_call', toolCall('tool_call', 'args')],
  ['tool-call', vercelCall],
  ['tool-result', toolResult('tool_result', 'output', 'toolCallId')],
])

function vercelCall(read: Read): BlockBody {
  return toolCall('tool_call', 'input' in read.block ? 'input' : 'args', 'toolCallId', 'toolName')(read)
}

/** An item of `tool_calls`: `{ id, type: 'function', function: { name, arguments } }`. */
export function calledFunction({ block, note }: Read): BlockBody {
  const called = block.function
  const id = textOf(block.id)
  const name = textOf(get(called, 'name'))
  if (!isRecord(called)) return { type: 'raw', reason: `function is ${kindOf(called)}` }
  if (name === undefined) note('function', 'function.name is missing')
  return { type: 'tool_call', id, name, args: readArgs(called.arguments, 'arguments', note) }
}

/** A provider's own calls, such as `web_search_call` or `mcp_call`, with call and result in one item. */
const serverCall: BlockReader = ({ block }) => {
  const { type, id, name, ...args } = block
  return { type: 'server_tool_call', id: textOf(id), name: textOf(name) ?? String(type).replace(/_call$/, ''), args }
}

function readerOf(type: string): BlockReader | undefined {
  const known = READERS.get(type)
  if (known) return known
  if (/_tool_result$/.test(type)) return toolResult('server_tool_result', 'content', 'tool_use_id')
  return /_call$/.test(type) ? serverCall : undefined
}

/** Reads one block. Never throws: a block that cannot be read is `raw`. */
export function readBlock(raw: unknown, path: string, depth = 0): Block {
  const flaws: Flaw[] = []
  const note = (key: string, reason: string) => flaws.push({ path: at(path, key), reason })
  const body = bodyOf(raw, path, depth, note)
  if (body.type === 'raw') flaws.push({ path, reason: body.reason })
  const extras = isRecord(raw) ? raw.extras : undefined
  return { ...body, places: [{ path, raw }], flaws, ...(extras !== undefined && { extras }) }
}

function bodyOf(raw: unknown, path: string, depth: number, note: Read['note']): BlockBody {
  if (typeof raw === 'string') return { type: 'text', text: raw }
  if (!isRecord(raw)) return { type: 'raw', reason: `A block is an object, not ${kindOf(raw)}` }
  if (depth > MAX_DEPTH) return { type: 'raw', reason: 'Nested too deeply' }
  const { type } = raw
  if (typeof type !== 'string') {
    // Some SDKs omit the type of a text or a called function.
    if (typeof raw.text === 'string') return text({ block: raw, path, depth, note })
    if (isRecord(raw.function)) return calledFunction({ block: raw, path, depth, note })
    return { type: 'raw', reason: type === undefined ? 'type is missing' : `type is ${kindOf(type)}, not text` }
  }
  const reader = readerOf(type)
  if (!reader) return { type: 'raw', reason: `No block of type ${JSON.stringify(type.slice(0, 80))} is known` }
  return reader({ block: raw, path, depth, note })
}

/** A message's content: text, blocks, one block, or nothing. */
export function readContent(content: unknown, path: string, depth = 0): Block[] {
  if (content === undefined || content === null || content === '') return []
  if (Array.isArray(content)) return content.map((block, index) => readBlock(block, at(path, index), depth))
  return [readBlock(content, path, depth)]
}
