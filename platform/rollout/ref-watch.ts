import { type FSWatcher, statSync, watch } from 'node:fs'
import path from 'node:path'

/** Debounce: git writes a lock file first and then several files in a row. */
const DEBOUNCE_MS = 30

export type RefWatch = {
  /** Whether anything is being watched. */
  isWatching(): boolean
  renew(): void
  close(): void
}

/**
 * Calls `onChange` soon after a ref of a local repository may have moved: its file was replaced, or the refs were
 * packed. Call `renew` before each check, because ref folders come and go; paths that cannot be watched are left to
 * polling.
 */
export function watchRef(repository: string, fullRef: string, onChange: () => void): RefWatch {
  /** Keyed by path and inode: git may remove and recreate a folder. */
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const notice = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      onChange()
    }, DEBOUNCE_MS)
  }

  const renew = () => {
    if (isClosed) return
    const wanted = foldersOf(repository, fullRef)
    for (const [key, watcher] of watchers)
      if (!wanted.has(key)) {
        watcher.close()
        watchers.delete(key)
      }
    for (const [key, folder] of wanted) {
      if (watchers.has(key)) continue
      try {
        const isMeant = signOf(repository, folder)
        const watcher = watch(folder, { persistent: false }, (_event, name) => {
          if (name === null || isMeant(name)) notice()
        })
        watcher.on('error', () => {
          watcher.close()
          watchers.delete(key)
        })
        watchers.set(key, watcher)
      } catch {
        // cannot be watched: the next poll sees the push
      }
    }
  }
  renew()
  return {
    isWatching: () => watchers.size > 0,
    renew,
    close: () => {
      isClosed = true
      clearTimeout(timer)
      for (const watcher of watchers.values()) watcher.close()
      watchers.clear()
    },
  }
}

/** The git folder, for `packed-refs`; the folder of the ref's file, or the nearest above it that exists; `reftable`. */
function foldersOf(repository: string, fullRef: string): Map<string, string> {
  const gitFolder = gitFolderOf(repository)
  if (!gitFolder) return new Map()
  let nearest = path.dirname(path.join(gitFolder, fullRef))
  while (!isThere(nearest) && nearest.length > gitFolder.length) nearest = path.dirname(nearest)
  const wanted = [gitFolder, nearest, path.join(gitFolder, 'reftable')]
  return new Map(
    wanted.flatMap((folder) => {
      const stats = statSync(folder, { throwIfNoEntry: false })
      return stats ? [[`${folder} ${stats.ino}`, folder]] : []
    }),
  )
}

/** Selects changes that signal a push: most in the git folder itself do not, and elsewhere lock files only precede one. */
const signOf = (repository: string, folder: string) => (name: string) =>
  folder === gitFolderOf(repository) ? name === 'packed-refs' || name === 'refs' : !name.endsWith('.lock')

const gitFolderOf = (repository: string) =>
  [path.join(repository, '.git'), repository].find((folder) => isThere(path.join(folder, 'HEAD')))
const isThere = (place: string) => statSync(place, { throwIfNoEntry: false }) !== undefined
