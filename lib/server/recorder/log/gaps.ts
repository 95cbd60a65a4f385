import 'server-only'
import { encodeEntries, type NewEntry } from '@/lib/stream/entry-text'
import type { RecordingOutcome } from '@/lib/stream/log'
import { type Chunk, decodeChunk } from './chunk'

/** What the row of an ended recording says about its log. */
export type KnownEnd = { last: number; outcome: RecordingOutcome; at: number }

const LOST = 'The database has lost this part of the recording.'
const LOST_END = 'The database has lost the end of the recording; only the outcome of the run is known.'

/**
 * Chunks after entry `cursor`, with a gap entry in place of each entry the store lost; without those, viewers would ask
 * for them again and again. Give `end` if the chunks reach the end of a finished recording.
 */
export function markGaps(chunks: readonly Chunk[], cursor: number, end: KnownEnd | undefined): Chunk[] {
  const marked: Chunk[] = []
  let last = cursor
  for (const chunk of chunks) {
    if (chunk.first > last + 1) marked.push(lost(last + 1, chunk.first - 1, endOf(marked.at(-1)) ?? beginOf(chunk)))
    marked.push(chunk)
    last = chunk.last
  }
  if (!end || last >= end.last) return marked
  if (last + 1 < end.last) marked.push(lost(last + 1, end.last - 1, endOf(marked.at(-1)) ?? end.at))
  marked.push(encode(end.last, [{ at: end.at, kind: 'final', outcome: end.outcome, reason: LOST_END }]))
  return marked
}

/** One entry per lost entry, so that numbers stay consecutive. The view shows them as one gap. */
const lost = (first: number, last: number, at: number): Chunk =>
  encode(first, new Array<NewEntry>(last - first + 1).fill({ at, kind: 'gap', since: at, reason: LOST }))

const encode = (first: number, entries: readonly NewEntry[]): Chunk => ({
  first,
  last: first + entries.length - 1,
  bytes: Buffer.from(encodeEntries(first, entries)),
})

const endOf = (chunk: Chunk | undefined): number | undefined => chunk && decodeChunk(chunk).at(-1)?.at
const beginOf = (chunk: Chunk): number => decodeChunk(chunk)[0]?.at ?? 0
