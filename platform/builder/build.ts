import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { SourceConfig, SourceRevisionConfig } from '@/lib/contracts/deployments'
import type { LogLevel } from '../control-plane/wire'
import { BuildError, runCommand } from './command'
import { detectBuild, detectInstall } from './detect'
import { checkout } from './git'
import { readGraphConfig } from './graph-config'

export type BuildOptions = {
  /** Of this revision alone; what an earlier try left in it is removed. */
  folder: string
  sourceConfig: SourceConfig
  sourceRevisionConfig: SourceRevisionConfig
  /** What commands run with; holds no secret. */
  env: Record<string, string>
  signal: AbortSignal
  log(level: LogLevel, message: string): void
  /** Called as soon as the commit is known, long before the build ends. */
  onCommit(commit: string): Promise<void>
}

const INSTALL_TIMEOUT_MS = 15 * 60_000
const BUILD_TIMEOUT_MS = 15 * 60_000

/**
 * Makes the folder a revision runs from: its commit checked out, packages installed, built.
 * Throws a BuildError whose message is the reason to show; a revision that already has its commit gets that one again.
 */
export async function buildFromGit(options: BuildOptions): Promise<void> {
  const { folder, sourceConfig, sourceRevisionConfig, env, signal, log } = options
  const { repo_url, install_command, build_command } = sourceConfig
  const { repo_ref, graph_config_path, repo_commit_sha } = sourceRevisionConfig
  if (!repo_url || !repo_ref || !graph_config_path)
    throw new BuildError('The revision names no repository, ref or graph configuration file.')
  const onLine = (line: string, isError: boolean) => log(isError ? 'WARNING' : 'INFO', line)

  await rm(folder, { recursive: true, force: true })
  log('INFO', `Fetching ${repo_commit_sha ?? repo_ref} of ${repo_url}`)
  const commit = await checkout({
    url: repo_url,
    ref: repo_ref,
    commit: repo_commit_sha ?? undefined,
    folder,
    env,
    signal,
    onLine,
  })
  await options.onCommit(commit)
  log('INFO', `Checked out commit ${commit}`)

  const config = await readGraphConfig(folder, graph_config_path)
  log('INFO', `${graph_config_path} names ${config.graphs.length} graphs: ${config.graphs.join(', ')}`)

  const steps = [
    { what: 'install', given: install_command, detect: detectInstall, cwd: folder, timeoutMs: INSTALL_TIMEOUT_MS },
    {
      what: 'build',
      given: build_command,
      detect: detectBuild,
      cwd: path.dirname(config.file),
      timeoutMs: BUILD_TIMEOUT_MS,
    },
  ]
  for (const { what, given, detect, cwd, timeoutMs } of steps) {
    const command = given?.trim() || (await detect(cwd))
    if (!command) {
      log('INFO', what === 'install' ? 'No packages of its own: runs on the platform’s.' : 'Nothing to build.')
      continue
    }
    log('INFO', `Running the ${what} command: ${command}`)
    const isWindows = process.platform === 'win32'
    // A package manager that takes NODE_ENV from us would leave out what a build needs.
    const stepEnv = { ...env, CI: 'true', npm_config_update_notifier: 'false' }
    await runCommand(isWindows ? ['cmd.exe', '/d', '/s', '/c', command] : ['/bin/sh', '-c', command], {
      label: `The ${what} command`,
      cwd,
      env: stepEnv,
      timeoutMs,
      signal,
      onLine,
    })
  }
  log('INFO', 'The build is complete.')
}
