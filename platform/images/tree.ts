import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import path from 'node:path'

/** An error with a message for users. */
export class ImageError extends Error {
  override name = 'ImageError'
}

/** Paths are relative, with slashes on every system; the mode only tells whether a file is executable. */
export type Entry =
  | { path: string; type: 'file'; size: number; isExecutable: boolean }
  | { path: string; type: 'link'; target: string }
  | { path: string; type: 'folder' }

export type Tree = {
  /** Sorted by code units, so the order is the same everywhere. */
  entries: Entry[]
  /** Descriptions of what was left out. */
  notes: string[]
}

/**
 * The content of a folder for an image: everything except `.git` and a `node_modules` that is only a link. Rejects
 * links that leave the folder and special files, which would differ elsewhere.
 */
export async function readTree(folder: string): Promise<Tree> {
  const root = await realpath(folder).catch(() => {
    throw new ImageError(`The folder ${folder} does not exist.`)
  })
  const entries: Entry[] = []
  const notes: string[] = []

  const visit = async (place: string): Promise<void> => {
    const names = await readdir(path.join(root, place))
    if (names.length === 0 && place !== '') entries.push({ path: place, type: 'folder' })
    for (const name of names) {
      const one = place === '' ? name : `${place}/${name}`
      const stats = await lstat(path.join(root, one))
      if (name === '.git') notes.push(`${one} is left out.`)
      else if (stats.isDirectory()) await visit(one)
      else if (stats.isFile())
        entries.push({ path: one, type: 'file', size: stats.size, isExecutable: (stats.mode & 0o100) !== 0 })
      else if (!stats.isSymbolicLink()) throw new ImageError(`${one} is not a file, folder or link.`)
      else if (name === 'node_modules') notes.push(`${one} is a link and is left out.`)
      else entries.push({ path: one, type: 'link', target: await innerTarget(root, one) })
    }
  }
  await visit('')
  entries.sort((a, b) => (a.path < b.path ? -1 : 1))
  return { entries, notes }
}

async function innerTarget(root: string, place: string): Promise<string> {
  const link = path.join(root, place)
  const target = await readlink(link)
  const isInside = (file: string) => file === root || file.startsWith(root + path.sep)
  // Where it finally leads, following links; a dangling link is judged by its text.
  const end = await realpath(link).catch(() => path.resolve(path.dirname(link), target))
  if (path.isAbsolute(target) || !isInside(end))
    throw new ImageError(`${place} is a link that leaves the folder: ${target}`)
  return target.replaceAll(path.sep, '/')
}
