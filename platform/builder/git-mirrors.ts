import { createHash } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import path from 'node:path'
import { type ConcurrencyLimiter, createLimiter } from '../kernel/limiter'
import { BuildError } from './command'
import { git } from './git-command'

export type MirrorRequest = {
  url: string
  /** Full name. */
  ref: string
  /** Exactly this commit, wherever the ref points now. */
  commit?: string | undefined
  env: Record<string, string>
  signal: AbortSignal
  onLine?: (line: string) => void
}
export type MirrorBounds = { bytes: number; ageMs: number }

const BOUNDS: MirrorBounds = { bytes: 2_000_000_000, ageMs: 14 * 24 * 3600_000 }
const DAMAGED =
  /corrupt|bad object|unable to read|missing blob|missing tree|not a git repository|bad config|fatal: bad/i

/**
 * One bare repository per URL, so that builds fetch only new commits and can rebuild a known one while its host is
 * down. Only a cache: a damaged mirror is deleted and fetched again.
 */
export class GitMirrors {
  /** Serializes git processes per mirror, because they would collide on its lock files. */
  readonly #turns = new Map<string, { turn: ConcurrencyLimiter; users: number }>()

  constructor(
    private readonly folder: string,
    private readonly bounds = BOUNDS,
  ) {}

  /**
   * Fetches a ref, or ensures that a commit is present, and calls `use` while the mirror is locked. Rejects with a
   * BuildError.
   */
  async fetch<T>(request: MirrorRequest, use: (mirror: string, commit: string) => Promise<T>): Promise<T> {
    const name = createHash('sha256').update(request.url).digest('hex').slice(0, 40)
    const mirror = path.join(this.folder, name)
    const mine = this.#turns.get(name) ?? { turn: createLimiter(1), users: 0 }
    this.#turns.set(name, mine)
    mine.users += 1
    try {
      return await mine.turn(request.signal, async () => {
        await this.#prune()
        try {
          await this.#open(mirror, request)
          return await use(mirror, await this.#update(mirror, request))
        } catch (error) {
          if (!(error instanceof BuildError && DAMAGED.test(error.message))) throw error
          await rm(mirror, { recursive: true, force: true })
          await this.#open(mirror, request)
          return await use(mirror, await this.#update(mirror, request))
        }
      })
    } finally {
      mine.users -= 1
      if (mine.users === 0) this.#turns.delete(name)
    }
  }

  async #open(mirror: string, { env, signal }: MirrorRequest): Promise<void> {
    if (!(await exists(mirror))) {
      const draft = `${mirror}.draft`
      await rm(draft, { recursive: true, force: true })
      await mkdir(draft, { recursive: true, mode: 0o700 })
      const settings = ['--template=', '--quiet', '--bare']
      await git(['init', ...settings], { cwd: draft, env, signal })
      for (const [key, value] of SETTINGS) await git(['config', key, value], { cwd: draft, env, signal })
      await rename(draft, mirror)
    }
    // We hold the mirror, so these locks are left from a killed process.
    for (const file of await readdir(mirror, { recursive: true }).catch(() => []))
      if (file.endsWith('.lock')) await rm(path.join(mirror, file), { force: true })
    await utimes(mirror, new Date(), new Date())
  }

  async #update(mirror: string, request: MirrorRequest): Promise<string> {
    const { url, ref, commit, env, signal, onLine } = request
    const run = (...args: string[]) => git(args, { cwd: mirror, env, signal })
    const has = (name: string) =>
      run('cat-file', '-e', `${name}^{commit}`).then(
        () => true,
        (error) => {
          if (error instanceof BuildError) return false
          throw error
        },
      )
    if (commit && (await has(commit))) return commit
    const own = `refs/pilothouse/${createHash('sha256').update(ref).digest('hex').slice(0, 40)}`
    const fetch = (depth: number) =>
      git(['fetch', '--quiet', '--no-tags', '--no-write-fetch-head', `--depth=${depth}`, '--', url, `+${ref}:${own}`], {
        cwd: mirror,
        env,
        signal,
        ...(onLine && { onLine }),
      })
    await fetch(1)
    if (!commit) {
      const [found] = await run('rev-parse', '--verify', `${own}^{commit}`)
      return found ?? ''
    }
    // The ref has moved on. Its history has the commit, unless a force push removed it.
    if (!(await has(commit))) await fetch(WHOLE_HISTORY)
    if (!(await has(commit))) throw new BuildError(`Commit ${commit} is no longer in the history of ${ref}.`)
    return commit
  }

  /** Evicts mirrors unused for long, then the least recently used until the rest fits; never one in use. */
  async #prune(): Promise<void> {
    const found: { place: string; usedAt: number; bytes: number }[] = []
    for (const name of await readdir(this.folder).catch(() => [])) {
      const place = path.join(this.folder, name)
      const { mtimeMs } = await stat(place).catch(() => ({ mtimeMs: 0 }))
      if (!this.#turns.has(name.replace(/\.draft$/, '')))
        found.push({ place, usedAt: mtimeMs, bytes: await sizeOf(place) })
    }
    found.sort((a, b) => b.usedAt - a.usedAt)
    let total = 0
    for (const { place, usedAt, bytes } of found) {
      total += bytes
      if (total > this.bounds.bytes || Date.now() - usedAt > this.bounds.ageMs)
        await rm(place, { recursive: true, force: true })
    }
  }
}

const WHOLE_HISTORY = 2_147_483_647
const SETTINGS = [
  // Keep unreachable commits, because a rebuild may need them.
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['fetch.unpackLimit', '1'],
  ['uploadpack.allowAnySHA1InWant', 'true'],
] as const

const exists = (file: string) => stat(file).then(Boolean, () => false)

async function sizeOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true }).catch(() => [])
  const sizes = await Promise.all(
    files.map((file) =>
      stat(path.join(folder, file)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}
