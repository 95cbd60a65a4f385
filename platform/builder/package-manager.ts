import path from 'node:path'
import { exists, foldersUpTo, readManifest, readText } from './manifest'

export type Tool = 'npm' | 'pnpm' | 'yarn' | 'bun'

/** The package manager of a source. */
export type PackageManager = {
  tool: Tool
  /** Exact, or as in `packageManager`; undefined for npm, which comes with Node.js. */
  version: string | undefined
  /** Whether `packageManager` requires this version; otherwise any release of the same major is fine. */
  isAsked: boolean
  /** The file that determined it. */
  because: string
  hasLock: boolean
  /** A line for the log if `packageManager` and the lock file disagree. */
  note?: string | undefined
}

const LOCKS: [file: string, tool: Tool][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
]

export async function lockOf(folder: string): Promise<{ file: string; tool: Tool } | undefined> {
  for (const [file, tool] of LOCKS) if (await exists(path.join(folder, file))) return { file, tool }
  return undefined
}

/**
 * The lock file determines the tool, because only that tool can read it. `packageManager` of the folder or a parent
 * determines the version, and the tool if there is no lock file.
 */
export async function findPackageManager(root: string, folder: string): Promise<PackageManager> {
  const lock = await lockOf(folder)
  const asked = await askedFor(root, folder)
  const because = path.relative(root, path.join(folder, lock?.file ?? 'package.json'))
  if (!lock) {
    const { tool, version } = asked ?? { tool: 'npm' as const, version: undefined }
    return { tool, version: tool === 'npm' ? undefined : version, isAsked: true, because, hasLock: false }
  }
  const { tool } = lock
  const common = { tool, because, hasLock: true }
  if (tool === 'npm') return { ...common, version: undefined, isAsked: false, note: disagreement() }
  if (asked?.tool === tool) return { ...common, version: asked.version, isAsked: true }
  return { ...common, version: await versionOfLock(tool, folder), isAsked: false, note: disagreement() }

  function disagreement(): string | undefined {
    if (!asked || asked.tool === tool) return undefined
    return `package.json asks for ${asked.tool} ${asked.version}, but the lock file is ${because}: installing with ${tool}.`
  }
}

/** `pnpm@10.9.0+sha512.…`: a tool, a possibly partial version, and a hash that is not checked here. */
const ASKED = /^(npm|pnpm|yarn|bun)@(\d+(?:\.\d+){0,2}(?:-[\w.]+)?)(?:\+.*)?$/

async function askedFor(root: string, folder: string): Promise<{ tool: Tool; version: string } | undefined> {
  for (const place of foldersUpTo(root, folder)) {
    const { packageManager } = (await readManifest(place)) ?? {}
    const [, tool, version] = ASKED.exec(String(packageManager ?? '')) ?? []
    if (tool && version) return { tool: tool as Tool, version }
  }
  return undefined
}

/** A release that can read the lock file, pinned so that a source is always built in the same way. */
async function versionOfLock(tool: Tool, folder: string): Promise<string> {
  if (tool === 'bun') return '1.4.5'
  if (tool === 'yarn')
    return /^__metadata:/m.test((await readText(path.join(folder, 'yarn.lock'))) ?? '') ? '4.18.1' : '1.22.22'
  const [, format] =
    /^lockfileVersion: ['"]?(\d+)/m.exec((await readText(path.join(folder, 'pnpm-lock.yaml'))) ?? '') ?? []
  return format === '5' ? '7.33.7' : format === '6' ? '8.15.9' : '10.34.8'
}

/** Major of a version; 0 if there is none. */
export const majorOf = (version: string | undefined): number => Number.parseInt(version ?? '0', 10)

const UNLOCKED: Record<Tool, string> = {
  npm: 'npm install --no-audit --no-fund --no-package-lock',
  pnpm: 'pnpm install --no-lockfile',
  yarn: 'yarn install',
  bun: 'bun install --no-save --backend=copyfile',
}

/** Never links cached files into the source, because graphs may write into their folder. */
export function installCommand({ tool, version, hasLock }: PackageManager): string {
  if (!hasLock) return UNLOCKED[tool]
  if (tool === 'npm') return 'npm ci --no-audit --no-fund'
  if (tool === 'bun') return 'bun install --frozen-lockfile --backend=copyfile'
  if (tool === 'yarn' && majorOf(version) >= 2) return 'yarn install --immutable'
  // yarn 1 gives up on a package after 30 s by default.
  if (tool === 'yarn') return 'yarn install --frozen-lockfile --network-timeout 300000'
  return `${tool} install --frozen-lockfile`
}

/**
 * The package manager's settings in the environment. Each deployment has its own cache: yarn 1 corrupts a shared one,
 * and a build must not plant packages for another deployment.
 */
export function packageEnvironment(cache: string | undefined): Record<string, string> {
  const places: Record<string, string> = cache
    ? {
        npm_config_cache: path.join(cache, 'npm'),
        npm_config_store_dir: path.join(cache, 'pnpm'),
        pnpm_config_store_dir: path.join(cache, 'pnpm'),
        YARN_CACHE_FOLDER: path.join(cache, 'yarn'),
        YARN_GLOBAL_FOLDER: path.join(cache, 'yarn-global'),
        BUN_INSTALL_CACHE_DIR: path.join(cache, 'bun'),
      }
    : {}
  return {
    ...places,
    CI: 'true',
    npm_config_update_notifier: 'false',
    // Copies, because hard links would let a graph change the cache and other revisions.
    npm_config_package_import_method: 'clone-or-copy',
    pnpm_config_package_import_method: 'clone-or-copy',
    // The right version is already selected, or the lock file belongs to another tool.
    npm_config_manage_package_manager_versions: 'false',
    npm_config_package_manager_strict: 'false',
    pnpm_config_manage_package_manager_versions: 'false',
    pnpm_config_package_manager_strict: 'false',
    COREPACK_ENABLE_STRICT: '0',
    COREPACK_ENABLE_DOWNLOAD_PROMPT: '0',
    YARN_ENABLE_TELEMETRY: '0',
    // Agent servers load packages from node_modules.
    YARN_NODE_LINKER: 'node-modules',
  }
}
