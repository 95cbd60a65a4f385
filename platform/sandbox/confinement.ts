import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { asProcessEnv } from '../kernel/env'

export type ConfinedOptions = {
  cwd: string
  /** The program's environment. It is data for the steps that confine the program: nothing in it affects them. */
  env: Record<string, string>
  /** As of `spawn`; the input is always empty. */
  stdio: Exclude<StdioOptions, string>
  /** Folders that the program may write, in addition to `/tmp`. They exist and belong to the deployment. */
  writable: readonly string[]
}

/** How the programs of one deployment are started. */
export type Confinement = {
  /** Starts a program that leads a process group of its own. */
  spawn(argv: readonly [string, ...string[]], options: ConfinedOptions): ChildProcess
  /** The process number of the program itself, where `child` is a step that confines it. */
  programOf(child: ChildProcess): number | undefined
  /** Gives a folder that the platform made to the deployment. */
  give(folder: string): Promise<void>
  /** Ends what programs of this deployment left behind; groups that are led by one of `kept` go on. */
  endStrays(kept: readonly number[]): Promise<void>
}

/** Programs run as the platform itself does. */
export const UNCONFINED: Confinement = {
  spawn: ([file, ...args], { cwd, env, stdio }) =>
    spawn(file, args, { cwd, env: asProcessEnv(env), stdio, detached: true }),
  programOf: (child) => child.pid,
  give: async () => {},
  endStrays: async () => {},
}

/**
 * Runs in the confined program's place: takes its environment from the input, so that no variable such as LD_PRELOAD reaches
 * the steps that confine it, and stays as the process that takes in orphans.
 */
export const RUN_SCRIPT = 'eval "$(cat)"; exec 9>&2 2>/dev/null; "$@" </dev/null 2>&9 9>&-; exit $?'

/** Names that a shell cannot set, or not without effect on itself. */
const FOR_ENV = /^(?![A-Za-z_]\w*$)|^(PPID|E?UID|BASHOPTS|SHELLOPTS|BASH_\w+|OPTIND|IFS|_)$/
const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Hands a program that runs `RUN_SCRIPT` its environment. */
export function handEnvironment(child: ChildProcess, env: Record<string, string>): void {
  const input = child.stdin as Writable
  // A program that ended before it read them is reported by its exit.
  input.on('error', () => {})
  const lines: string[] = []
  const others: string[] = []
  for (const [name, value] of Object.entries(env))
    if (FOR_ENV.test(name)) others.push(quote(`${name}=${value}`))
    else lines.push(`export ${name}=${quote(value)}`)
  if (others.length) lines.push(`set -- env -- ${others.join(' ')} "$@"`)
  input.end(`${lines.join('\n')}\n`)
}
