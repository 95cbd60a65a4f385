import { createHash } from 'node:crypto'
import { chmod, type FileHandle, mkdir, open, symlink } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { type Entry, ImageError } from './tree'

/**
 * One file per image: a line of JSON that lists the entries, followed by the files' contents; the digest is that of the
 * whole file. Owners, times and most of the mode are left out, so the same tree has the same digest everywhere.
 */
const EntrySchema = z.discriminatedUnion('type', [
  z.strictObject({
    path: z.string(),
    type: z.literal('file'),
    size: z.int().nonnegative(),
    isExecutable: z.boolean(),
  }),
  z.strictObject({ path: z.string(), type: z.literal('link'), target: z.string() }),
  z.strictObject({ path: z.string(), type: z.literal('folder') }),
])
const Head = z.strictObject({ format: z.literal(1), config: z.string(), entries: z.array(EntrySchema) })

const CHUNK = 256 * 1024
const LONGEST_HEAD = 256 * 1024 * 1024

export type Packed = { digest: string; files: number; bytes: number }

/** Writes a tree's archive to `file`, which must not exist, and syncs it to disk. */
export async function writeArchive(
  root: string,
  file: string,
  entries: readonly Entry[],
  config: string,
): Promise<Packed> {
  const hash = createHash('sha256')
  const out = await open(file, 'wx', 0o600)
  let bytes = 0
  // Small files are combined, because a write for each would cost more than reading it.
  let gathered: Buffer[] = []
  let length = 0
  const flush = async () => {
    const chunk = Buffer.concat(gathered, length)
    gathered = []
    length = 0
    hash.update(chunk)
    for (let written = 0; written < chunk.length; )
      written += (await out.write(chunk, written, chunk.length - written)).bytesWritten
    bytes += chunk.length
  }
  const put = async (chunk: Buffer) => {
    gathered.push(chunk)
    length += chunk.length
    if (length >= CHUNK) await flush()
  }
  try {
    await put(
      Buffer.from(`${JSON.stringify({ format: 1, config, entries: [...entries] } satisfies z.input<typeof Head>)}\n`),
    )
    for (const entry of entries) if (entry.type === 'file') await putFile(path.join(root, entry.path), entry, put)
    await flush()
    await out.sync()
  } finally {
    await out.close()
  }
  return {
    digest: `sha256:${hash.digest('hex')}`,
    files: entries.filter(({ type }) => type === 'file').length,
    bytes,
  }
}

async function putFile(file: string, entry: Entry & { type: 'file' }, put: (chunk: Buffer) => Promise<void>) {
  const changed = () => new ImageError(`${entry.path} changed while it was packed. Pack it again.`)
  const source = await open(file, 'r').catch(() => {
    throw changed()
  })
  try {
    let left = entry.size
    for (;;) {
      // A new buffer each time, because the previous one may still be written. One byte more than expected reveals a
      // file that grew.
      const buffer = Buffer.allocUnsafe(Math.min(CHUNK, left + 1))
      const { bytesRead } = await source.read(buffer, 0, buffer.length)
      if (bytesRead === 0) break
      left -= bytesRead
      if (left < 0) throw changed()
      await put(buffer.subarray(0, bytesRead))
    }
    if (left > 0) throw changed()
  } finally {
    await source.close()
  }
}

/** Reads an archive sequentially and hashes it. */
class Reader {
  readonly hash = createHash('sha256')
  #rest: Buffer = Buffer.alloc(0)
  constructor(private readonly source: FileHandle) {}

  /** The next bytes, up to `most`; empty at the end. */
  async next(most: number): Promise<Buffer> {
    await this.#fill()
    return this.#take(most)
  }

  async line(): Promise<string> {
    const parts: Buffer[] = []
    for (let length = 0; length < LONGEST_HEAD && (await this.#fill()); ) {
      const end = this.#rest.indexOf(10)
      const part = this.#take(end < 0 ? CHUNK : end + 1)
      parts.push(part)
      length += part.length
      if (end >= 0) return Buffer.concat(parts).toString('utf8')
    }
    return broken()
  }

  async #fill(): Promise<boolean> {
    if (this.#rest.length === 0) {
      const buffer = Buffer.allocUnsafe(CHUNK)
      const { bytesRead } = await this.source.read(buffer, 0, CHUNK)
      this.#rest = buffer.subarray(0, bytesRead)
      this.hash.update(this.#rest)
    }
    return this.#rest.length > 0
  }

  #take(most: number): Buffer {
    const taken = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(taken.length)
    return taken
  }
}

function broken(): never {
  throw new ImageError('The stored image is damaged: its content does not match its digest. Pack it again.')
}

/**
 * Extracts an archive into a new folder, checks its digest and closes it. Rejects with an ImageError if the digest
 * differs; then the folder must be deleted.
 */
export async function extractArchive(
  source: FileHandle,
  digest: string,
  folder: string,
  signal: AbortSignal,
): Promise<{ files: number }> {
  try {
    const reader = new Reader(source)
    const head = Head.safeParse(parse(await reader.line()))
    if (!head.success) return broken()
    const { entries } = head.data
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const made = new Set<string>()
    const makeFolder = async (place: string) => {
      if (!made.has(place)) await mkdir(place, { recursive: true })
      made.add(place)
    }
    let files = 0
    for (const entry of entries) {
      signal.throwIfAborted()
      const target = inside(folder, entry.path)
      await makeFolder(entry.type === 'folder' ? target : path.dirname(target))
      if (entry.type !== 'file') continue
      await extractFile(reader, entry, target)
      files += 1
    }
    if ((await reader.next(1)).length > 0 || `sha256:${reader.hash.digest('hex')}` !== digest) return broken()
    // Last, so that nothing is ever written through a link.
    for (const entry of entries)
      if (entry.type === 'link') await symlink(entry.target, inside(folder, entry.path)).catch(() => broken())
    return { files }
  } finally {
    await source.close()
  }
}

async function extractFile(reader: Reader, entry: Entry & { type: 'file' }, target: string): Promise<void> {
  const out = await open(target, 'wx', entry.isExecutable ? 0o755 : 0o644)
  try {
    for (let left = entry.size; left > 0; ) {
      const chunk = await reader.next(left)
      if (chunk.length === 0) broken()
      left -= chunk.length
      for (let written = 0; written < chunk.length; )
        written += (await out.write(chunk, written, chunk.length - written)).bytesWritten
    }
  } finally {
    await out.close()
  }
  // The umask reduces the mode of `open`.
  if (entry.isExecutable) await chmod(target, 0o755)
}

function inside(folder: string, place: string): string {
  const target = path.resolve(folder, place)
  if (!target.startsWith(folder + path.sep) || place.includes('\0')) return broken()
  return target
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
