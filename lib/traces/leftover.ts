import { isRecord } from '@/lib/json/guards'
import { at, parseText } from './blocks/values'

/** A text that was logged and is not shown otherwise. */
export type Leftover = { path: string; text: string }

/** Keys whose text is not meant for readers: names of types and items, checksums, and what is shown as a fact. */
export const SILENT_KEYS: ReadonlySet<string> = new Set([
  ...[
    'type',
    'lc',
    'id',
    'object',
    'role',
    'lc_namespace',
    'signature',
    'thoughtSignature',
    'encrypted_content',
    'data',
  ],
  ...['encryptedContent', 'encrypted_index', 'encryptedIndex', 'system_fingerprint', 'service_tier', 'serviceTier'],
  ...[
    'model',
    'model_name',
    'model_provider',
    'modelVersion',
    'modelId',
    'finish_reason',
    'finishReason',
    'stop_reason',
  ],
  ...['stopReason', 'status', 'mime_type', 'mimeType', 'media_type', 'mediaType', 'detail', 'tool_call_id', 'call_id'],
  ...['toolCallId', 'tool_use_id', 'item_id', 'itemId', 'container_id', 'file_id', 'sourceType', 'source_type'],
  ...['responseId', 'outcome', 'lg_name', 'versions', 'headers', 'tool_call_chunks', 'format', 'outputVersion'],
])
const MAX_FOUND = 200
const MAX_STEPS = 200_000
/** Characters compared at most, so that a large run does not hold up the page. */
const MAX_COMPARED = 50_000_000

/**
 * Texts of a value that are not among the shown ones: the net below the readers, so that what they do not know still
 * appears. It is limited for very large runs, whose JSON is one click away.
 */
export function leftoverOf(value: unknown, path: string, shown: Iterable<string>): Leftover[] {
  const known = new Set(shown)
  const all = [...known].join('\n')
  let compared = 0
  const isShown = (text: string): boolean => {
    if (known.has(text)) return true
    const parsed = /^\s*[[{]/.test(text) ? parseText(text).value : undefined
    if (parsed !== undefined && textsIn(parsed).every((one) => known.has(one))) return true
    compared += all.length
    return compared < MAX_COMPARED && all.includes(text)
  }
  const found: Leftover[] = []
  for (const [text, here] of walk(value, path)) {
    if (isShown(text)) continue
    found.push({ path: here, text })
    if (found.length >= MAX_FOUND) break
  }
  return found
}

/** The texts inside a value that readers may miss. */
export const textsIn = (value: unknown): string[] => [...walk(value, '')].map(([text]) => text)

function* walk(value: unknown, path: string): Generator<[text: string, path: string]> {
  const open: [unknown, string][] = [[value, path]]
  for (let steps = 0; open.length > 0 && steps < MAX_STEPS; steps++) {
    const [one, here] = open.pop() as [unknown, string] // there is one
    if (typeof one === 'string') {
      if (isReadable(one)) yield [one, here]
    } else if (Array.isArray(one)) {
      for (let index = one.length - 1; index >= 0; index--) open.push([one[index], at(here, index)])
    } else if (isRecord(one))
      for (const [key, inner] of Object.entries(one).reverse())
        if (!SILENT_KEYS.has(key) || !isPlain(inner)) open.push([inner, at(here, key)])
  }
}

/** A silent key that holds anything but words and lists of them is not what it seems. */
const isPlain = (value: unknown): boolean =>
  !isRecord(value) || Object.values(value).every((one) => typeof one === 'string' && !/\s/.test(one))

/** Words, not media, an id or a picture's address in base64. */
const isReadable = (text: string): boolean =>
  /[\p{L}\p{N}]/u.test(text) && !(text.length > 400 && !/\s/.test(text.slice(0, 400))) && !text.startsWith('data:')
