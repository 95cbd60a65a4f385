import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { BuildError } from './command'

/** The only allowed protocols, for redirects too. `file` covers plain paths. */
export const PROTOCOLS = 'file:https:ssh:git'
const CONTROL = /\p{Cc}/u

/**
 * The full name of the ref that a revision is built from. A bare name is a branch, even if a tag has the same name; a
 * tag needs its full path.
 */
export function fullRef(ref: string): string {
  const isUsable =
    ref.length <= 250 &&
    /^(?![-/.])[^\s~^:?*[\\\p{Cc}]+$/u.test(ref) &&
    !/\.\.|@\{|\/\/|\/\.|\.lock(\/|$)|[/.]$|^@$/.test(ref)
  if (!isUsable) throw new BuildError(`"${ref}" is not a valid branch or tag name.`)
  return /^refs\/(heads|tags)\/./.test(ref) ? ref : `refs/heads/${ref}`
}

/** Refuses URLs that git would interpret as an option, a command or another protocol. */
export function checkRepositoryUrl(url: string): string {
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(url)?.[1]?.toLowerCase()
  const isPath = path.isAbsolute(url)
  const isScp = /^[\w.-]+@[\w.-]+:[^:]/.test(url)
  if (CONTROL.test(url) || !(isPath || isScp || (scheme && PROTOCOLS.split(':').includes(scheme))))
    throw new BuildError('Invalid repository address. Enter an absolute path, or a file, https, ssh or git address.')
  return url
}

/** The folder of a local repository; undefined for a remote one. */
export function localPath(url: string): string | undefined {
  if (path.isAbsolute(url)) return url
  if (!/^file:\/\//i.test(url)) return undefined
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}
