import { entryOf, isRecord } from '@/lib/json/guards'

type Block = Record<string, unknown>
const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const KINDS: Record<string, string> = {
  ...{ image: 'picture', image_url: 'picture', input_image: 'picture', audio: 'sound', input_audio: 'sound' },
  ...{ audio_url: 'sound', video: 'video', video_url: 'video', file: 'file', input_file: 'file', document: 'file' },
}

/** The kind of a media block in one word; undefined for other blocks. */
export const mediaKind = (block: Block): string | undefined => {
  const type = text(block.type)
  return entryOf(KINDS, type)
}

/** The address of media on another host, in any provider's format. */
export function mediaAddress(block: Block): string | undefined {
  const places = ['image_url', 'audio_url', 'video_url', 'file_url', 'source', 'file'].map((key) => block[key])
  const found = [block, ...places].map((place) => (isRecord(place) ? text(place.url) : text(place))).find(Boolean)
  return found && !/^data:/i.test(found) ? found : undefined
}

/** The id under which a provider stores media. */
export function mediaId(block: Block): string | undefined {
  const file = isRecord(block.file) ? block.file : isRecord(block.source) ? block.source : {}
  return text(block.file_id) || text(block.fileId) || text(file.file_id) || text(block.id) || undefined
}

/** The audio types that browsers play. Only types from these tables are used, never the message's own text. */
const PLAYED: Record<string, string> = {
  ...{ wav: 'audio/wav', 'x-wav': 'audio/wav', wave: 'audio/wav', 'vnd.wave': 'audio/wav', mpeg: 'audio/mpeg' },
  ...{ mp3: 'audio/mpeg', aac: 'audio/aac', ogg: 'audio/ogg', opus: 'audio/ogg', flac: 'audio/flac' },
  ...{ 'x-m4a': 'audio/mp4', m4a: 'audio/mp4', mp4: 'audio/mp4', webm: 'audio/webm' },
}
const FILMS: Record<string, string> = { mp4: 'video/mp4', webm: 'video/webm', ogg: 'video/ogg', quicktime: 'video/mp4' }

/** The MIME type to play data as; undefined if it can only be saved. */
export function playedType(mime: string, kind: string | undefined): string | undefined {
  const [top = '', rest = ''] = mime.toLowerCase().split(';')[0]?.trim().split('/') ?? []
  const isFilm = top === 'video' || (rest === '' && kind === 'video')
  if (!isFilm && top !== 'audio' && !(rest === '' && kind === 'sound')) return undefined
  const table = isFilm ? FILMS : PLAYED
  const name = rest === '' ? top : rest
  return Object.hasOwn(table, name) ? table[name] : undefined
}
