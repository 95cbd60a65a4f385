import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Secret, SourceConfig, SourceRevisionConfig } from '@/lib/contracts/deployments/deployments'
import type { CommitFacts } from '@/lib/contracts/deployments/revisions'
import { operatorVariable } from '../kernel/env'
import type { LogLevel } from '../kernel/wire'
import { type Confinement, UNCONFINED } from '../sandbox/confinement'
import type { BuildCache, BuildInputs } from './build-cache'
import { type BuildStep, planBuild, repositoryOf, sayGraphs, settingsOf } from './build-plan'
import { BuildError, runCommand } from './command'
import { adviceOn, FailureReason, isOwnNoise, OWN_SCRIPT } from './failure-advice'
import { readTypes } from './field-types'
import { checkout, remoteCommit } from './git'
import { gitAuthorities } from './git-authorities'
import type { GitMirrors } from './git-mirrors'
import { readGraphConfig } from './graph-config'
import { packageEnvironment } from './package-manager'
import type { ToolCopies } from './tool-copies'
import { unpackUpload } from './uploads'

export type BuildOptions = {
  /** The revision's own folder; leftovers of an earlier attempt are removed. */
  folder: string
  sourceConfig: SourceConfig
  sourceRevisionConfig: SourceRevisionConfig
  /** The uploaded archive that is built in place of a commit. */
  upload?: string | undefined
  /** The environment of commands; contains no secret. */
  env: Record<string, string>
  /** Commands get the ones named in the package manager's settings. */
  secrets: readonly Secret[]
  /** Finished builds; absent where each build is made once. */
  cache?: BuildCache | undefined
  mirrors: GitMirrors
  tools: ToolCopies
  /** How the source's own commands are run; absent: with the platform's rights. */
  confinement?: Confinement | undefined
  /** What the commands' environment has in addition where they are confined. */
  confinedEnv?: Record<string, string> | undefined
  /** Whose build it is: others do not get it from the cache. */
  owner?: string | undefined
  /** The deployment's own cache of packages. Commands use their tools' default if absent. */
  packageCache?: string | undefined
  /** The agent server's program, which also reads types; absent: they are not read. */
  agentServerEntry?: string | undefined
  signal: AbortSignal
  log(level: LogLevel, message: string): void
  /** Called as soon as the commit is known, long before the build ends. */
  onCommit(commit: string, facts: CommitFacts | null): Promise<void>
  installTimeoutMs?: number
  buildTimeoutMs?: number
}

const TIMEOUT_MS = 15 * 60_000
/** Maximum lines kept per command, so that endless output cannot fill memory and the store. */
const MOST_LINES = 50_000

/**
 * Creates a revision's folder: checks out its commit or unpacks its upload, installs packages and builds, or copies an
 * identical earlier build. A revision that has a commit is rebuilt from it.
 * @throws BuildError with a message for users
 */
export async function buildRevision(options: BuildOptions): Promise<void> {
  const { folder, log, signal } = options
  await rm(folder, { recursive: true, force: true })
  await mkdir(path.dirname(folder), { recursive: true })
  try {
    const began = Date.now()
    const inputs = (await isRestored(options)) ? undefined : await built(options)
    // Cache it for the next identical build. A failure to cache must not fail the build.
    if (inputs)
      await options.cache?.keep(inputs, folder, signal).catch((error: Error) => {
        signal.throwIfAborted()
        log('INFO', `Not cached for the next build: ${error.message}`)
      })
    log('INFO', `Build complete, after ${((Date.now() - began) / 1000).toFixed(1)} s.`)
  } catch (error) {
    await rm(folder, { recursive: true, force: true }).catch(() => {})
    throw error
  }
}

/** Copies the folder from the cache, if it has the same build. */
async function isRestored(options: BuildOptions): Promise<boolean> {
  const { folder, cache, env, signal, log } = options
  if (options.upload || !cache) return false
  const { configPath, ...commands } = settingsOf(options)
  const { url, ref, commit: wanted } = repositoryOf(options)
  if (!(await cache.mayHold(url))) return false
  // The checkout reports problems with the address or the ref.
  const look = { url, ref, env, signal, configFile: `${folder}.gitconfig` }
  const commit = wanted ?? (await remoteCommit(look).catch(() => undefined))
  signal.throwIfAborted()
  if (!commit) return false
  const began = Date.now()
  const secrets = Object.fromEntries(options.secrets.map(({ name, value }) => [name, value]))
  const { owner, confinement = UNCONFINED } = options
  const kept = await cache.restore({ owner, url, commit, configPath, ...commands, secrets }, folder, signal)
  if (!kept) return false
  await confinement.give(folder)
  await options.onCommit(commit, kept.commit ?? null)
  log('INFO', `Commit ${commit} of ${url} was built with the same commands at ${kept.builtAt}:`)
  log('INFO', `took ${kept.files} files from the build cache in ${Date.now() - began} ms.`)
  sayGraphs(options, await readGraphConfig(folder, configPath))
  return true
}

