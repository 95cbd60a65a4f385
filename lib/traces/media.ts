import { base64Flaw } from '@/lib/format/base64'
import { isRecord } from '@/lib/json/guards'
import type { BlockBody, MediaKind, MediaSource } from './message'
import { get, type Json, textOf } from './values'

type Note = (key: string, reason: string) => void

const DATA_URI = /^data:([^;,]*)(?:;[^;,]*)*?(;base64)?,/i
const EXTENSION_TYPES: Record<string, string> = { wav: 'audio/wav', mp3: 'audio/mpeg', pcm16: 'audio/pcm' }

/**
 * Reads media in every logged spelling: `url`, `base64` and `id` of the interface; `image_url`, `input_audio` and
 * `file` of chat completions; `file_data` and `file_url` of Responses; `source` of the messages API; `data` of newer
 * blocks.
 */
export function readMedia(kind: MediaKind, block: Json, note: Note): BlockBody {
  const found = sourceOf(block, note)
  const mimeType =
    found?.mimeType ?? textOf(block.mime_type) ?? textOf(block.mimeType) ?? textOf(block.mediaType) ?? formatOf(block)
  const name =
    textOf(block.filename) ?? textOf(block.name) ?? textOf(block.title) ?? textOf(get(block.file, 'filename'))
  if (!found) return { type: 'raw', reason: `The ${kind} has no url, no base64 and no id` }
  return { type: kind, source: found.source, ...(mimeType && { mimeType }), ...(name && { name }) }
}

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
  const id = textOf(block.id) ?? textOf(block.file_id) ?? textOf(holder.file_id) ?? textOf(holder.id)
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
    if (!URL.canParse(text)) note(key, 'The address is not a whole URL')
    return { source: { from: 'url', url: text }, mimeType: type }
  }
  const flaw = base64Flaw(body)
  if (flaw) note(key, flaw)
  return { source: { from: 'base64', base64: body }, mimeType: type }
}

const formatOf = (block: Json): string | undefined => {
  const format = textOf(get(block.input_audio, 'format'))
  return format && (EXTENSION_TYPES[format] ?? `audio/${format}`)
}
