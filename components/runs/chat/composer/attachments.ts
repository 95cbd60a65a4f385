import { isRecord } from '@/lib/json/guards'

/** A file that goes with a message. `data` is base64. */
export type Attachment = { id: string; name: string; mime: string; size: number; data: string }
export type Block = Record<string, unknown>

/** All files of a message together; as base64 they are a third larger, and the console takes requests of 8 MB. */
export const MOST_BYTES = 5_000_000
export const MOST_FILES = 10

/** Image types that model providers take. Other images are sent as files. */
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** Why files cannot be added to those that are there; undefined if they can. */
export function whyNotAdd(there: readonly Pick<Attachment, 'size'>[], files: readonly File[]): string | undefined {
  const empty = files.find(({ size }) => size === 0)
  if (empty) return `${empty.name} is empty, or a folder.`
  if (there.length + files.length > MOST_FILES) return `A message takes up to ${MOST_FILES} files.`
  const bytes = [...there, ...files].reduce((sum, { size }) => sum + size, 0)
  const limit = `${MOST_BYTES / 1_000_000} MB`
  if (bytes <= MOST_BYTES) return undefined
  return files.length === 1 && there.length === 0
    ? `${files[0]?.name} is larger than ${limit}.`
    : `Together the files are larger than ${limit}.`
}

export async function readAttachment(file: File, id: string): Promise<Attachment> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
  const mime = file.type.split(';')[0]?.trim() || 'application/octet-stream'
  return { id, name: file.name || 'file', mime, size: file.size, data: url.slice(url.indexOf(',') + 1) }
}

export const isPicture = ({ mime }: Pick<Attachment, 'mime'>) => PICTURES.includes(mime)

/** How a graph's message schema writes inline data. */
type Dialect = 'source' | 'base64' | 'camel' | 'image_url'

/**
 * The content block of a file, in the form that the graph's input schema names. Without one it is the form that all
 * versions of the runtime read, in both languages.
 */
export function blockOf(file: Attachment, schema: Block | undefined): Block {
  const { name, mime, data } = file
  const top = mime.split('/')[0] ?? ''
  const type = isPicture(file) ? 'image' : top === 'audio' || top === 'video' ? top : 'file'
  const dialect = dialectOf(schema)
  if (dialect === 'image_url' && type === 'image')
    return { type: 'image_url', image_url: { url: `data:${mime};base64,${data}` } }
  const metadata = { filename: name }
  if (dialect === 'base64') return { type, base64: data, mime_type: mime, metadata }
  if (dialect === 'camel') return { type, data, mimeType: mime, metadata }
  return { type, source_type: 'base64', data, mime_type: mime, metadata }
}

/** Whether messages may hold other content than text. A schema that does not say so may. */
export function takesFiles(schema: Block | undefined): boolean {
  const contents = objectsIn(schema).flatMap(({ properties }) =>
    isRecord(properties) && isRecord(properties.content) && ('role' in properties || 'type' in properties)
      ? [properties.content]
      : [],
  )
  return contents.length === 0 || contents.some((content) => !isTextOnly(content))
}

function isTextOnly(content: Block): boolean {
  const choices = [content.anyOf, content.oneOf].find(Array.isArray)
  return choices ? choices.every((one) => isRecord(one) && isTextOnly(one)) : content.type === 'string'
}

function dialectOf(schema: Block | undefined): Dialect {
  const blocks = objectsIn(schema).flatMap(({ properties }) => (isRecord(properties) ? [properties] : []))
  const of = (type: string) => blocks.find((one) => isRecord(one.type) && namesIn(one.type).includes(type))
  const image = of('image')
  if (!image) return of('image_url') ? 'image_url' : 'source'
  if ('source_type' in image) return 'source'
  return 'mimeType' in image ? 'camel' : 'base64' in image ? 'base64' : 'source'
}

const namesIn = ({ const: only, enum: some }: Block): readonly unknown[] => (Array.isArray(some) ? some : [only])

const MOST_OBJECTS = 2_000

/** Every object in a schema. */
function objectsIn(schema: Block | undefined): Block[] {
  const found: Block[] = schema ? [schema] : []
  for (let at = 0; at < found.length && found.length < MOST_OBJECTS; at++)
    for (const value of Object.values(found[at] ?? {}))
      found.push(...(Array.isArray(value) ? value : [value]).filter(isRecord))
  return found
}
