import { constants } from 'node:fs'
import { access, open } from 'node:fs/promises'
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

/** Reads a file of a source, which may be hostile: a link would lead to files of the platform, and a pipe never ends. */
export async function readRegular(file: string): Promise<string> {
  const opened = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    if (!(await opened.stat()).isFile()) throw new Error(`${path.basename(file)} is not a file`)
    return await opened.readFile('utf8')
  } finally {
    await opened.close()
  }
}

export const readText = (file: string): Promise<string | undefined> => readRegular(file).catch(() => undefined)

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
