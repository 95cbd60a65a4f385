import { createRequire } from 'node:module'
import path from 'node:path'
import type { LogLevel } from '../kernel/wire'
import type { Confinement } from '../sandbox/confinement'
import { BuildError, runCommand } from './command'
import type { LoadedGraphConfig } from './graph-config'

type Options = {
  agentServerEntry?: string | undefined
  folder: string
  env: Record<string, string>
  confinedEnv?: Record<string, string> | undefined
  confinement?: Confinement | undefined
  signal: AbortSignal
  log(level: LogLevel, message: string): void
}

const UNKNOWN = "The types of the graphs' fields are not known"
/** The compiler reads all types that a graph uses; its own limit of memory is far above that. */
const TIMEOUT_MS = 60_000

/**
 * Reads the types of the graphs' fields with the source's own compiler, into a file beside the graph configuration. Forms
 * use them where a graph declares no schema, so a failure is only a line in the log.
 */
export async function readTypes(options: Options, config: LoadedGraphConfig): Promise<void> {
  const { agentServerEntry, folder, log, signal, confinement } = options
  if (!agentServerEntry || !config.isTyped) return
  if (!hasCompiler(config.file))
    return log(
      'INFO',
      `${UNKNOWN}: \`typescript\` is not among the packages of the source. Forms take text or JSON for fields that no schema declares.`,
    )
  const began = Date.now()
  let reason: string | undefined
  try {
    await runCommand([process.execPath, agentServerEntry, 'types', config.file], {
      label: 'The compiler',
      cwd: path.dirname(config.file),
      env: { ...options.env, ...options.confinedEnv },
      timeoutMs: TIMEOUT_MS,
      signal,
      onLine(line) {
        if (/error/i.test(line)) reason ??= line
      },
      confinement,
      writable: [folder],
    })
    log('INFO', `Read the types of the graphs' fields in ${((Date.now() - began) / 1000).toFixed(1)} s.`)
  } catch (error) {
    if (!(error instanceof BuildError)) throw error
    const why = [error.message, reason].filter(Boolean).join(' ')
    log('INFO', `${UNKNOWN}: ${why}`)
  }
}

function hasCompiler(configFile: string): boolean {
  try {
    createRequire(configFile).resolve('typescript')
    return true
  } catch {
    return false
  }
}
