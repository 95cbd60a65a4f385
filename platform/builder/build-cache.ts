import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { copyTree } from './copy-tree'

/** Everything that a finished folder follows from. */
export type BuildInputs = {
  url: string
  commit: string
  configPath: string
  /** As given; null where they are found in the source. */
  installCommand: string | null
  buildCommand: string | null
}
export type CacheBounds = { bytes: number; ageMs: number; entries: number }
type Kept = z.output<typeof Kept>

const Kept = z.object({ files: z.int(), bytes: z.int(), builtAt: z.string() })
const BOUNDS: CacheBounds = { bytes: 4_000_000_000, ageMs: 7 * 24 * 3600_000, entries: 50 }
/** Part of every key: raised when what a build makes of the same source changes. */
const VERSION = 1

/**
 * Finished folders of builds that ran commands, by what they follow from. A revision gets a copy of its own, never a
 * link: what graphs write into their folder stays theirs. Entries appear whole; one that is damaged or vanishes while it
 * is copied counts as not there.
 */
export class BuildCache {
  constructor(
    private readonly folder: string,
    private readonly bounds = BOUNDS,
  ) {}

  /** Whether anything is kept for a repository, so that asking for its commit first is worth the time. */
  async mayHold(url: string): Promise<boolean> {
    return (await readdir(this.folder).catch(() => [])).some((name) => name.startsWith(`${repositoryKey(url)}-`))
  }

  /** Makes `folder` from what is kept. Gives when that was built; undefined where nothing is. */
  async restore(inputs: BuildInputs, folder: string, signal: AbortSignal): Promise<Kept | undefined> {
    const place = this.#place(inputs)
    const kept = await readKept(place)
    if (!kept || Date.now() - Date.parse(kept.builtAt) > this.bounds.ageMs) return undefined
    const draft = `${folder}.draft`
    try {
      await rm(draft, { recursive: true, force: true })
      const { files } = await copyTree(path.join(place, 'tree'), draft, signal)
      if (files !== kept.files) throw new Error('incomplete')
      await rm(folder, { recursive: true, force: true })
      await rename(draft, folder)
      await utimes(place, new Date(), new Date())
      return kept
    } catch {
      await rm(draft, { recursive: true, force: true })
      signal.throwIfAborted()
      return undefined
    }
  }

  /** Keeps a copy of a finished folder. Rejects where it cannot be copied as it is. */
  async keep(inputs: BuildInputs, folder: string, signal: AbortSignal): Promise<void> {
    const place = this.#place(inputs)
    const draft = path.join(this.folder, `draft-${randomUUID()}`)
    try {
      await mkdir(draft, { recursive: true, mode: 0o700 })
      const { files, bytes } = await copyTree(folder, path.join(draft, 'tree'), signal)
      if (bytes > this.bounds.bytes) return
      const kept: Kept = { files, bytes, builtAt: new Date().toISOString() }
      await writeFile(path.join(draft, 'kept.json'), JSON.stringify(kept))
      await rm(place, { recursive: true, force: true })
      // Where another build of the same came first, its folder is as good.
      await rename(draft, place).catch(() => {})
      await this.#prune()
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }

  /** Throws away what a killed platform left half done. For the start, before anything is built. */
  async clearDrafts(): Promise<void> {
    for (const name of await readdir(this.folder).catch(() => []))
      if (name.startsWith('draft-')) await rm(path.join(this.folder, name), { recursive: true, force: true })
  }

  /** The longest unused go first. */
  async #prune(): Promise<void> {
    const entries: { place: string; usedAt: number; kept: Kept | undefined }[] = []
    for (const name of await readdir(this.folder)) {
      if (name.startsWith('draft-')) continue
      const place = path.join(this.folder, name)
      const { mtimeMs } = await stat(place).catch(() => ({ mtimeMs: 0 }))
      entries.push({ place, usedAt: mtimeMs, kept: await readKept(place) })
    }
    entries.sort((a, b) => b.usedAt - a.usedAt)
    let bytes = 0
    for (const [index, { place, kept }] of entries.entries()) {
      bytes += kept?.bytes ?? 0
      const isOld = !kept || Date.now() - Date.parse(kept.builtAt) > this.bounds.ageMs
      if (isOld || bytes > this.bounds.bytes || index >= this.bounds.entries)
        await rm(place, { recursive: true, force: true })
    }
  }

  #place(inputs: BuildInputs): string {
    const { url, commit, configPath, installCommand, buildCommand } = inputs
    const machine = [process.version, process.platform, process.arch]
    const all = [VERSION, url, commit, configPath, installCommand, buildCommand, ...machine]
    const key = createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 32)
    return path.join(this.folder, `${repositoryKey(url)}-${key}`)
  }
}

const repositoryKey = (url: string) => createHash('sha256').update(url).digest('hex').slice(0, 16)

async function readKept(place: string): Promise<Kept | undefined> {
  try {
    return Kept.parse(JSON.parse(await readFile(path.join(place, 'kept.json'), 'utf8')))
  } catch {
    return undefined
  }
}
