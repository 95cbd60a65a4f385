// A folder as an archive that the control plane unpacks and builds.
import { createWriteStream, lstatSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack } from 'tar-stream'
import { CommandError, EXIT } from './api.mjs'
import { gitIn, graphFileOf } from './git.mjs'

const LARGEST = 200 * 1024 * 1024
/** Values for one machine, secrets among them. */
const OF_THIS_MACHINE = /(^|\/)(node_modules\/|\.env(\.(?!example$)[^/]*)?$)/

/** Paths that git would not ignore, below a folder with or without a repository. */
function pathsIn(top, scratch) {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const own = gitIn(top)(...list)
  if (own !== undefined) return own.split('\0').filter(Boolean)
  const env = { GIT_DIR: path.join(scratch, 'git'), GIT_WORK_TREE: path.resolve(top) }
  const git = gitIn(top, env)
  if (git('init', '--quiet') === undefined) throw new CommandError('git is not installed.', EXIT.usage)
  return (git(...list) ?? '').split('\0').filter(Boolean)
}

/**
 * Packs the folder's repository, or the folder if it is in none: what git would not ignore, without `node_modules` and `.env`
 * files. `use` gets the archive's file, which is then removed.
 * @template T
 * @param {string} folder
 * @param {{ config?: string }} options
 * @param {(packed: { file: string, bytes: number, files: number, leftOut: string[], config: string }) => Promise<T>} use
 * @returns {Promise<T>}
 */
export async function withArchive(folder, { config }, use) {
  const top = gitIn(folder)('rev-parse', '--show-toplevel') ?? path.resolve(folder)
  const found = config ?? graphFileOf(folder, top)
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-deploy-'))
  try {
    const file = path.join(scratch, 'source.tar.gz')
    /** @type {Set<string>} */
    const leftOut = new Set()
    const tar = pack()
    const written = pipeline(tar, createGzip(), createWriteStream(file, { mode: 0o600 }))
    let files = 0
    for (const name of new Set(pathsIn(top, scratch))) {
      const at = path.join(top, name)
      const stat = lstatSync(at, { throwIfNoEntry: false })
      if (!stat || stat.isDirectory()) continue // deleted and not committed, or a repository inside
      if (!stat.isFile() || OF_THIS_MACHINE.test(name)) {
        leftOut.add(name.replace(/(^|\/)node_modules\/.*/, '$1node_modules'))
        continue
      }
      files += 1
      const mode = stat.mode & 0o111 ? 0o755 : 0o644
      await new Promise((done, failed) =>
        tar.entry({ name, mode, mtime: stat.mtime }, readFileSync(at), (error) => (error ? failed(error) : done(null))),
      )
    }
    tar.finalize()
    await written
    const bytes = statSync(file).size
    if (bytes > LARGEST)
      throw new CommandError(
        `The archive has ${(bytes / 1024 / 1024).toFixed(0)} MB; at most ${LARGEST / 1024 / 1024} MB can be uploaded. List what a build does not need in .gitignore.`,
        EXIT.usage,
      )
    return await use({ file, bytes, files, leftOut: [...leftOut], config: found })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
