import 'server-only'
import type { LogEntry } from '@/lib/stream/log'

/**
 * A run of log entries, encoded once for the wire, the store and every viewer: their JSON texts joined by commas, in
 * UTF-8. What is stored is the same text, so that a replay copies bytes and prints nothing.
 */
export type Chunk = { first: number; last: number; bytes: Buffer }

/** An entry without its number: the log gives it. */
export type NewEntry = LogEntry extends infer Entry ? (Entry extends LogEntry ? Omit<Entry, 'seq'> : never) : never

const COMMA = Buffer.from(',')

/** `seq` comes first: `chunkAfter` finds an entry by it. */
export const encodeEntry = (seq: number, entry: NewEntry): string => `{"seq":${seq},${JSON.stringify(entry).slice(1)}`

/**
 * The bytes of the entries after `cursor`, undefined where there are none. An entry's first key is found by its text:
 * inside of an entry a quote is always escaped, so that `{"seq":7,` stands nowhere but at its start.
 */
export function chunkAfter(chunk: Chunk, cursor: number): Buffer | undefined {
  if (cursor >= chunk.last) return undefined
  if (cursor < chunk.first) return chunk.bytes
  const at = chunk.bytes.indexOf(`{"seq":${cursor + 1},`)
  if (at === -1) throw new Error(`Entry ${cursor + 1} is missing in the chunk ${chunk.first}-${chunk.last}.`)
  return chunk.bytes.subarray(at)
}

/** Chunks that follow each other, as one. */
export function joinChunks(chunks: readonly Chunk[]): Chunk {
  const first = chunks[0]
  const last = chunks.at(-1)
  if (!first || !last) throw new Error('There is no chunk to join.')
  if (first === last) return first
  const bytes = Buffer.concat(chunks.flatMap((chunk, index) => (index === 0 ? [chunk.bytes] : [COMMA, chunk.bytes])))
  return { first: first.first, last: last.last, bytes }
}

export const decodeChunk = (chunk: Chunk): LogEntry[] => JSON.parse(`[${chunk.bytes.toString()}]`)
