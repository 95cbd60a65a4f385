import { constants } from 'node:fs'
import { copyFile, lstat, mkdir, readdir, readlink, symlink } from 'node:fs/promises'
import path from 'node:path'

const CONCURRENCY = 16

/**
 * Copies a folder with its links unchanged, by copy-on-write where the file system supports it and never by hard links.
 * Rejects for an absolute link, which would point from the copy into the original.
 */
export async function copyTree(
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<{ files: number; bytes: number }> {
  let files = 0
  let bytes = 0
  const jobs: (() => Promise<void>)[] = []
  const visit = async (place: string): Promise<void> => {
    await mkdir(path.join(to, place), { recursive: true })
    for (const entry of await readdir(path.join(from, place), { withFileTypes: true })) {
      const one = path.join(place, entry.name)
      const [source, target] = [path.join(from, one), path.join(to, one)]
      if (entry.isDirectory()) await visit(one)
      else if (entry.isSymbolicLink())
        jobs.push(async () => {
          const destination = await readlink(source)
          if (path.isAbsolute(destination)) throw new Error(`${one} is a link to ${destination}`)
          await symlink(destination, target)
        })
      else if (entry.isFile())
        jobs.push(async () => {
          const { size, mode } = await lstat(source)
          // A copy belongs to the platform's user until it is given away.
          if (mode & 0o7000) throw new Error(`${one} runs with its owner's rights`)
          await copyFile(source, target, constants.COPYFILE_FICLONE)
          files += 1
          bytes += size
        })
      else throw new Error(`${one} is not a file, folder or link`)
    }
  }
  await visit('')
  const failures: unknown[] = []
  const work = async () => {
    for (let job = jobs.pop(); job && !failures.length && !signal.aborted; job = jobs.pop())
      await job().catch((error) => failures.push(error))
  }
  // Wait for all of them, so that nothing is still being written when this rejects.
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  signal.throwIfAborted()
  if (failures.length) throw failures[0]
  return { files, bytes }
}
