import { isRecord } from '@/lib/json/guards'
import type { Flaw } from './message'
import { at, type Json, kindOf } from './values'

/** What keys hold in every format. Readers pass over a value of another kind, so it is named as a flaw. */

type Kind = 'text' | 'number' | 'boolean' | 'array' | 'object'
type Kinds = ReadonlyMap<string, readonly Kind[]>

const each = (kinds: readonly Kind[], ...keys: string[]): [string, readonly Kind[]][] => keys.map((key) => [key, kinds])

/** Keys of blocks, and of the objects in them that only describe. Arguments and results are free and not listed. */
const BLOCK_KINDS: Kinds = new Map([
  ...each(['text'], 'id', 'call_id', 'tool_call_id', 'tool_use_id', 'toolCallId', 'approval_request_id', 'file_id'),
  ...each(['text'], 'name', 'toolName', 'title', 'filename', 'document_title', 'server_label', 'status', 'url', 'uri'),
  ...each(['text'], 'file_url', 'fileUri', 'file_uri', 'file_data', 'base64', 'transcript', 'snippet', 'format'),
  ...each(['text'], 'mime_type', 'mimeType', 'media_type', 'mediaType', 'refusal', 'thinking', 'signature'),
  ...each(['text'], 'data', 'cited_text', 'citedText', 'quote', 'encrypted_content', 'code', 'stdout', 'stderr'),
  ...each(['text', 'object'], 'text', 'image_url', 'source', 'action', 'audio_url', 'video_url'),
  ...each(['number'], 'score', 'start_index', 'end_index', 'startIndex', 'endIndex', 'return_code', 'returnCode'),
  ...each(['boolean'], 'thought', 'is_error', 'isError', 'providerExecuted'),
  ...each(['array'], 'annotations', 'citations', 'summary', 'queries', 'sources', 'results', 'outputs'),
  ...each(
    ['object'],
    'url_citation',
    'file_citation',
    'file',
    'input_audio',
    'metadata',
    'providerMetadata',
    'anthropic',
    'openai',
  ),
  ...each(['object'], 'function', 'functionCall', 'functionResponse', 'function_response', 'inlineData', 'inline_data'),
  ...each(['object'], 'fileData', 'executableCode', 'executable_code'),
  ...each(['object'], 'codeExecutionResult', 'code_execution_result'),
])

/** Keys of messages other than their content. */
const MESSAGE_KINDS: Kinds = new Map([
  ...each(['text'], 'id', 'name', 'tool_call_id', 'status', 'refusal', 'reasoning_content'),
  ...each(['array'], 'tool_calls', 'invalid_tool_calls', 'tool_call_chunks', 'tool_outputs', 'annotations'),
  ...each(['object'], 'additional_kwargs', 'function_call', 'audio'),
])

/** The kind of a value under a key, if it is known and another one is logged. */
function wrongKind(kinds: Kinds, key: string, value: unknown): string | undefined {
  const wanted = kinds.get(key)
  if (!wanted || value === undefined || value === null) return undefined
  const own: string = typeof value === 'string' ? 'text' : Array.isArray(value) ? 'array' : typeof value
  // A document says with `{ enabled }` whether it may be cited.
  if (wanted.some((kind) => kind === own) || (key === 'citations' && isRecord(value) && 'enabled' in value))
    return undefined
  return `${key} is ${kindOf(value)}, not ${wanted.map((kind) => ARTICLES[kind]).join(' or ')}`
}
const ARTICLES: Record<Kind, string> = {
  ...{ text: 'text', number: 'a number', boolean: 'true or false', array: 'an array', object: 'an object' },
}

/** Lists that are read here and not as blocks of their own. */
const OWN_LISTS = new Set(['annotations', 'citations', 'summary'])
/** Objects that applications fill as they like. */
const FREE = new Set(['metadata'])
const MAX_FLAWS = 20

/** Values of a wrong kind in a block, with their paths. */
export function wrongKinds(raw: Json, path: string): Flaw[] {
  const found: Flaw[] = []
  const look = (value: Json, here: string, depth: number): void => {
    for (const [key, inner] of Object.entries(value)) {
      if (found.length >= MAX_FLAWS) return
      const place = at(here, key)
      const reason = wrongKind(BLOCK_KINDS, key, inner)
      if (reason) found.push({ path: place, reason })
      else if (depth === 0) continue
      else if (isRecord(inner) && BLOCK_KINDS.has(key) && !FREE.has(key)) look(inner, place, depth - 1)
      else if (Array.isArray(inner) && OWN_LISTS.has(key))
        for (const [index, one] of inner.entries()) lookAt(one, at(place, index), depth)
    }
  }
  const lookAt = (one: unknown, here: string, depth: number): void => {
    if (isRecord(one)) look(one, here, depth - 1)
    else found.push({ path: here, reason: `An item is ${kindOf(one)}, not an object` })
  }
  look(raw, path, 3)
  return found
}

/** Values of a wrong kind next to a message's content, each with its path. */
export function wrongMessageKinds(body: Json, path: string): (Flaw & { raw: unknown })[] {
  const keywords = isRecord(body.additional_kwargs) ? body.additional_kwargs : {}
  return [[body, path] as const, [keywords, at(path, 'additional_kwargs')] as const].flatMap(([holder, here]) =>
    Object.entries(holder).flatMap(([key, raw]) => {
      const reason = wrongKind(MESSAGE_KINDS, key, raw)
      return reason ? [{ path: at(here, key), reason, raw }] : []
    }),
  )
}
