import { isRecord } from '@/lib/json/guards'
import { readMedia } from './media'
import type { BlockReader } from './reader'
import { missing } from './reader'
import { outcomeOf } from './tools'
import { get, kindOf, textOf } from './values'

/** Parts of Gemini messages. A part is named by its key, in both spellings, with or without a `type` that repeats it. */

const held = (read: Parameters<BlockReader>[0], ...keys: string[]) => {
  const key = keys.find((one) => isRecord(read.block[one]))
  return key === undefined ? undefined : { key, value: read.block[key] }
}

const functionCall: BlockReader = (read) => {
  const found = held(read, 'functionCall', 'function_call')
  if (!found) return missing('functionCall', undefined)
  const name = textOf(get(found.value, 'name'))
  if (name === undefined) read.note(`${found.key}.name`, 'name is missing')
  return { type: 'tool_call', id: textOf(get(found.value, 'id')), name, args: get(found.value, 'args') ?? {} }
}

const functionResponse: BlockReader = (read) => {
  const found = held(read, 'functionResponse', 'function_response')
  if (!found) return missing('functionResponse', undefined)
  const response = get(found.value, 'response')
  const failure = get(response, 'error')
  // By the provider's convention the response is `{ output }` or `{ error }`.
  const inner = failure ?? get(response, 'output') ?? get(response, 'result') ?? response
  // Without an id, the order of the calls tells which one is answered.
  const toolCallId = textOf(get(found.value, 'id'))
  const name = textOf(get(found.value, 'name'))
  const status = failure === undefined || failure === null ? 'success' : 'error'
  return {
    type: 'tool_result',
    toolCallId,
    ...(name && { name }),
    ...outcomeOf(inner, `${found.key}.response`, read, status),
  }
}

const executableCode: BlockReader = (read) => {
  const found = held(read, 'executableCode', 'executable_code')
  if (!found || !isRecord(found.value)) return missing('executableCode', undefined)
  const { id, ...args } = found.value
  return { type: 'server_tool_call', id: textOf(id), name: 'code_execution', args }
}

export const codeExecutionResult: BlockReader = (read) => {
  const found = held(read, 'codeExecutionResult', 'code_execution_result')
  if (!found || !isRecord(found.value)) return missing('codeExecutionResult', undefined)
  const { outcome, output } = found.value
  if (output !== undefined && output !== null && typeof output !== 'string')
    read.note(`${found.key}.output`, `output is ${kindOf(output)}, not text`)
  const isFailed = typeof outcome === 'string' && !/OK$/i.test(outcome) && outcome !== '1'
  const said = textOf(output) ?? (isFailed ? outcome : '')
  return {
    type: 'server_tool_result',
    toolCallId: textOf(found.value.id),
    status: isFailed ? 'error' : 'success',
    output: said,
  }
}

const inlineData: BlockReader = (read) => {
  const found = held(read, 'inlineData', 'inline_data')
  return found && isRecord(found.value)
    ? readMedia(undefined, found.value, read.note)
    : missing('inlineData', undefined)
}

const fileData: BlockReader = (read) => {
  const { value } = held(read, 'fileData', 'file_data') ?? { value: read.block }
  const url = textOf(get(value, 'fileUri')) ?? textOf(get(value, 'file_uri'))
  const mime = textOf(get(value, 'mimeType')) ?? textOf(get(value, 'mime_type'))
  return readMedia(undefined, { url, mime_type: mime }, read.note)
}

/** Under the part's key in both spellings. */
export const GEMINI_PARTS: [string, BlockReader][] = [
  ['functionCall', functionCall],
  ['functionResponse', functionResponse],
  ['function_response', functionResponse],
  ['executableCode', executableCode],
  ['executable_code', executableCode],
  ['codeExecutionResult', codeExecutionResult],
  ['inlineData', inlineData],
  ['inline_data', inlineData],
  ['fileData', fileData],
  ['file_data', fileData],
]
