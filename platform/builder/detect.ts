import path from 'node:path'
import { foldersUpTo, isWorkspaceRoot, namesPackages, readManifest } from './manifest'
import { findPackageManager, installCommand, lockOf, type PackageManager } from './package-manager'

/** A detected command, with the reason for it, the package manager it needs, and its folder. */
export type Detected = { command: string; manager: PackageManager; because: string; cwd: string }

/**
 * The folder whose packages a graph configuration uses: its own, the nearest parent with packages, or the root of that
 * folder's workspace. Undefined if the source has none and uses the platform's.
 */
async function installFolder(root: string, configFolder: string): Promise<string | undefined> {
  const folders = foldersUpTo(root, configFolder)
  for (const [index, folder] of folders.entries()) {
    const manifest = await readManifest(folder)
    const isRoot = await isWorkspaceRoot(folder)
    if (!manifest || !(namesPackages(manifest) || isRoot)) continue
    if (isRoot || (await lockOf(folder))) return folder
    for (const above of folders.slice(index + 1)) if (await isWorkspaceRoot(above)) return above
    return folder
  }
  return undefined
}

/** The command that installs a source's packages. */
export async function detectInstall(root: string, configFolder = root): Promise<Detected | undefined> {
  const cwd = await installFolder(root, configFolder)
  if (cwd === undefined) return undefined
  const manager = await findPackageManager(root, cwd)
  return { command: installCommand(manager), manager, because: manager.because, cwd }
}

/** The command that builds a source, in the folder of its graph configuration; undefined if it has no build script. */
export async function detectBuild(root: string, configFolder = root): Promise<Detected | undefined> {
  if ((await readManifest(configFolder))?.scripts?.build === undefined) return undefined
  const manager = await findPackageManager(root, (await installFolder(root, configFolder)) ?? configFolder)
  const because = path.relative(root, path.join(configFolder, 'package.json'))
  return { command: `${manager.tool} run build`, manager, because, cwd: configFolder }
}
