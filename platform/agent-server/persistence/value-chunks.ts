import { webcrypto } from 'node:crypto'
import { promisify } from 'node:util'
import { type BrotliOptions, brotliCompress, brotliDecompress, constants } from 'node:zlib'
import { takeTurns } from '../kernel/serde'
import type { Query } from './db'

/**
 * Large values in chunks that a thread stores only once: the bytes determine the cuts, so equal parts of two values
 * become the same chunks. Hashing and compression run off the event loop.
 */

/** Smaller values are stored inline. */
export const LARGE_BYTES = 100_000
const MIN_CHUNK_BYTES = 16_384
const MAX_CHUNK_BYTES = 131_072
/** Cuts every 32 kB on average, beyond the minimum size. */
const MASK = 0x7fff << 13
const NAME_BYTES = 16
const ROWS_PER_STATEMENT = 500
/** The size of the thread pool that does this work. */
const CONCURRENCY = 4

export type ValueChunks = { names: Buffer[]; parts: Buffer[] }

/** Random numbers with a fixed seed: another seed would move every cut, and stored pieces would no longer match. */
const GEAR = Uint32Array.from({ length: 256 }, (_, index) => {
  let mixed = Math.imul(index + 1, 0x9e3779b1)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return mixed ^ (mixed >>> 16)
})

/** End offsets of the pieces. Constant work per byte, none within the minimum piece size. */
export function chunkBoundaries(bytes: Uint8Array): number[] {
  const cuts: number[] = []
  for (let from = 0; from < bytes.length; ) {
    const end = Math.min(bytes.length, from + MAX_CHUNK_BYTES)
    let at = Math.min(end, from + MIN_CHUNK_BYTES)
    for (let hash = 0; at < end; at++) {
      hash = ((hash << 1) + (GEAR[bytes[at] as number] as number)) | 0
      if ((hash & MASK) === 0) break
    }
    cuts.push(at)
    from = at
  }
  return cuts
}

const deflate = promisify<Buffer, BrotliOptions, Buffer>(brotliCompress)
const inflate = promisify<Buffer, BrotliOptions, Buffer>(brotliDecompress)
const compress = (part: Buffer): Promise<Buffer> =>
  deflate(part, {
    chunkSize: MAX_CHUNK_BYTES,
    // As fast as the fastest deflate, with smaller output. The window fits one piece; a larger one only costs memory.
    params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_LGWIN]: 17 },
  })

/** The results in order. Starting the work for a piece blocks the event loop, so only a few are in progress at once. */
async function mapConcurrent<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const walk = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T)
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, walk))
  return results
}

/** Cuts the value and names its pieces; stores nothing yet. */
export async function splitValue(bytes: Buffer): Promise<ValueChunks> {
  await takeTurns(bytes.length)
  const cuts = chunkBoundaries(bytes)
  const parts = cuts.map((end, index) => bytes.subarray(cuts[index - 1] ?? 0, end))
  const names = await mapConcurrent(parts, async (part) =>
    Buffer.from(await webcrypto.subtle.digest('SHA-256', part)).subarray(0, NAME_BYTES),
  )
  return { names, parts }
}

/** The reference stored instead of the value: the names of its pieces, in order. */
export const chunkReferences = ({ names }: ValueChunks): Buffer => Buffer.concat(names)

/**
 * Prepares a thread's pieces for storing: compresses new ones. The returned function stores them in the transaction of
 * the references, and locks existing pieces against removal.
 */
export async function prepareChunks(
  query: Query,
  threadId: string,
  all: readonly ValueChunks[],
): Promise<(query: Query) => Promise<void>> {
  const parts = new Map(
    all.flatMap(({ names, parts }) =>
      names.map((name, index) => [name.toString('hex'), parts[index] as Buffer] as const),
    ),
  )
  // Always in the same order, to avoid deadlocks between two statements.
  const names = [...parts.keys()].sort()
  const findMissing = async (by: Query, lock = '') => {
    const rows = await by<{ name: Buffer }>(
      `select name from large_pieces where thread_id = $1 and name = any($2::bytea[]) order by name ${lock}`,
      [threadId, names.map((name) => Buffer.from(name, 'hex'))],
    )
    const known = new Set(rows.map(({ name }) => name.toString('hex')))
    return names.filter((name) => !known.has(name))
  }
  const ready = new Map<string, Buffer>()
  const make = async (name: string) => {
    const data = ready.get(name) ?? (await compress(parts.get(name) as Buffer))
    ready.set(name, data)
    return data
  }
  await mapConcurrent(await findMissing(query), make)
  return async (transaction) => {
    const missing = await findMissing(transaction, 'for key share')
    for (let from = 0; from < missing.length; from += ROWS_PER_STATEMENT) {
      const some = missing.slice(from, from + ROWS_PER_STATEMENT)
      const rows = some.map((_, row) => `($1, $${2 + row * 2}, $${3 + row * 2})`)
      const values = await Promise.all(some.map(async (name) => [Buffer.from(name, 'hex'), await make(name)]))
      await transaction(
        `insert into large_pieces (thread_id, name, data) values ${rows.join(', ')} on conflict do nothing`,
        [threadId, ...values.flat()],
      )
    }
  }
}

/** The original text of the value. */
export async function loadChunks(query: Query, threadId: string, refs: Buffer): Promise<string> {
  const names = Array.from({ length: refs.length / NAME_BYTES }, (_, index) =>
    refs.toString('hex', index * NAME_BYTES, (index + 1) * NAME_BYTES),
  )
  const rows = await query<{ name: Buffer; data: Buffer }>(
    'select name, data from large_pieces where thread_id = $1 and name = any($2::bytea[])',
    [threadId, [...new Set(names)].map((name) => Buffer.from(name, 'hex'))],
  )
  const parts = new Map(
    await mapConcurrent(
      rows,
      async ({ name, data }) => [name.toString('hex'), await inflate(data, { chunkSize: MAX_CHUNK_BYTES })] as const,
    ),
  )
  return Buffer.concat(
    names.map((name) => {
      const part = parts.get(name)
      if (!part) throw new Error(`The store has lost a part of a value of thread ${threadId}.`)
      return part
    }),
  ).toString()
}

/** Removes the thread's unreferenced pieces. */
export async function removeUnusedChunks(query: Query, threadId: string): Promise<void> {
  await query(
    `delete from large_pieces where thread_id = $1 and name not in (
       select substring(refs from 1 + ${NAME_BYTES} * place for ${NAME_BYTES}) from (
         select blob as refs from checkpoint_blobs where thread_id = $1 and type = '${CHUNKED}'
         union all select blob from checkpoint_writes where thread_id = $1 and type = '${CHUNKED}'
         union all select blob from kept_writes where thread_id = $1 and type = '${CHUNKED}'
         union all select input_pieces from runs where thread_id = $1 and input_pieces is not null) as used,
       generate_series(0, octet_length(refs) / ${NAME_BYTES} - 1) as place)`,
    [threadId],
  )
}

/** The type tag of a value stored in pieces. */
export const CHUNKED = 'pieces'
