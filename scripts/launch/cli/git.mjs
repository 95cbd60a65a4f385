// What of the current folder can be deployed: a branch that the control plane can read.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { CommandError, EXIT } from './api.mjs'

const GRAPH_FILES = ['graph.json', 'langgraph.json']

/** `git@host:owner/name.git` as an address that a server can read without a key of this machine. */
export function readableRemote(remote) {
  const scp = /^(?:ssh:\/\/)?(?:[\w.-]+@)([\w.-]+)[:/](?!\d+\/)(.+?)\/?$/.exec(remote)
  if (scp && !remote.startsWith('http')) return `https://${scp[1]}/${scp[2]}`
  if (!/^https?:/.test(remote)) return remote
  const url = new URL(remote)
  url.username = ''
  url.password = ''
  return url.href
}

/** Runs git in a folder. Returns what it prints; undefined if it fails. */
export const gitIn =
  (folder, env = {}) =>
  (...args) => {
    try {
      const options = { cwd: folder, env: { ...process.env, ...env }, maxBuffer: 1e9 }
      return execFileSync('git', args, { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
    } catch {
      return undefined
    }
  }

/** Where the control plane can read the folder's repository, if anywhere. */
export function addressOf(folder, isLocal) {
  const git = gitIn(folder)
  const remote = git('remote', 'get-url', 'origin')
  return remote ? readableRemote(remote) : isLocal ? git('rev-parse', '--show-toplevel') : undefined
}

/**
 * The repository, branch, commit and graph file of a folder. `isLocal`: the console runs on this machine, so that a path will do.
 * @param {string} folder
 * @param {{ isLocal: boolean, repo?: string, ref?: string, config?: string }} options
 * @returns {{ repo: string, ref: string, config: string, commit?: string }}
 */
export function sourceOf(folder, { isLocal, repo, ref, config }) {
  const git = gitIn(folder)
  const top = git('rev-parse', '--show-toplevel')
  if (!top) {
    if (repo && ref) return { repo, ref, config: config ?? GRAPH_FILES[0] }
    throw new CommandError('This folder is no git repository, so give --ref too.', EXIT.usage)
  }
  const address = repo ?? addressOf(folder, isLocal)
  if (!address)
    throw new CommandError(
      'The repository has no remote "origin" that the control plane could read. Add one, give --repo, or --upload.',
      EXIT.usage,
    )
  const found = config ?? graphFileOf(folder, top)
  if (ref) return { repo: address, ref, config: found }
  const commit = git('rev-parse', '--verify', '--quiet', 'HEAD')
  if (!commit) throw new CommandError('The repository has no commit yet.', EXIT.usage)
  // Control planes read branches and tags, not commits.
  const branch = git('symbolic-ref', '--quiet', '--short', 'HEAD')
  if (!branch) throw new CommandError('No branch is checked out. Give --ref with a branch or tag.', EXIT.usage)
  if (git('status', '--porcelain', '--untracked-files=no'))
    throw new CommandError(
      'Some changes are not committed, so they would not be deployed. Commit them, give --ref, or send the folder as it is with --upload.',
      EXIT.usage,
    )
  if (address !== top && !git('branch', '--remotes', '--contains', commit))
    throw new CommandError(
      `Commit ${commit.slice(0, 7)} is not pushed to origin yet. Push it, or give --upload.`,
      EXIT.usage,
    )
  return { repo: address, ref: branch, config: found, commit }
}

/** The path of the folder's graph file, below `top`. */
export function graphFileOf(folder, top) {
  const found = GRAPH_FILES.find((name) => existsSync(path.join(folder, name)))
  if (!found)
    throw new CommandError(
      `This folder has no ${GRAPH_FILES.join(' or ')}. Give --config with its path in ${top}.`,
      EXIT.usage,
    )
  return path.relative(top, path.join(folder, found)).split(path.sep).join('/')
}
