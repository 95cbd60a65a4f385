import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { BuildError } from './command'

/** `file` covers plain paths. Nothing else is ever spoken, whatever an address or a redirect says. */
export const PROTOCOLS = 'file:https:ssh:git'
const CONTROL = /\p{Cc}/u

/**
 * The full name of the ref that a revision is built from. A bare name is a branch, also where a tag has the same name; a
 * tag is given by its whole path.
 */
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

/** The folder of a repository on this machine; undefined for one elsewhere. */
export function localPath(url: string): string | undefined {
  if (path.isAbsolute(url)) return url
  if (!/^file:\/\//i.test(url)) return undefined
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}
