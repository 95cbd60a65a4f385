import { type FSWatcher, statSync, watch } from 'node:fs'
import path from 'node:path'

/** Between the first sign of a change and the call: git writes a lock file first and several files in a row. */
const SETTLE_MS = 30

export type RefWatch = {
  /** Whether there is anything that can tell. */
  isWatching(): boolean
  renew(): void
  close(): void
}

/**
 * Calls `onChange` soon after a ref of a repository on this machine may have moved: its file was replaced, or the refs
 * were packed. What cannot be watched is simply silent, since the repository is asked in turns as well. `renew` is
 * called before a look: folders of refs come and go.
 */
export function watchRef(repository: string, fullRef: string, onChange: () => void): RefWatch {
  /** By path and inode: a folder that git removed and made again is another one. */
  const watchers = new Map<string, FSWatcher>()
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const notice = () => {
    timer ??= setTimeout(() => {
      timer = undefined
      onChange()
    }, SETTLE_MS)
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
        // no watch to be had here: the next look in turn sees the push
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

/** The git folder itself changes with every command; elsewhere a lock means that more is to come. */
const signOf = (repository: string, folder: string) => (name: string) =>
  folder === gitFolderOf(repository) ? name === 'packed-refs' || name === 'refs' : !name.endsWith('.lock')

const gitFolderOf = (repository: string) =>
  [path.join(repository, '.git'), repository].find((folder) => isThere(path.join(folder, 'HEAD')))
const isThere = (place: string) => statSync(place, { throwIfNoEntry: false }) !== undefined
