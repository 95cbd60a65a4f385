import { realpath } from 'node:fs/promises'
import path from 'node:path'
import type { Secret, SourceConfig, SourceRevisionConfig } from '@/lib/contracts/deployments/deployments'
import type { LogLevel } from '../kernel/wire'
import { BuildError } from './command'
import { detectBuild, detectInstall } from './detect'
import { describeUnfetched } from './git'
import { type LoadedGraphConfig, readGraphConfig } from './graph-config'
import { foldersUpTo } from './manifest'
import { describeNodeVersion } from './node-version'
import type { PackageManager } from './package-manager'
import { registrySecrets } from './registry-secrets'

type Source = { sourceConfig: SourceConfig; sourceRevisionConfig: SourceRevisionConfig }
type Log = (level: LogLevel, message: string) => void

export type BuildStep = {
  what: 'install' | 'build'
  /** Undefined if there is nothing to do. */
  command: string | undefined
  /** The file for which it was detected. */
  because: string | undefined
  cwd: string
}

export type BuildPlan = {
  /** The real path of the source's folder. */
  root: string
  config: LoadedGraphConfig
  steps: BuildStep[]
  /** The package manager that the commands use. */
  manager: PackageManager | undefined
  /** Of the deployment's secrets, those that the package manager's settings name. */
  secrets: Awaited<ReturnType<typeof registrySecrets>>
}

/** The part of a revision that every build needs. */
export function settingsOf({ sourceConfig, sourceRevisionConfig }: Source) {
  const { install_command, build_command } = sourceConfig
  const { graph_config_path: configPath } = sourceRevisionConfig
  if (!configPath) throw new BuildError('The revision has no graph configuration file.')
  return {
    configPath,
    installCommand: install_command?.trim() || null,
    buildCommand: build_command?.trim() || null,
  }
}

export function repositoryOf({ sourceConfig, sourceRevisionConfig }: Source) {
  const { repo_url: url } = sourceConfig
  const { repo_ref: ref, repo_commit_sha } = sourceRevisionConfig
  if (!url || !ref) throw new BuildError('The revision has no repository or ref.')
  return { url, ref, commit: repo_commit_sha ?? undefined }
}

/** Reads a source's folder and finds what builds it. Logs what a user should know of it. */
export async function planBuild(
  options: Source & { folder: string; secrets: readonly Secret[]; log: Log },
): Promise<BuildPlan> {
  const { folder, log } = options
  const { configPath, installCommand, buildCommand } = settingsOf(options)
  for (const note of await describeUnfetched(folder)) log('WARNING', note)
  const config = await readGraphConfig(folder, configPath)
  sayGraphs(options, config)

  const root = await realpath(folder)
  const configFolder = path.dirname(config.file)
  const install = await detectInstall(root, configFolder)
  const build = await detectBuild(root, configFolder)
  const folders = [...foldersUpTo(root, configFolder), ...(install ? [install.cwd] : [])]
  for (const { isOther, line } of await describeNodeVersion(root, folders, config))
    log(isOther ? 'WARNING' : 'INFO', line)
  const steps: BuildStep[] = [
    installCommand
      ? { what: 'install', command: installCommand, because: undefined, cwd: root }
      : { what: 'install', command: install?.command, because: install?.because, cwd: install?.cwd ?? root },
    buildCommand
      ? { what: 'build', command: buildCommand, because: undefined, cwd: configFolder }
      : { what: 'build', command: build?.command, because: build?.because, cwd: build?.cwd ?? configFolder },
  ]
  const manager = (install ?? build)?.manager
  const isNeeded = manager && steps.some(({ command }) => command?.includes(manager.tool))
  if (isNeeded && manager.note) log('WARNING', manager.note)
  const secrets = await registrySecrets(root, folders, options.secrets)
  return { root, config, steps, manager: isNeeded ? manager : undefined, secrets }
}

export function sayGraphs(
  { log, sourceRevisionConfig }: Pick<Source, 'sourceRevisionConfig'> & { log: Log },
  { graphs }: LoadedGraphConfig,
): void {
  const names = `${graphs.length} ${graphs.length === 1 ? 'graph' : 'graphs'}: ${graphs.join(', ')}`
  log('INFO', `${sourceRevisionConfig.graph_config_path} names ${names}`)
}
