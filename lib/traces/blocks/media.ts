import { base64Flaw } from '@/lib/format/base64'
import { isRecord } from '@/lib/json/guards'
import type { BlockBody, MediaKind, MediaSource } from './message'
import { get, type Json, textOf } from './values'

type Note = (key: string, reason: string) => void

const DATA_URI = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,/i
const WEB = /^(https?|gs):\/\//i
const EXTENSION_TYPES: Record<string, string> = { wav: 'audio/wav', mp3: 'audio/mpeg', pcm16: 'audio/pcm' }

/** How base64 of some types begins, for media that are logged without their type. */
const BEGINNINGS: [string, string][] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['JVBERi', 'application/pdf'],
  ['UklGR', 'audio/wav'],
  ['SUQz', 'audio/mpeg'],
  ['T2dnUw', 'audio/ogg'],
  ['ZkxhQw', 'audio/flac'],
]

/**
 * Reads media in every logged spelling: `url`, `base64` and `id` of the interface; `image_url`, `input_audio` and
 * `file` of chat completions; `file_data` and `file_url` of Responses; `source` of the messages API; `data` of newer
 * blocks. A file of a more specific type is of that kind; without a kind, the type decides.
 */
export function readMedia(kind: MediaKind | undefined, block: Json, note: Note): BlockBody {
  const found = sourceOf(block, note)
  const mimeType = found?.mimeType ?? typeOf(block) ?? formatOf(block) ?? beginningOf(found?.source)
  const named = [block.filename, block.name, block.title, get(block.metadata, 'filename'), get(block.metadata, 'name')]
  const name = [...named, get(block.metadata, 'title'), get(block.file, 'filename')].map(textOf).find(Boolean)
  const given = kind === undefined || kind === 'file' ? kindOfType(mimeType) : kind
  if (!found) return { type: 'raw', reason: `The ${kind ?? given} has no url, no base64 and no id` }
  const transcript = textOf(block.transcript)
  return {
    type: given,
    source: found.source,
    ...(mimeType && { mimeType }),
    ...(name && { name }),
    ...(transcript && { transcript }),
  }
}

/** `image/*` and `image` too, because some SDKs know no more. */
const kindOfType = (mime: string | undefined): MediaKind =>
  (['image', 'audio', 'video'] as const).find((one) => mime === one || mime?.startsWith(`${one}/`)) ?? 'file'

const typeOf = (block: Json): string | undefined =>
  textOf(block.mime_type) ?? textOf(block.mimeType) ?? textOf(block.mediaType) ?? textOf(block.media_type)

const beginningOf = (source: MediaSource | undefined): string | undefined =>
  source?.from === 'base64' ? BEGINNINGS.find(([start]) => source.base64.startsWith(start))?.[1] : undefined

type Found = { source: MediaSource; mimeType?: string | undefined }

function sourceOf(block: Json, note: Note): Found | undefined {
  const inner = [block.source, block.image_url, block.input_audio, block.audio_url, block.video_url, block.file]
  const holder = inner.find(isRecord) ?? {}
  const type = textOf(holder.media_type) ?? textOf(holder.mime_type)
  // A document's plain text is content, not media: `source: { type: 'text', data }`.
  const isPlain = holder.type === 'text' || block.source_type === 'text'
  const plain = isPlain ? (textOf(holder.data) ?? textOf(block.text)) : undefined
  if (plain !== undefined) return { source: { from: 'text', text: plain }, mimeType: type ?? 'text/plain' }
  for (const [key, value] of [
    ['base64', block.base64],
    ['data', block.data],
    ['source', holder.data],
    ['file_data', block.file_data],
    ['file', holder.file_data],
  ] as const) {
    const text = textOf(value)
    if (text !== undefined) return fromText(text, 'base64', key, type, note)
  }
  for (const [key, value] of [
    ['url', block.url],
    ['image_url', block.image_url],
    ['file_url', block.file_url],
    ['image', block.image],
    ['source', holder.url],
  ] as const) {
    const text = textOf(value)
    if (text !== undefined) return fromText(text, 'url', key, type, note)
  }
  const id =
    textOf(block.file_id) ?? textOf(block.fileId) ?? textOf(block.id) ?? textOf(holder.file_id) ?? textOf(holder.id)
  return id === undefined ? undefined : { source: { from: 'id', id }, mimeType: type }
}

/** A `data:` URL is recognised anywhere, because some SDKs put one where base64 belongs. */
function fromText(
  text: string,
  as: 'base64' | 'url',
  key: string,
  mimeType: string | undefined,
  note: Note,
): Found | undefined {
  const uri = DATA_URI.exec(text.slice(0, 200))
  const body = uri ? text.slice(uri[0].length) : text
  const type = textOf(uri?.[1]) ?? mimeType
  if (uri && !uri[2]) return { source: { from: 'url', url: text }, mimeType: type }
  if (as === 'url' && !uri) {
    // The AI SDK has an address or base64 in one key.
    if (key === 'image' && !URL.canParse(text)) return { source: { from: 'base64', base64: body }, mimeType: type }
    if (!URL.canParse(text)) note(key, 'The address is not a complete URL')
    return { source: { from: 'url', url: text }, mimeType: type }
  }
  if (!uri && WEB.test(text)) return { source: { from: 'url', url: text }, mimeType: type }
  const flaw = base64Flaw(body)
  if (flaw) note(key, flaw)
  return { source: { from: 'base64', base64: body }, mimeType: type }
}

const formatOf = (block: Json): string | undefined => {
  const format = textOf(get(block.input_audio, 'format'))
  return format && (EXTENSION_TYPES[format] ?? `audio/${format}`)
}
