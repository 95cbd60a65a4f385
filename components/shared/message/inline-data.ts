import { isRecord } from '@/lib/json/guards'

type Block = Record<string, unknown>
export type InlineData = { base64: string; mime: string; name: string }

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The type that a block of any provider states; empty if it states none. */
export const mimeOf = ({ mime_type, mimeType, media_type, mediaType }: Block): string =>
  [mime_type, mimeType, media_type, mediaType].map(text).find(Boolean) ?? ''

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w-]+=[\w.+-]+)*;base64,/i

/** The base64 data of a message block, such as a file, audio or an image that cannot be shown, in any provider's format. */
export function inlineDataOf(block: Block): InlineData | undefined {
  for (const place of [block, block.source, block.file, block.input_audio, block.image_url].filter(isRecord)) {
    const uri = [place.file_data, place.data, place.url]
      .map(text)
      .find((one) => one.slice(0, 5).toLowerCase() === 'data:')
    const head = uri ? DATA_URI.exec(uri.slice(0, 300)) : null
    const base64 = uri && head ? uri.slice(head[0].length) : uri ? '' : text(place.base64) || text(place.data)
    if (base64 === '') continue
    const mime = head?.[1] ?? (mimeOf(place) || text(place.format) || 'unknown kind')
    return {
      base64,
      mime: mime.slice(0, 80),
      name: safeName(text(place.filename) || text(place.name) || text(block.title) || nameIn(block.metadata), mime),
    }
  }
  return undefined
}

const nameIn = (metadata: unknown): string => (isRecord(metadata) ? text(metadata.filename) || text(metadata.name) : '')

/** Extensions of files without a name. Only those of this table are used, never the message's own text. */
const EXTENSIONS = new Map(
  Object.entries({
    ...{ 'image/png': 'png', 'image/jpeg': 'jpg', 'image/gif': 'gif', 'video/mp4': 'mp4', 'audio/mpeg': 'mp3' },
    ...{ mp3: 'mp3', 'audio/wav': 'wav', wav: 'wav', 'application/pdf': 'pdf', 'text/plain': 'txt' },
  }),
)

/** A file name without folders or characters that hide its extension. */
function safeName(name: string, mime: string): string {
  const plain = name
    .replace(/[^\p{L}\p{N} ._()-]/gu, '_')
    .replace(/^[. ]+/, '')
    .slice(-120)
  return plain || `file.${EXTENSIONS.get(mime) ?? 'bin'}`
}
