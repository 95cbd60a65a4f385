import 'server-only'
import { decodeEntries, ENTRY_CODE, encodeEntries, FIELD_CODE } from '@/lib/stream/entry-text'
import type { LogEntry } from '@/lib/stream/log'

/**
 * A run of log entries, printed once by `EntryPrinter` for the wire, the store and every viewer. A replay copies bytes
 * and prints nothing.
 */
export type Chunk = { first: number; last: number; bytes: Buffer }

const COMMA = Buffer.from(',')
const SLAB_BYTES = 8 * 1024
let slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
let used = 0

/**
 * The bytes of a text that a log keeps, in memory that only such texts share: in Node's pool they would keep what lies
 * between them, frames that were sent and forgotten, several times their size.
 */
export function keptBytes(text: string): Buffer {
  const most = text.length * 3 // a character's UTF-8
  if (most > SLAB_BYTES / 2) return Buffer.from(text)
  if (used + most > SLAB_BYTES) {
    slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
    used = 0
  }
  const from = used
  used += slab.write(text, from)
  return slab.subarray(from, used)
}

/** The bytes of the entries after `cursor`; undefined if there are none. */
export function chunkAfter({ first, last, bytes }: Chunk, cursor: number): Buffer | undefined {
  if (cursor >= last) return undefined
  if (cursor < first) return bytes
  const offsets: number[] = []
  for (let at = bytes.indexOf(ENTRY_CODE); at !== -1; at = bytes.indexOf(ENTRY_CODE, at + 1)) offsets.push(at)
  const place = offsets.length - (last - cursor)
  // Old entries have no entry code. Quotes within JSON are escaped, and text that is not JSON comes after it.
  const start = offsets[place] ?? bytes.indexOf(`{"seq":${cursor + 1},`)
  if (start === -1) throw new Error(`Entry ${cursor + 1} is missing in the chunk ${first}-${last}.`)
  if (place < 0 || bytes[start + 1] !== FIELD_CODE) return bytes.subarray(start)
  // A shortened entry leaves out what the last whole entry before it has.
  let whole = place
  while (bytes[(offsets[whole] as number) + 1] === FIELD_CODE) whole-- // the first entry is whole
  const next = offsets[place + 1]
  const end = next === undefined ? bytes.length : next - 1 // before the comma
  const [entry] = decodeEntries(bytes.subarray(offsets[whole], end).toString()).slice(-1)
  return Buffer.concat([Buffer.from(encodeEntries(cursor + 1, entry ? [entry] : [])), bytes.subarray(end)])
}

/** Joins consecutive chunks. */
export function joinChunks(chunks: readonly Chunk[]): Chunk {
  const first = chunks[0]
  const last = chunks.at(-1)
  if (!first || !last) throw new Error('There is no chunk to join.')
  if (first === last) return first
  const bytes = Buffer.concat(chunks.flatMap((chunk, index) => (index === 0 ? [chunk.bytes] : [COMMA, chunk.bytes])))
  return { first: first.first, last: last.last, bytes }
}

export const decodeChunk = (chunk: Chunk): LogEntry[] => decodeEntries(chunk.bytes.toString())