/** Builds the folder. Returns its inputs if caching it would save work. */
async function built(options: BuildOptions): Promise<BuildInputs | undefined> {
  const { env, signal, log, tools, owner } = options
  const source = options.upload ? await unpacked(options, options.upload) : await checkOutSource(options)
  const { config, steps, manager, secrets } = await planBuild(options)
  const bin = manager && (await tools.provide(manager, { env, signal, log: (line) => log('INFO', line) }))
  for (const line of secrets.lines) log('INFO', line)
  for (const line of steps.some(({ command }) => command) ? secrets.missing : []) log('WARNING', line)
  const authorities = await gitAuthorities(operatorVariable('PILOTHOUSE_GIT_CREDENTIALS'))
  const commandEnv = {
    ...env,
    ...(authorities && { GIT_SSL_CAINFO: authorities }),
    ...options.confinedEnv,
    ...packageEnvironment(options.packageCache),
    ...secrets.env,
    ...(bin && { PATH: [bin, env.PATH].filter(Boolean).join(path.delimiter) }),
  }
  const limits = { install: options.installTimeoutMs, build: options.buildTimeoutMs }
  let hasRun = false
  for (const { what, command, because, cwd } of steps) {
    if (!command) {
      log('INFO', what === 'install' ? "No packages to install; using the platform's." : 'Nothing to build.')
      continue
    }
    log('INFO', `Running the ${what} command${because ? `, for ${because}` : ''}: ${command}`)
    await runStep({ what, command, because, cwd }, limits[what] ?? TIMEOUT_MS, commandEnv, options)
    hasRun = true
  }
  await readTypes(options, config)
  if (!hasRun || !source) return undefined
  return { owner, ...source, ...settingsOf(options), secrets: secrets.env }
}

type SourceOptions = Pick<
  BuildOptions,
  'folder' | 'sourceConfig' | 'sourceRevisionConfig' | 'env' | 'signal' | 'log' | 'mirrors' | 'confinement' | 'onCommit'
>

/** Checks out the revision's commit into its folder. */
export async function checkOutSource(options: SourceOptions) {
  const { folder, env, signal, log, mirrors, confinement } = options
  const { url, ref, commit: wanted } = repositoryOf(options)
  const onLine = (line: string, isError: boolean) => log(isError ? 'WARNING' : 'INFO', line)
  log('INFO', `Fetching ${wanted ?? ref} of ${url}`)
  const of = { url, ref, commit: wanted, folder, env, signal, onLine, mirrors, confinement }
  const { commit, facts } = await checkout(of)
  await options.onCommit(commit, facts)
  log('INFO', `Checked out commit ${commit}`)
  return { url, commit, facts }
}

async function unpacked({ folder, signal, log, confinement = UNCONFINED }: BuildOptions, upload: string) {
  const { files, links } = await unpackUpload(upload, folder, signal)
  await confinement.give(folder)
  log('INFO', `Unpacked ${files} files of the uploaded source.`)
  if (links.length) log('WARNING', `Links are left out: ${links.slice(0, 10).join(', ')}`)
  return undefined
}

async function runStep(
  { what, command, because, cwd }: BuildStep & { command: string },
  timeoutMs: number,
  env: Record<string, string>,
  options: BuildOptions,
) {
  const { log, signal, folder, packageCache, confinement } = options
  let lines = 0
  // Repeated with the failure, which is what lists show of it.
  const reason = new FailureReason()
  let lastError: string | undefined
  let advice = what === 'build' && because ? OWN_SCRIPT : undefined
  const onLine = (line: string, isError: boolean) => {
    if (isOwnNoise(line)) return
    lines += 1
    if (what === 'install') advice ??= adviceOn(line)
    reason.read(line)
    if (isError && line.trim()) lastError = line
    if (lines < MOST_LINES) log(isError ? 'WARNING' : 'INFO', line)
    else if (lines === MOST_LINES) log('WARNING', 'Further output is not stored.')
  }
  const isWindows = process.platform === 'win32'
  const argv = isWindows ? (['cmd.exe', '/d', '/s', '/c', command] as const) : (['/bin/sh', '-c', command] as const)
  const writable = [folder, ...(packageCache ? [packageCache] : [])]
  try {
    await runCommand(argv, { label: `The ${what} command`, cwd, env, timeoutMs, signal, onLine, confinement, writable })
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    throw new BuildError([error.message, reason.line ?? lastError, advice].filter(Boolean).join('\n'))
  }
}
