import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** The platform's part of the data folder, which other users cannot read. */
export type DataFolder = {
  /** The platform's own files. */
  own: string
  /** Git repositories that the control plane offers. */
  repositories: string
  /** One folder per deployment, with one per revision. */
  builds: string
  /** The image store. */
  images: string
  /** Uploaded sources, one folder per deployment. */
  uploads: string
  /** Data that can be recreated: mirrors of repositories, finished builds. */
  cache: string
  apiKey: string
  /** 32 bytes that seal secrets. Losing this file loses every secret. */
  sealKey: Buffer
  port(): number
  rememberPort(port: number): void
}

/** Creates missing folders and keys, and reads existing ones. */
export function openDataFolder(dataDir: string): DataFolder {
  const folder = path.resolve(dataDir, 'platform')
  const repositories = path.resolve(dataDir, 'repositories')
  const builds = path.resolve(dataDir, 'builds')
  const images = path.resolve(dataDir, 'images')
  const uploads = path.resolve(dataDir, 'uploads')
  const cache = path.resolve(dataDir, 'cache')
  const isRoot = process.getuid?.() === 0
  const packages = path.join(cache, 'packages')
  // Users of deployments pass through to their own folders, and can list nothing.
  const passed = [path.resolve(dataDir), builds, cache, packages, path.join(cache, 'tools')]
  const own = [folder, images, uploads, repositories, path.join(cache, 'builds'), path.join(cache, 'git')]
  for (const one of [...passed, ...own]) {
    mkdirSync(one, { recursive: true })
    chmodSync(one, isRoot && passed.includes(one) ? 0o711 : 0o700)
  }
  const portFile = path.join(folder, 'port')
  return {
    own: folder,
    repositories,
    builds,
    images,
    uploads,
    cache,
    apiKey: readOrCreate(path.join(folder, 'api-key'), () => `plt_${randomBytes(24).toString('base64url')}`),
    sealKey: Buffer.from(
      readOrCreate(path.join(folder, 'seal-key'), () => randomBytes(32).toString('base64')),
      'base64',
    ),
    port: () => {
      const port = Number(read(portFile))
      return Number.isInteger(port) && port > 0 && port < 65536 ? port : 0
    },
    rememberPort: (port) => writePrivately(portFile, String(port)),
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Written completely or not at all, so that a kill never leaves half a key. */
export function writePrivately(file: string, text: string): void {
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, text, { mode: 0o600 })
  renameSync(draft, file)
}

function readOrCreate(file: string, make: () => string): string {
  const found = read(file)
  if (found) return found
  const made = make()
  writePrivately(file, made)
  return made
}
