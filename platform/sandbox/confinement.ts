import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import type { Writable } from 'node:stream'
import { asProcessEnv } from '../kernel/env'

export type ConfinedOptions = {
  cwd: string
  /** The program's environment. The wrappers that confine it treat it as data, so no variable in it affects them. */
  env: Record<string, string>
  /** Like `spawn`'s, except that the input is always empty. */
  stdio: Exclude<StdioOptions, string>
  /** Folders that the program may write to, in addition to `/tmp`. They exist and belong to the deployment. */
  writable: readonly string[]
}

/** How the programs of one deployment are started. */
export type Confinement = {
  /** Starts a program as the leader of its own process group. */
  spawn(argv: readonly [string, ...string[]], options: ConfinedOptions): ChildProcess
  /** The process id of the program itself, in case `child` is a wrapper. */
  programOf(child: ChildProcess): number | undefined
  /** Makes the deployment the owner of a folder that the platform created. */
  give(folder: string): Promise<void>
  /** Kills leftover processes of this deployment, except in the groups that `kept` lead. */
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
 * Runs in place of the confined program: reads its environment from the input, so that variables such as LD_PRELOAD
 * never reach the wrappers, and stays to reap orphans.
 */
export const RUN_SCRIPT = 'eval "$(cat)"; exec 9>&2 2>/dev/null; "$@" </dev/null 2>&9 9>&-; exit $?'

/** Names that a shell cannot set, or that change how the shell itself works. */
const FOR_ENV = /^(?![A-Za-z_]\w*$)|^(PPID|E?UID|BASHOPTS|SHELLOPTS|BASH_\w+|OPTIND|IFS|_)$/
/** As one word of a shell. */
export const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** Passes a program that runs `RUN_SCRIPT` its environment. */
export function handEnvironment(child: ChildProcess, env: Record<string, string>): void {
  const input = child.stdin as Writable
  // If the program ended before reading it, its exit is reported.
  input.on('error', () => {})
  const lines: string[] = []
  const others: string[] = []
  for (const [name, value] of Object.entries(env))
    if (FOR_ENV.test(name)) others.push(quote(`${name}=${value}`))
    else lines.push(`export ${name}=${quote(value)}`)
  if (others.length) lines.push(`set -- env -- ${others.join(' ')} "$@"`)
  input.end(`${lines.join('\n')}\n`)
}
