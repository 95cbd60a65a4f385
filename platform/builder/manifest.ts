import { access, readFile } from 'node:fs/promises'
import path from 'node:path'

/** The fields of package.json that are read. */
export type Manifest = {
  dependencies?: object
  devDependencies?: object
  optionalDependencies?: object
  workspaces?: unknown
  scripts?: Record<string, string>
  packageManager?: unknown
  engines?: { node?: unknown }
}

export const readText = (file: string): Promise<string | undefined> => readFile(file, 'utf8').catch(() => undefined)

export const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

/** The folder's package.json; undefined if there is none. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readText(path.join(folder, 'package.json'))
  // npm reports a broken package.json itself, in the build log.
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Manifest)
  } catch {
    return { dependencies: { unknown: '' } }
  }
}

export function namesPackages({ dependencies, devDependencies, optionalDependencies }: Manifest): boolean {
  return Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }).length > 0
}

/** Whether the folder is the root of a workspace, whose packages are installed together. */
export async function isWorkspaceRoot(folder: string): Promise<boolean> {
  if ((await readManifest(folder))?.workspaces) return true
  return /^packages:/m.test((await readText(path.join(folder, 'pnpm-workspace.yaml'))) ?? '')
}

/** The folder and those above it, up to the root of the source. */
export function foldersUpTo(root: string, folder: string): string[] {
  const isBelow = folder.startsWith(root + path.sep)
  return isBelow ? [folder, ...foldersUpTo(root, path.dirname(folder))] : [folder]
}
