import { execFile } from 'node:child_process'
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { asProcessEnv } from '../env'
import { BuildError, runCommand } from './command'

const run = promisify(execFile)

/** `file` covers plain paths. Nothing else is ever spoken, whatever an address or a redirect says. */
const PROTOCOLS = 'file:https:ssh:git'
const TIMEOUT_MS = 10 * 60_000
const LOOK_TIMEOUT_MS = 20_000
const CONTROL = /\p{Cc}/u

/** The full name of the ref that a revision is built from: a branch by its bare name, a tag by its whole path. */
export function fullRef(ref: string): string {
  const isUsable =
    ref.length <= 250 &&
    /^(?![-/.])[^\s~^:?*[\\\p{Cc}]+$/u.test(ref) &&
    !/\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[/.]$|^@$/.test(ref)
  if (!isUsable) throw new BuildError(`"${ref}" is no name of a branch or tag.`)
  return /^refs\/(heads|tags)\/./.test(ref) ? ref : `refs/heads/${ref}`
}

/** Refuses what git would take for an option, a command or a protocol of another kind. */
export function checkRepositoryUrl(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase()
  const isPath = path.isAbsolute(url)
  const isScp = /^[\w.-]+@[\w.-]+:[^:]/.test(url)
  if (CONTROL.test(url) || !(isPath || isScp || (scheme && PROTOCOLS.split(':').includes(scheme))))
    throw new BuildError(
      'The repository address is not usable: give an absolute path, or an address with file, https, ssh or git.',
    )
  return url
}

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
}

/** Fetches one ref into a new folder and checks it out. Gives the commit; throws a BuildError that says what is wrong. */
export async function checkout(options: CheckoutOptions): Promise<string> {
  const { folder, signal, onLine } = options
  const url = checkRepositoryUrl(options.url)
  const ref = fullRef(options.ref)
  await mkdir(folder, { recursive: true })
  const env = await gitEnvironment(options.env, url, `${folder}.gitconfig`)
  const git = async (...args: string[]) => {
    try {
      const own = { cwd: folder, env: asProcessEnv(env), signal, timeout: TIMEOUT_MS, maxBuffer: 64_000_000 }
      return (await run('git', ['-c', 'core.hooksPath=/dev/null', ...args], own)).stdout.trim()
    } catch (error) {
      signal.throwIfAborted()
      throw new BuildError(
        `git ${args[0]} failed: ${(error as { stderr?: string }).stderr || (error as Error).message}`,
      )
    }
  }
  // The one step that goes over the network may hang, and is to end when nobody waits for it any more.
  const fetch = (what: string, ...more: string[]) =>
    runCommand(['git', 'fetch', '--quiet', '--no-tags', ...more, '--', url, what], {
      label: `git fetch of ${options.ref}`,
      cwd: folder,
      env,
      timeoutMs: TIMEOUT_MS,
      signal,
      onLine,
    })

  await git('init', '--quiet', '--template=', '--initial-branch=build')
  try {
    await fetch(options.commit ?? ref, '--depth=1')
  } catch (error) {
    // Some servers do not serve a commit by its name: then its ref with the whole history has to hold it.
    if (!options.commit || !(error instanceof BuildError)) throw error
    await fetch(ref)
  }
  await git('checkout', '--quiet', '--detach', options.commit ?? 'FETCH_HEAD', '--')
  // Detached, so the file holds the commit itself.
  return (await readFile(path.join(folder, '.git/HEAD'), 'utf8')).trim()
}

export type RemoteOptions = Pick<CheckoutOptions, 'url' | 'ref' | 'env' | 'signal'> & { configFile: string }

/** The commit that a ref of a repository points to now; undefined where there is no such ref. Rejects where git does. */
export async function remoteCommit(options: RemoteOptions): Promise<string | undefined> {
  const [url, ref] = [checkRepositoryUrl(options.url), fullRef(options.ref)]
  const env = await gitEnvironment(options.env, url, options.configFile)
  const own = { env: asProcessEnv(env), signal: options.signal, timeout: LOOK_TIMEOUT_MS }
  const { stdout } = await run('git', ['ls-remote', '--quiet', '--', url, ref], own)
  return /^([0-9a-f]{40,64})\t/.exec(stdout)?.[1]
}

/** The branch that a repository's HEAD names, or undefined where the folder is no repository. */
export async function defaultBranch(folder: string, env: Record<string, string>): Promise<string | undefined> {
  if (!(await isRepository(folder))) return undefined
  try {
    const quiet = await gitEnvironment(env)
    const { stdout } = await run('git', ['-c', `safe.directory=${folder}`, 'symbolic-ref', '--short', 'HEAD'], {
      cwd: folder,
      env: asProcessEnv(quiet),
    })
    return stdout.trim() || undefined
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

/**
 * No prompts, no other protocols. A repository on this machine may belong to another user (the platform as root, the
 * clone of a person); git refuses those unless the exact folder is named, and it must be named in a file, since git
 * hides command-line settings from the process that serves a local repository.
 */
async function gitEnvironment(base: Record<string, string>, url?: string, configFile?: string) {
  const env: Record<string, string> = {
    ...base,
    GIT_ALLOW_PROTOCOL: PROTOCOLS,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
  }
  const local = url && (path.isAbsolute(url) ? url : /^file:\/\//i.test(url) ? decodeURI(new URL(url).pathname) : '')
  if (local && configFile) {
    const quoted = [local, path.join(local, '.git')].map((folder) => `  directory = ${JSON.stringify(folder)}\n`)
    const include = env.HOME ? `[include]\n  path = ${JSON.stringify(path.join(env.HOME, '.gitconfig'))}\n` : ''
    await writeFile(configFile, `${include}[safe]\n${quoted.join('')}`, { mode: 0o600 })
    env.GIT_CONFIG_GLOBAL = configFile
  }
  return env
}
