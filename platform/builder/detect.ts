import path from 'node:path'
import { foldersUpTo, isWorkspaceRoot, namesPackages, readManifest } from './manifest'
import { findPackageManager, installCommand, lockOf, type PackageManager } from './package-manager'

/** A command detected in a source: the evidence, the program that it needs, and the folder to run it in. */
export type Detected = { command: string; manager: PackageManager; because: string; cwd: string }

/**
 * The folder whose packages a graph configuration uses: that of the configuration or the nearest one above it that names
 * packages, or the root of the workspace that this folder belongs to. Undefined where the source names none and runs on the
 * platform's own.
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

/** How the packages of a source are installed. */
export async function detectInstall(root: string, configFolder = root): Promise<Detected | undefined> {
  const cwd = await installFolder(root, configFolder)
  if (cwd === undefined) return undefined
  const manager = await findPackageManager(root, cwd)
  return { command: installCommand(manager), manager, because: manager.because, cwd }
}

/** How a source is built, in the folder of its graph configuration; undefined where it has no build script. */
export async function detectBuild(root: string, configFolder = root): Promise<Detected | undefined> {
  if ((await readManifest(configFolder))?.scripts?.build === undefined) return undefined
  const manager = await findPackageManager(root, (await installFolder(root, configFolder)) ?? configFolder)
  const because = path.relative(root, path.join(configFolder, 'package.json'))
  return { command: `${manager.tool} run build`, manager, because, cwd: configFolder }
}
