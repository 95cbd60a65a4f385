import 'server-only'
import { decodeEntries, entryStarts } from '@/lib/stream/entry-text'
import type { LogEntry } from '@/lib/stream/log'

/**
 * A run of log entries, encoded once for the wire, the store and every viewer: their texts (`encodeEntry`) joined by
 * commas, in UTF-8. What is stored is the same text, so that a replay copies bytes and prints nothing.
 */
export type Chunk = { first: number; last: number; bytes: Buffer }

const COMMA = Buffer.from(',')

/** The bytes of the entries after `cursor`, undefined where there are none. */
export function chunkAfter(chunk: Chunk, cursor: number): Buffer | undefined {
  if (cursor >= chunk.last) return undefined
  if (cursor < chunk.first) return chunk.bytes
  for (const start of entryStarts(cursor + 1)) {
    const at = chunk.bytes.indexOf(start)
    if (at !== -1) return chunk.bytes.subarray(at)
  }
  throw new Error(`Entry ${cursor + 1} is missing in the chunk ${chunk.first}-${chunk.last}.`)
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

export const decodeChunk = (chunk: Chunk): LogEntry[] => decodeEntries(chunk.bytes.toString())
