import { access, mkdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import type { CommitFacts } from '@/lib/contracts/deployments/revisions'
import { type Confinement, UNCONFINED } from '../sandbox/confinement'
import { BuildError } from './command'
import { checkRepositoryUrl, fullRef, localPath } from './git-address'
import { git, gitEnvironment } from './git-command'
import type { GitMirrors } from './git-mirrors'
import { readText } from './manifest'

const LOOK_TIMEOUT_MS = 20_000
const MOST_AUTHOR = 200
const MOST_MESSAGE = 2_000

export type CheckoutOptions = {
  url: string
  ref: string
  /** Build exactly this commit again, wherever the ref points now. */
  commit?: string | undefined
  /** Becomes the working copy; must not exist. */
  folder: string
  env: Record<string, string>
  signal: AbortSignal
  onLine(line: string, isError: boolean): void
  /** Gets the folder, and checks out. */
  confinement?: Confinement | undefined
  /** For remote repositories; a local one is fetched from directly. */
  mirrors?: GitMirrors | undefined
}

/** Fetches one ref into a new folder and checks it out. Throws a BuildError with the reason. */
export async function checkout(options: CheckoutOptions): Promise<{ commit: string; facts: CommitFacts }> {
  const { folder, signal, commit, mirrors, confinement = UNCONFINED } = options
  const url = checkRepositoryUrl(options.url)
  const ref = fullRef(options.ref)
  await mkdir(folder, { recursive: true })
  const configFile = `${folder}.gitconfig`
  const env = await gitEnvironment(options.env, url, configFile)
  const onLine = (line: string) => options.onLine(line, true)
  const run = (...args: string[]) => git(args, { cwd: folder, env, signal })
  const fetch = (from: string, what: string, ...more: string[]) =>
    git(['fetch', '--quiet', '--no-tags', ...more, '--', from, what], { cwd: folder, env, signal })

  try {
    await run('init', '--quiet', '--template=', '--initial-branch=build')
    if (mirrors && localPath(url) === undefined)
      await mirrors.fetch({ url, ref, commit, env, signal, onLine }, (mirror, found) =>
        fetch(mirror, found, '--depth=1'),
      )
    else await fetchFrom(url)
    const [found = ''] = await run('rev-parse', '--verify', `${commit ?? 'FETCH_HEAD'}^{commit}`)
    const format = ['--no-patch', '--no-show-signature', '--format=%an%n%aI%n%B']
    const [author = '', authored_at = '', ...message] = await run('show', ...format, found, '--')
    // From here on the folder holds what the source wants: our own git no longer reads it.
    await confinement.give(folder)
    await git(['checkout', '--quiet', '--detach', found, '--'], {
      cwd: folder,
      env: await gitEnvironment(options.env),
      signal,
      confinement,
      writable: [folder],
    })
    const facts = {
      message: stored(message.join('\n'), MOST_MESSAGE),
      author: stored(author, MOST_AUTHOR),
      authored_at,
    }
    return { commit: found, facts }
  } catch (error) {
    throw await withTagHint(error, options)
  } finally {
    await rm(configFile, { force: true })
  }

  async function fetchFrom(place: string): Promise<void> {
    try {
      await fetch(place, commit ?? ref, '--depth=1')
    } catch (error) {
      // Some servers do not serve a commit by id: then fetch its ref with the whole history.
      if (!commit || !(error instanceof BuildError)) throw error
      await fetch(place, ref)
    }
  }
}

/** Text that the store takes: of a bounded length, and without what PostgreSQL refuses in JSON. */
const stored = (text: string, most: number) => Buffer.from(text.replaceAll('\0', '').trim().slice(0, most)).toString()

/** A bare name is a branch. If it is the name of a tag, explains how to write it. */
async function withTagHint(error: unknown, options: CheckoutOptions): Promise<unknown> {
  const { ref, url, env, signal, folder } = options
  if (!(error instanceof BuildError) || !/couldn't find remote ref/.test(error.message) || ref.startsWith('refs/'))
    return error
  const tag = `refs/tags/${ref}`
  const found = await remoteCommit({ url, ref: tag, env, signal, configFile: `${folder}.gitconfig` }).catch(() => {})
  return found ? new BuildError(`${error.message}\nThere is a tag of that name: write ${tag} to build it.`) : error
}

/** Warnings about what a checkout does not fetch: submodules stay empty folders, LFS files stay pointers. */
export async function describeUnfetched(folder: string): Promise<string[]> {
  const read = async (file: string) => (await readText(path.join(folder, file))) ?? ''
  const notes: string[] = []
  const modules = [...(await read('.gitmodules')).matchAll(/^\s*path\s*=\s*(.+?)\s*$/gm)].map(([, place]) => place)
  if (modules.length)
    notes.push(
      `Submodules are not fetched: ${modules.join(', ')}. An install command of "git submodule update --init" fetches them.`,
    )
  if (/filter=lfs/.test(await read('.gitattributes')))
    notes.push('Files kept in Git LFS are not fetched: the working copy has their pointers.')
  return notes
}

export type RemoteOptions = Pick<CheckoutOptions, 'url' | 'ref' | 'env' | 'signal'> & { configFile: string }

/** The commit that a ref points to now; undefined if there is no such ref. Rejects if git fails. */
export async function remoteCommit(options: RemoteOptions): Promise<string | undefined> {
  const { signal, configFile } = options
  const [url, ref] = [checkRepositoryUrl(options.url), fullRef(options.ref)]
  const local = localPath(url)
  // Otherwise git would search parent folders and answer for another repository.
  if (local !== undefined) await access(local)
  const env = await gitEnvironment(options.env, url, configFile)
  try {
    const cwd = path.dirname(configFile)
    const own = { cwd, env, signal, timeoutMs: LOOK_TIMEOUT_MS }
    // An annotated tag is an object that points to the commit.
    const lines = await git(['ls-remote', '--quiet', '--', url, ref, `${ref}^{}`], own)
    const commits = new Map(lines.map((line) => line.split('\t').reverse() as [string, string]))
    return commits.get(`${ref}^{}`) ?? commits.get(ref)
  } finally {
    await rm(configFile, { force: true })
  }
}

/** The branch of a repository's HEAD; undefined if the folder is not a repository. */
export async function defaultBranch(folder: string, env: Record<string, string>): Promise<string | undefined> {
  if (!(await isRepository(folder))) return undefined
  try {
    const signal = AbortSignal.timeout(LOOK_TIMEOUT_MS)
    const quiet = await gitEnvironment(env)
    const [branch] = await git(['-c', `safe.directory=${folder}`, 'symbolic-ref', '--short', 'HEAD'], {
      cwd: folder,
      env: quiet,
      signal,
    })
    return branch
  } catch {
    return undefined
  }
}

async function isRepository(folder: string): Promise<boolean> {
  const found = await Promise.all(
    [path.join(folder, '.git'), path.join(folder, 'HEAD')].map((file) => stat(file).then(Boolean, () => false)),
  )
  return found.includes(true)
}
