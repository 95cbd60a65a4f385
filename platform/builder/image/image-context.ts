import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Secret } from '@/lib/contracts/deployments/deployments'
import { type BuildOptions, checkOutSource } from '../build'
import { planBuild } from '../build-plan'
import { BuildError } from '../command'
import { readText } from '../manifest'
import { ToolCopies } from '../tool-copies'
import { dockerfileOf } from './dockerfile'

export type ContextOptions = Pick<
  BuildOptions,
  'sourceConfig' | 'sourceRevisionConfig' | 'env' | 'signal' | 'log' | 'mirrors' | 'onCommit'
> & {
  /** Becomes the context of the image's build. */
  folder: string
  /** Gets a file for each secret that the commands need. */
  secretsFolder: string
  secrets: readonly Secret[]
  base: string
}

/** Checks out a revision and writes the Dockerfile that builds it. Rejects with a BuildError for users. */
export async function prepareImageContext(options: ContextOptions): Promise<void> {
  const { folder, secretsFolder, log, env, signal } = options
  const source = path.join(folder, 'source')
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const { url, commit } = await checkOutSource({ ...options, folder: source })
  const { root, config, steps, manager, secrets } = await planBuild({ ...options, folder: source })
  const bin =
    manager &&
    (await new ToolCopies(path.join(folder, 'tools')).provide(manager, {
      env,
      signal,
      log: (line) => log('INFO', line),
    }))
  for (const line of secrets.lines) log('INFO', line)
  for (const line of steps.some(({ command }) => command) ? secrets.missing : []) log('WARNING', line)
  const used = steps.flatMap(({ what, command, because, cwd }) => {
    if (!command) {
      log('INFO', what === 'install' ? "No packages to install; using the platform's." : 'Nothing to build.')
      return []
    }
    log('INFO', `The ${what} command${because ? `, for ${because}` : ''}: ${command}`)
    return [{ what, command, because, folder: path.relative(root, cwd) }]
  })
  const install = used.find(({ what }) => what === 'install')
  const text = dockerfileOf({
    base: options.base,
    repository: url,
    commit,
    steps: used,
    manifests: install?.because && !install.folder ? await manifestsOf(root) : undefined,
    typed: config.isTyped && used.length ? path.relative(root, config.file) : undefined,
    secrets: used.length ? Object.keys(secrets.env) : [],
    tool: bin && path.relative(path.join(folder, 'tools'), bin),
  })
  // Commands that a user gave may read the history; others do not, and its files differ between clones.
  const needsGit = used.some(({ because }) => !because)
  await writeFile(path.join(folder, '.dockerignore'), needsGit ? '' : 'source/.git\n')
  await writeFile(path.join(folder, 'Dockerfile'), text)
  await mkdir(secretsFolder, { recursive: true })
  for (const [name, value] of Object.entries(secrets.env))
    await writeFile(path.join(secretsFolder, name), value, { mode: 0o600 })
}

const MANIFESTS = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  'bunfig.toml',
]
/** Files of package managers that run code of the source, or name more of its files. */
const OTHERS = ['.yarn', '.pnpmfile.cjs', 'pnpm-workspace.yaml', 'patches', 'binding.gyp']
const OWN_SCRIPTS = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare']
const LOCAL = /^(?:file|link|portal|patch|workspace|exec):|^[./~]/

/** The files that an install reads, if it is certain that it reads no others. */
async function manifestsOf(root: string): Promise<string[] | undefined> {
  const files = await readdir(root)
  if (OTHERS.some((name) => files.includes(name))) return undefined
  let manifest: Record<string, unknown>
  try {
    manifest = JSON.parse((await readText(path.join(root, 'package.json'))) ?? '')
  } catch {
    throw new BuildError('package.json cannot be read.')
  }
  const { scripts, workspaces, overrides, resolutions, pnpm, ...rest } = manifest
  const own = Object.keys((scripts as object) ?? {})
  if (workspaces || overrides || resolutions || pnpm || OWN_SCRIPTS.some((name) => own.includes(name))) return undefined
  const versions = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'].flatMap((list) =>
    Object.values((rest[list] as object) ?? {}),
  )
  if (versions.some((version) => typeof version !== 'string' || LOCAL.test(version))) return undefined
  return MANIFESTS.filter((name) => files.includes(name))
}
