import 'server-only'
import { decodeEntries, ENTRY_CODE, encodeEntries, FIELD_CODE } from '@/lib/stream/entry-text'
import type { LogEntry } from '@/lib/stream/log'

/**
 * A run of log entries, printed once by `EntryPrinter` for the wire, the store and every viewer. A replay copies bytes
 * and prints nothing.
 */
export type Chunk = { first: number; last: number; bytes: Buffer }

const COMMA = Buffer.from(',')
const COMMA_CODE = 44
const FIRST_BYTES = 2 * 1024
const BLOCK_BYTES = 128 * 1024
/** What nobody may hold any more before V8 is asked to look for it. */
const ASK_BYTES = 128 * 1024 * 1024
/** Bytes that logs have been given so far, and how many of these nobody held when V8 was asked last. */
type Counted = { given: number; asked: number }
// On globalThis: actions and route handlers each have their own copy of this module.
const shared = globalThis as { pilothouseLogMemory?: Counted }
shared.pilothouseLogMemory ??= { given: 0, asked: 0 }
const counted = shared.pilothouseLogMemory

/**
 * Has V8 look for memory that nobody uses any more, once logs hold that much less than they were given. Otherwise V8 does not
 * count this memory: it would mark the whole heap after each 64 MB, which takes a busy process a quarter of a second, and
 * a log that grows is no reason to look for garbage (docs/decisions/0111-memory-of-logs.md).
 */
export function freeUnused(heldBytes: number): void {
  const unused = counted.given - heldBytes
  if (unused - counted.asked < ASK_BYTES) return
  counted.asked = unused
  new ArrayBuffer(ASK_BYTES) // never touched, so it takes no memory
}

const uncounted = (size: number): Buffer => Buffer.from(new SharedArrayBuffer(size))

/** The bytes that one log keeps, written one after another with commas between, so that neighbours are joined without a copy. */
export class LogMemory {
  #block: Buffer = Buffer.alloc(0)
  #used = 0

  /** Gives the same bytes, in this memory. */
  keep(content: string | Buffer): Buffer {
    const size = Buffer.byteLength(content)
    counted.given += size
    if (size > BLOCK_BYTES / 4) return put(content, uncounted(size), 0, size)
    let from = this.#used + 1 // after a comma
    if (from + size > this.#block.length) {
      this.#block = uncounted(Math.max(FIRST_BYTES, size, Math.min(BLOCK_BYTES, this.#block.length * 2)))
      from = 0
    } else this.#block[from - 1] = COMMA_CODE
    this.#used = from + size
    return put(content, this.#block, from, this.#used)
  }
}

function put(content: string | Buffer, block: Buffer, from: number, to: number): Buffer {
  if (typeof content === 'string') block.write(content, from)
  else content.copy(block, from)
  return block.subarray(from, to)
}

/** Whether two chunks lie next to each other in the memory of a log, with a comma between. */
const areNeighbours = ({ bytes: a }: Chunk, { bytes: b }: Chunk): boolean =>
  a.buffer === b.buffer && a.buffer instanceof SharedArrayBuffer && a.byteOffset + a.length + 1 === b.byteOffset

/** Joins those consecutive chunks that are neighbours in memory. */
export function joinNeighbours(chunks: readonly Chunk[]): Chunk[] {
  const joined: Chunk[] = []
  for (const chunk of chunks) {
    const before = joined.at(-1)
    if (!before || !areNeighbours(before, chunk)) {
      joined.push(chunk)
      continue
    }
    const { buffer, byteOffset, length } = before.bytes
    const bytes = Buffer.from(buffer, byteOffset, length + 1 + chunk.bytes.length)
    joined[joined.length - 1] = { first: before.first, last: chunk.last, bytes }
  }
  return joined
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
  const pieces = joinNeighbours(chunks)
  const [first, ...more] = pieces
  const last = pieces.at(-1)
  if (!first || !last) throw new Error('There is no chunk to join.')
  if (more.length === 0) return first
  const bytes = Buffer.concat([first.bytes, ...more.flatMap((one) => [COMMA, one.bytes])])
  return { first: first.first, last: last.last, bytes }
}

export const decodeChunk = (chunk: Chunk): LogEntry[] => decodeEntries(chunk.bytes.toString())
