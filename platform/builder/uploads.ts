import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { type Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { extract } from 'tar-stream'
import { BuildError } from './command'

export const LARGEST_UPLOAD = 200 * 1024 * 1024
const UPLOAD_MS = 60 * 60_000
/** An upload that no revision uses is kept this long, for the caller to name it. */
const UNUSED_MS = 24 * 60 * 60_000
const OBJECT_PATH = /^uploads\/([0-9a-f-]{36})\/([0-9a-f-]{36})\.tar\.gz$/

export class TooLargeError extends Error {}

export type SignedUpload = { objectPath: string; expires: number; signature: string }

/** Archives of sources that callers uploaded, one folder per deployment. They never change once they are complete. */
export class UploadStore {
  constructor(
    private readonly folder: string,
    private readonly key: Buffer,
  ) {}

  /** A new place for one upload. */
  sign(deploymentId: string, now = Date.now()): SignedUpload {
    const objectPath = `uploads/${deploymentId}/${randomUUID()}.tar.gz`
    const expires = now + UPLOAD_MS
    return { objectPath, expires, signature: this.#signature(objectPath, expires) }
  }

  isSigned({ objectPath, expires, signature }: SignedUpload, now = Date.now()): boolean {
    const [given, wanted] = [signature, this.#signature(objectPath, expires)].map((text) => Buffer.from(text))
    return expires > now && given?.length === wanted?.length && timingSafeEqual(given as Buffer, wanted as Buffer)
  }

  /** The archive's file; undefined if the text is not a path of this deployment's uploads. */
  fileOf(deploymentId: string, objectPath: string): string | undefined {
    const [, owner, id] = OBJECT_PATH.exec(objectPath) ?? []
    return owner === deploymentId ? path.join(this.folder, owner, `${id}.tar.gz`) : undefined
  }

  async has(deploymentId: string, objectPath: string): Promise<boolean> {
    const file = this.fileOf(deploymentId, objectPath)
    return file !== undefined && (await stat(file).then(Boolean, () => false))
  }

  /** Stores an upload. False if there is one already; rejects with a TooLargeError. */
  async receive(deploymentId: string, objectPath: string, body: Readable): Promise<boolean> {
    const file = this.fileOf(deploymentId, objectPath)
    if (!file || (await stat(file).then(Boolean, () => false))) return false
    const draft = `${file}.${randomUUID()}.part`
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    try {
      await pipeline(body, atMost(LARGEST_UPLOAD), createWriteStream(draft, { flags: 'wx', mode: 0o600 }))
      await rename(draft, file)
      return true
    } finally {
      await rm(draft, { force: true })
    }
  }

  /** Removes old uploads that no revision names. */
  async prune(deploymentId: string, used: ReadonlySet<string>, now = Date.now()): Promise<void> {
    const folder = path.join(this.folder, deploymentId)
    for (const name of await readdir(folder).catch(() => [])) {
      const { mtimeMs } = await stat(path.join(folder, name)).catch(() => ({ mtimeMs: now }))
      if (!used.has(`uploads/${deploymentId}/${name}`) && now - mtimeMs > UNUSED_MS)
        await rm(path.join(folder, name), { force: true })
    }
  }

  /** Removes the uploads of deleted deployments. */
  async forget(deployments: { gone: string } | { kept: ReadonlySet<string> }): Promise<void> {
    const all = await readdir(this.folder).catch(() => [])
    for (const id of 'gone' in deployments ? [deployments.gone] : all.filter((one) => !deployments.kept.has(one)))
      await rm(path.join(this.folder, id), { recursive: true, force: true })
  }

  #signature(objectPath: string, expires: number): string {
    return createHmac('sha256', this.key).update(`upload ${objectPath} ${expires}`).digest('base64url')
  }
}

const LIMITS = { bytes: 2_000_000_000, entries: 200_000 }

/**
 * Unpacks an archive into a new folder: files and folders only, so that nothing in it can lead outside. Throws a
 * BuildError for an archive that cannot be read. Returns how many files there are, and the links that were left out.
 */
export async function unpackUpload(
  file: string,
  folder: string,
  signal: AbortSignal,
  limits = LIMITS,
): Promise<{ files: number; links: string[] }> {
  await mkdir(folder, { recursive: true })
  const unpacked = { files: 0, links: [] as string[] }
  const archive = extract()
  const fed = pipeline(createReadStream(file), createGunzip(), atMost(limits.bytes), archive, { signal })
  fed.catch(() => {}) // the loop below rejects with the same reason
  let entries = 0
  try {
    for await (const entry of archive) {
      const { name, type, mode = 0 } = entry.header
      entries += 1
      if (entries > limits.entries) throw new BuildError(`The archive has more than ${limits.entries} entries.`)
      const target = inside(folder, name)
      if (type === 'directory') await mkdir(target, { recursive: true })
      else if (type === 'file' || type === 'contiguous-file') {
        await mkdir(path.dirname(target), { recursive: true })
        await pipeline(entry, createWriteStream(target, { mode: mode & 0o111 ? 0o755 : 0o644 }))
        unpacked.files += 1
        continue
      } else unpacked.links.push(name)
      entry.resume()
    }
    await fed
    return unpacked
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof BuildError) throw error
    if (error instanceof TooLargeError) throw new BuildError(`The archive unpacks to more than ${limits.bytes} bytes.`)
    throw new BuildError(`The uploaded archive cannot be unpacked: ${(error as Error).message}.`)
  }
}

function inside(folder: string, name: string): string {
  const target = path.resolve(folder, name)
  if (path.isAbsolute(name) || name.includes('\0') || (target !== folder && !target.startsWith(folder + path.sep)))
    throw new BuildError(`The archive has an entry outside its folder: ${JSON.stringify(name)}.`)
  return target
}

/** Passes bytes on, and fails beyond a number of them. */
function atMost(limit: number): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _, done) {
      bytes += chunk.length
      done(bytes > limit ? new TooLargeError(`more than ${limit} bytes`) : null, chunk)
    },
  })
}
