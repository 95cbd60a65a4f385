import { randomUUID } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, symlink, utimes } from 'node:fs/promises'
import path from 'node:path'
import { BuildError, runCommand } from './command'
import { exists } from './manifest'
import { majorOf, type PackageManager } from './package-manager'

type ToolContext = { env: Record<string, string>; signal: AbortSignal; log(line: string): void }

const INSTALL_MS = 5 * 60_000
const ASK_MS = 20_000
const KEPT_MS = 30 * 24 * 3600_000

/**
 * Package managers in the versions that sources need, each installed once from the registry with npm. Not with
 * corepack, which newer Node.js versions lack and which ignores npm's registry settings.
 */
export class ToolCopies {
  constructor(private readonly folder: string) {}

  /**
   * The folder to add to the search path for the package manager; undefined if the installed one fits. Rejects with a
   * BuildError if there is none and it cannot be installed.
   */
  async provide(manager: PackageManager, context: ToolContext): Promise<string | undefined> {
    const { tool, version } = manager
    if (tool === 'npm' || !version) return this.#requireNpm(context)
    const installed = await installedVersion(tool, context)
    if (installed && (manager.isAsked ? installed === version : majorOf(installed) === majorOf(version)))
      return undefined
    const place = path.join(this.folder, `${tool}-${version}`)
    const bin = path.join(place, 'node_modules/.bin')
    if (await exists(path.join(bin, tool))) {
      await utimes(place, new Date(), new Date())
      return bin
    }
    context.log(
      `${tool} ${version} is ${installed ? `not the installed ${installed}` : 'not installed'}: downloading it from the registry.`,
    )
    await this.#install(manager, place, context)
    return bin
  }

  /** Removes unfinished copies and those unused for long. Call at startup, before the first build. */
  async prune(): Promise<void> {
    for (const name of await readdir(this.folder).catch(() => [])) {
      const place = path.join(this.folder, name)
      if (name.startsWith('draft-') || Date.now() - (await stat(place)).mtimeMs > KEPT_MS)
        await rm(place, { recursive: true, force: true })
    }
  }

  async #requireNpm({ env, signal }: ToolContext): Promise<undefined> {
    if (!(await installedVersion('npm', { env, signal })))
      throw new BuildError(
        'npm is not installed on this machine. Install it, or set install and build commands for the deployment.',
      )
  }

  async #install({ tool, version, because }: PackageManager, place: string, context: ToolContext): Promise<void> {
    const { env, signal } = context
    const name = tool === 'yarn' && majorOf(version) >= 2 ? '@yarnpkg/cli-dist' : tool
    const draft = path.join(this.folder, `draft-${randomUUID()}`)
    const said: string[] = []
    try {
      // Commands of deployments run what is in it.
      await mkdir(draft, { recursive: true, mode: 0o755 })
      const quiet = [
        '--ignore-scripts',
        '--no-save',
        '--no-audit',
        '--no-fund',
        '--no-package-lock',
        '--loglevel=error',
      ]
      await runCommand(['npm', 'install', ...quiet, '--prefix', draft, `${name}@${version}`], {
        label: 'npm install',
        cwd: draft,
        env,
        timeoutMs: INSTALL_MS,
        signal,
        onLine: (line) => said.push(line),
      })
      if (tool === 'bun') await linkBun(draft)
      await rename(draft, place).catch(async () => {
        // Another build has installed the same version meanwhile, and may be running it.
        if (await exists(path.join(place, 'node_modules/.bin', tool))) return
        await rm(place, { recursive: true, force: true })
        await rename(draft, place)
      })
    } catch (error) {
      if (!(error instanceof BuildError)) throw error
      const reason = [error.message, ...said].join('\n')
      throw new BuildError(
        `The source has ${because}, so it needs ${tool} ${version}, which is not installed and could not be downloaded from the registry:\n${reason}\nInstall it, or set install and build commands for the deployment.`,
      )
    } finally {
      await rm(draft, { recursive: true, force: true })
    }
  }
}

/** bun's package is a script that downloads the program, so the program is taken from its platform package. */
async function linkBun(folder: string): Promise<void> {
  const machine = `${process.platform}-${process.arch === 'arm64' ? 'aarch64' : process.arch}`
  // The baseline build also runs on processors without AVX2.
  for (const name of [`bun-${machine}-baseline`, `bun-${machine}`, `bun-${machine}-musl`]) {
    const program = path.join('@oven', name, 'bin/bun')
    if (!(await exists(path.join(folder, 'node_modules', program)))) continue
    const link = path.join(folder, 'node_modules/.bin/bun')
    await mkdir(path.dirname(link), { recursive: true })
    await rm(link, { force: true })
    return symlink(path.join('..', program), link)
  }
  throw new BuildError(`bun has no package for ${machine}.`)
}

/** The version of an installed program; undefined if it is missing or fails. */
async function installedVersion(
  tool: string,
  { env, signal }: Pick<ToolContext, 'env' | 'signal'>,
): Promise<string | undefined> {
  const lines: string[] = []
  try {
    await runCommand([tool, '--version'], {
      label: tool,
      // Outside of any project, which could select another version.
      cwd: path.parse(process.execPath).root,
      // A corepack shim would download a version of its own choice.
      env: { ...env, COREPACK_ENABLE_NETWORK: '0' },
      timeoutMs: ASK_MS,
      signal,
      onLine: (line, isError) => void (isError || lines.push(line)),
    })
  } catch (error) {
    if (error instanceof BuildError) return undefined
    throw error
  }
  return lines.at(-1)?.trim()
}
