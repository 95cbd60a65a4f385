import { access, readFile } from 'node:fs/promises'
import path from 'node:path'

const LOCKED: [file: string, command: string][] = [
  ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
  ['yarn.lock', 'yarn install --frozen-lockfile'],
  ['bun.lockb', 'bun install --frozen-lockfile'],
  ['bun.lock', 'bun install --frozen-lockfile'],
  ['package-lock.json', 'npm ci --no-audit --no-fund'],
  ['npm-shrinkwrap.json', 'npm ci --no-audit --no-fund'],
]

type Manifest = { dependencies?: object; devDependencies?: object; scripts?: Record<string, string> }

async function readManifest(folder: string): Promise<Manifest | undefined> {
  const text = await readFile(path.join(folder, 'package.json'), 'utf8').catch(() => undefined)
  // A broken package.json is npm's to complain about, in its own words in the build log.
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Manifest)
  } catch {
    return { dependencies: { unknown: '' } }
  }
}

/** How the packages of a source are installed; undefined where it names none and runs on the platform's own. */
export async function detectInstall(folder: string): Promise<string | undefined> {
  const manifest = await readManifest(folder)
  const wanted = Object.keys({ ...manifest?.dependencies, ...manifest?.devDependencies })
  if (!wanted.length) return undefined
  for (const [file, command] of LOCKED)
    if (
      await access(path.join(folder, file)).then(
        () => true,
        () => false,
      )
    )
      return command
  return 'npm install --no-audit --no-fund --no-package-lock'
}

/** How a source is built, in the folder of its graph configuration; undefined where it has no build script. */
export async function detectBuild(folder: string): Promise<string | undefined> {
  return (await readManifest(folder))?.scripts?.build === undefined ? undefined : 'npm run build'
}
