import { randomUUID } from 'node:crypto'
import { copyFile, link, mkdir, open, readdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { BuildError } from '../builder/command'
import { readGraphConfig } from '../builder/graph-config'
import { extractArchive, writeArchive } from './archive'
import { parseReference, similarNames } from './reference'
import { ImageError, readTree } from './tree'

const Tagged = z.object({
  digest: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  /** The graph configuration file in the tree. */
  config: z.string(),
  files: z.int(),
  bytes: z.int(),
  packed_at: z.string(),
})
const Resolved = Tagged.pick({ digest: true, config: true })
/** An image's immutable identity: its content, and the location of its graph configuration. */
export type ResolvedImage = z.output<typeof Resolved>
export type ListedImage = z.output<typeof Tagged> & { image: string }
export type PackedImage = ListedImage & { graphs: string[]; notes: string[]; collected: number }

/** Age after which a draft of an unknown process is deleted. */
const OLDEST_DRAFT_MS = 24 * 3600_000

/**
 * Images in a folder, safe for several processes and for kills at any moment. `blobs` has contents by digest, `tags`
 * the named ones, `pins` those that revisions run; unreferenced blobs are collected. Files are moved or linked into
 * place when complete.
 */
export class ImageStore {
  constructor(private readonly folder: string) {}

  /** Packs a folder under a name and tag. Rejects with an ImageError that says why. */
  async pack(folder: string, image: string, config = 'graph.json'): Promise<PackedImage> {
    const { name, tag, digest: asked } = this.#reference(image)
    if (asked) throw new ImageError('A digest cannot be chosen. Give a name and a tag.')
    const { entries, notes } = await readTree(folder)
    if (this.folder.startsWith(path.resolve(folder) + path.sep))
      throw new ImageError('The image store is inside the folder to pack.')
    const graphConfig = await readGraphConfig(folder, config).catch((error) => {
      throw error instanceof BuildError ? new ImageError(error.message) : error
    })
    const found = path.relative(await realpath(folder), graphConfig.file).replaceAll(path.sep, '/')

    await this.#prepare()
    const draft = this.#at('drafts', `${process.pid}-${randomUUID()}`)
    try {
      const packed = await writeArchive(folder, draft, entries, found)
      const blob = this.#blob(packed.digest)
      const tagged = { ...packed, config: found, packed_at: new Date().toISOString() }
      const file = this.#at('tags', folderName(name), tag)
      // A collection that started before the tag existed may remove the blob; after the tag it cannot.
      for (let tries = 0; tries === 0 || !(await exists(blob)); tries += 1) {
        if (tries === 5) throw new ImageError('The image cannot be stored: its file disappeared meanwhile.')
        if (!(await exists(blob))) await link(draft, blob).catch(() => place(draft, blob))
        await this.#write(file, JSON.stringify(tagged))
      }
      const collected = await this.collect()
      return { ...tagged, image: `${name}:${tag}`, graphs: graphConfig.graphs, notes, collected }
    } finally {
      await rm(draft, { force: true })
    }
  }

  /** Every tag, by name. */
  async list(): Promise<ListedImage[]> {
    const listed: ListedImage[] = []
    for (const name of (await names(this.#at('tags'))).sort())
      for (const tag of (await names(this.#at('tags', name))).sort()) {
        const tagged = await this.#tagged(plainName(name), tag)
        if (tagged) listed.push({ ...tagged, image: `${plainName(name)}:${tag}` })
      }
    return listed
  }

  /**
   * Removes a tag and returns the number of contents deleted with it. Content that another tag or a revision uses
   * stays.
   */
  async remove(image: string): Promise<number> {
    const { name, tag, digest } = this.#reference(image)
    if (digest) throw new ImageError('Give a name and a tag. Content is removed when no image uses it.')
    if (!(await this.#tagged(name, tag))) throw await this.#unknown(image)
    await rm(this.#at('tags', folderName(name), tag), { force: true })
    return this.collect()
  }

  /**
   * The content that a revision runs, fixed on first use, wherever the tag points later. Rejects with an ImageError
   * that suggests similar names.
   */
  async pinned(deploymentId: string, revisionId: string, image: string): Promise<ResolvedImage> {
    const pin = this.#at('pins', deploymentId, revisionId)
    const kept = await readJson(pin, Resolved)
    if (kept) return kept
    await this.#prepare()
    const resolved = await this.#resolve(image)
    await this.#write(pin, JSON.stringify(resolved))
    if (await this.#found(resolved.digest, stat)) return resolved
    await rm(pin, { force: true })
    throw await this.#unknown(image)
  }

  /** Creates a revision's folder from its image, completely or not at all. */
  async unpack(image: ResolvedImage, folder: string, signal: AbortSignal): Promise<{ files: number }> {
    const draft = `${folder}.draft`
    await rm(folder, { recursive: true, force: true })
    await rm(draft, { recursive: true, force: true })
    try {
      const content = await this.#found(image.digest, open)
      if (!content) throw new ImageError(`The content ${image.digest} is no longer in the image store. Pack it again.`)
      const unpacked = await extractArchive(content, image.digest, draft, signal)
      await rename(draft, folder)
      return unpacked
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
  }

  /** Releases the images of a deleted deployment, or of all except the given ones. */
  async unpin(deployments: { gone: string } | { kept: ReadonlySet<string> }): Promise<void> {
    const all = await names(this.#at('pins'))
    const gone = 'gone' in deployments ? [deployments.gone] : all.filter((id) => !deployments.kept.has(id))
    for (const id of gone) await rm(this.#at('pins', id), { recursive: true, force: true })
    if (gone.some((id) => all.includes(id))) await this.collect()
  }

  /** Removes contents that no tag or revision references, and returns how many. */
  async collect(): Promise<number> {
    await this.#prepare()
    let collected = 0
    // A restored content may have lost its last reference before it was back, where nobody else would find it.
    for (let restored = true; restored; ) {
      const pass = await this.#collectOnce()
      collected += pass.removed
      restored = pass.restored > 0
    }
    for (const draft of await names(this.#at('drafts'))) {
      const { mtimeMs } = await stat(this.#at('drafts', draft)).catch(() => ({ mtimeMs: Date.now() }))
      if (!isAlive(Number.parseInt(draft, 10)) || Date.now() - mtimeMs > OLDEST_DRAFT_MS)
        await rm(this.#at('drafts', draft), { force: true })
    }
    return collected
  }

  /** Sets unreferenced contents aside and checks again: one referenced in the meantime is restored. */
  async #collectOnce(): Promise<{ removed: number; restored: number }> {
    const isUsed = await this.#used()
    // A name of its own each time, so that a slower collection cannot remove what was set aside after its check.
    for (const hex of await names(this.#at('blobs')))
      if (!isUsed.has(`sha256:${hex}`)) await move(this.#at('blobs', hex), this.#at('aside', `${hex}.${randomUUID()}`))
    const aside = await names(this.#at('aside'))
    const isStillUsed = await this.#used()
    let removed = 0
    let restored = 0
    for (const name of aside) {
      const hex = name.slice(0, 64)
      if (isStillUsed.has(`sha256:${hex}`)) {
        await move(this.#at('aside', name), this.#at('blobs', hex))
        restored += 1
      } else {
        await rm(this.#at('aside', name), { force: true })
        removed += 1
      }
    }
    return { removed, restored }
  }

  async #resolve(image: string): Promise<ResolvedImage> {
    const { name, tag, digest } = this.#reference(image)
    if (!digest) {
      const tagged = await this.#tagged(name, tag)
      if (!tagged) throw await this.#unknown(image)
      return Resolved.parse(tagged)
    }
    // Tags and pins of the same content know the configuration file's path.
    const known = (await this.#named()).find((one) => one.digest === digest)
    if (!known) throw await this.#unknown(image)
    return known
  }

  /**
   * What `look` finds at a content's path; undefined if there is none. Restores a content that an interrupted or running
   * collection has set aside.
   */
  async #found<T>(digest: string, look: (file: string) => Promise<T>): Promise<T | undefined> {
    for (let tries = 0; tries < 5; tries += 1) {
      const found = await look(this.#blob(digest)).catch(() => undefined)
      if (found) return found
      await this.collect()
    }
    return undefined
  }

  #reference(image: string) {
    const reference = parseReference(image)
    if (!reference)
      throw new ImageError(`"${image}" is not an image: use name:tag in lower case, or name@sha256: and 64 digits.`)
    return reference
  }

  async #unknown(image: string): Promise<ImageError> {
    const known = (await this.list()).map((one) => one.image)
    const near = similarNames(image, known)
    if (near.length)
      return new ImageError(`Image ${image} is not in the image store. Similar names: ${near.join(', ')}.`)
    const others = known.length
      ? `It has ${known.length} others: ${known.slice(0, 5).join(', ')}${known.length > 5 ? ' …' : ''}.`
      : 'It is empty. Pack one: npm run image -- pack FOLDER NAME:TAG'
    return new ImageError(`Image ${image} is not in the image store. ${others}`)
  }

  #tagged(name: string, tag: string) {
    return readJson(this.#at('tags', folderName(name), tag), Tagged)
  }

  /** The images of all tags and pins. */
  async #named(): Promise<ResolvedImage[]> {
    const named: ResolvedImage[] = []
    for (const kind of ['tags', 'pins'] as const)
      for (const group of await names(this.#at(kind)))
        for (const file of await names(this.#at(kind, group))) {
          const found = await readJson(this.#at(kind, group, file), Resolved)
          if (found) named.push(found)
        }
    return named
  }

  async #used(): Promise<Set<string>> {
    return new Set((await this.#named()).map(({ digest }) => digest))
  }

  async #prepare(): Promise<void> {
    for (const kind of ['blobs', 'tags', 'pins', 'drafts', 'aside'] as const)
      await mkdir(this.#at(kind), { recursive: true, mode: 0o700 })
  }

  /** Writes the file completely or not at all. */
  async #write(file: string, text: string): Promise<void> {
    const draft = this.#at('drafts', `${process.pid}-${randomUUID()}`)
    await writeFile(draft, text, { mode: 0o600, flush: true })
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await rename(draft, file)
  }

  #blob(digest: string): string {
    return this.#at('blobs', digest.slice('sha256:'.length))
  }

  #at(kind: 'blobs' | 'tags' | 'pins' | 'drafts' | 'aside', ...more: string[]): string {
    return path.join(this.folder, kind, ...more)
  }
}

/** An image name as a folder name; neither character can be in an image name. */
const folderName = (name: string) => name.replaceAll('/', '+').replaceAll(':', '=')
const plainName = (folder: string) => folder.replaceAll('+', '/').replaceAll('=', ':')

const names = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])
const exists = (file: string): Promise<boolean> => stat(file).then(Boolean, () => false)
/** For file systems without hard links. */
async function place(draft: string, blob: string): Promise<void> {
  if (await exists(blob)) return
  await copyFile(draft, `${draft}.copy`)
  await rename(`${draft}.copy`, blob)
}
/** Another process may have moved it already. Renaming does nothing if both are links to the same file. */
const move = (from: string, to: string): Promise<void> =>
  rename(from, to)
    .then(() => rm(from, { force: true }))
    .catch(() => {})

async function readJson<T extends z.ZodType>(file: string, schema: T): Promise<z.output<T> | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
