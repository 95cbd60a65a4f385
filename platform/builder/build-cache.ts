import { createHash, randomUUID } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { CommitFacts } from '@/lib/contracts/deployments/revisions'
import { copyTree } from './copy-tree'

/** All inputs that determine a finished folder. */
export type BuildInputs = {
  /** The deployment: its commands could plant something in what they make. */
  owner: string | undefined
  url: string
  commit: string
  /** When storing. */
  facts?: CommitFacts
  configPath: string
  /** As configured; null if detected from the source. */
  installCommand: string | null
  buildCommand: string | null
  /** When storing: those that the commands got. When restoring: the deployment's, which must include the same. */
  secrets: Record<string, string>
}
export type CacheBounds = { bytes: number; ageMs: number; entries: number }
type Kept = z.output<typeof Kept>

const Kept = z.object({
  files: z.int(),
  bytes: z.int(),
  builtAt: z.string(),
  commit: CommitFacts.optional(),
  secrets: z.record(z.string(), z.string()),
})
const BOUNDS: CacheBounds = { bytes: 4_000_000_000, ageMs: 7 * 24 * 3600_000, entries: 50 }
/** Part of every key; raise it when builds of the same source change their result. */
const VERSION = 3

/**
 * Finished folders of builds that ran commands, keyed by their inputs; a revision gets a copy, because graphs may write
 * into their folder. Entries appear atomically, and a damaged one counts as missing.
 */
export class BuildCache {
  constructor(
    private readonly folder: string,
    private readonly bounds = BOUNDS,
  ) {}

  /** Whether a repository has entries, so that looking up its commit first is worthwhile. */
  async mayHold(url: string): Promise<boolean> {
    return (await readdir(this.folder).catch(() => [])).some((name) => name.startsWith(`${repositoryKey(url)}-`))
  }

  /** Creates `folder` from the cache. Returns when the entry was built; undefined on a miss. */
  async restore(inputs: BuildInputs, folder: string, signal: AbortSignal): Promise<Kept | undefined> {
    const place = this.#place(inputs)
    const kept = await readKept(place)
    if (!kept || Date.now() - Date.parse(kept.builtAt) > this.bounds.ageMs) return undefined
    // Only deployments with the same key may get private packages.
    const now = digests(inputs.secrets)
    if (Object.entries(kept.secrets).some(([name, digest]) => now[name] !== digest)) return undefined
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

  /** Stores a copy of a finished folder. Rejects if it cannot be copied faithfully. */
  async keep(inputs: BuildInputs, folder: string, signal: AbortSignal): Promise<void> {
    const place = this.#place(inputs)
    const draft = path.join(this.folder, `draft-${randomUUID()}`)
    try {
      await mkdir(draft, { recursive: true, mode: 0o700 })
      const { files, bytes } = await copyTree(folder, path.join(draft, 'tree'), signal)
      if (bytes > this.bounds.bytes) return
      const builtAt = new Date().toISOString()
      const kept: Kept = { files, bytes, builtAt, commit: inputs.facts, secrets: digests(inputs.secrets) }
      await writeFile(path.join(draft, 'kept.json'), JSON.stringify(kept))
      await rm(place, { recursive: true, force: true })
      // If another build of the same inputs finished first, use its folder.
      await rename(draft, place).catch(() => {})
      await this.#prune()
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }

  /** Removes unfinished entries of a killed platform. Call at startup, before the first build. */
  async clearDrafts(): Promise<void> {
    for (const name of await readdir(this.folder).catch(() => []))
      if (name.startsWith('draft-')) await rm(path.join(this.folder, name), { recursive: true, force: true })
  }

  /** Evicts the least recently used first. */
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
    const { owner, url, commit, configPath, installCommand, buildCommand } = inputs
    const machine = [process.version, process.platform, process.arch]
    const all = [VERSION, owner, url, commit, configPath, installCommand, buildCommand, ...machine]
    const key = createHash('sha256').update(JSON.stringify(all)).digest('hex').slice(0, 32)
    return path.join(this.folder, `${repositoryKey(url)}-${key}`)
  }
}

const digests = (secrets: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(secrets).map(([name, value]) => [
      name,
      createHash('sha256').update(`${name}=${value}`).digest('hex'),
    ]),
  )

const repositoryKey = (url: string) => createHash('sha256').update(url).digest('hex').slice(0, 16)

async function readKept(place: string): Promise<Kept | undefined> {
  try {
    return Kept.parse(JSON.parse(await readFile(path.join(place, 'kept.json'), 'utf8')))
  } catch {
    return undefined
  }
}
