import { access, readFile } from 'node:fs/promises'
import path from 'node:path'
import { BuildError } from './command'

type Tool = 'npm' | 'pnpm' | 'yarn' | 'bun'
const LOCKED: [file: string, tool: Tool, command: string][] = [
  ['pnpm-lock.yaml', 'pnpm', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', 'yarn', 'yarn install --frozen-lockfile'],
  ['bun.lockb', 'bun', 'bun install --frozen-lockfile'],
  ['bun.lock', 'bun', 'bun install --frozen-lockfile'],
  ['package-lock.json', 'npm', 'npm ci --no-audit --no-fund'],
  ['npm-shrinkwrap.json', 'npm', 'npm ci --no-audit --no-fund'],
]
const UNLOCKED = { file: 'package.json', tool: 'npm', command: 'npm install --no-audit --no-fund --no-package-lock' }

/** A command detected in a source: the evidence, the program it needs, and the folder to run it in. */
export type Detected = { command: string; tool: string; because: string; cwd: string }

type Manifest = {
  dependencies?: object
  devDependencies?: object
  optionalDependencies?: object
  workspaces?: unknown
  scripts?: Record<string, string>
}

async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => undefined)
  // npm reports a broken package.json itself, in the build log.
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Manifest)
  } catch {
    return { dependencies: { unknown: '' } }
  }
}

const exists = (file: string) =>
  access(file).then(
    () => true,
    () => false,
  )

async function lockOf(folder: string) {
  for (const [file, tool, command] of LOCKED) if (await exists(path.join(folder, file))) return { file, tool, command }
  return undefined
}

/**
 * How the packages of a source are installed: those of its root, else those of the folder that has its graph
 * configuration. Undefined where neither names any and it runs on the platform's own.
 */
export async function detectInstall(root: string, configFolder = root): Promise<Detected | undefined> {
  for (const cwd of new Set([root, configFolder])) {
    const manifest = await readManifest(cwd)
    const { dependencies, devDependencies, optionalDependencies } = manifest ?? {}
    const wanted = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    if (!wanted.length && !manifest?.workspaces) continue
    const { file, tool, command } = (await lockOf(cwd)) ?? UNLOCKED
    return { command, tool, because: path.relative(root, path.join(cwd, file)), cwd }
  }
  return undefined
}

/** How a source is built, in the folder of its graph configuration; undefined where it has no build script. */
export async function detectBuild(root: string, configFolder = root): Promise<Detected | undefined> {
  if ((await readManifest(configFolder))?.scripts?.build === undefined) return undefined
  const lock = (await lockOf(configFolder)) ?? (await lockOf(root))
  const tool = lock?.tool ?? 'npm'
  const because = path.relative(root, path.join(configFolder, 'package.json'))
  return { command: `${tool} run build`, tool, because, cwd: configFolder }
}

/** Throws a BuildError if the program of a detected command is not installed. */
export async function checkTool({ tool, because, command }: Detected, searchPath: string): Promise<void> {
  const endings = process.platform === 'win32' ? ['.cmd', '.exe', '.bat'] : ['']
  const places = searchPath
    .split(path.delimiter)
    .flatMap((folder) => endings.map((end) => path.join(folder, tool + end)))
  for (const place of places) if (await exists(place)) return
  throw new BuildError(
    `The source has ${because}, so it needs "${command}", and ${tool} is not installed on this machine. Install it, or give the deployment a command of its own.`,
  )
}
