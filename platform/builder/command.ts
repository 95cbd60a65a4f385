import { spawn } from 'node:child_process'
import { asProcessEnv } from '../env'
import { readLines } from './lines'

/** A reason that belongs in the build log as it stands. */
export class BuildError extends Error {
  override name = 'BuildError'
}

export type CommandOptions = {
  /** What the log calls the command. */
  label: string
  cwd: string
  env: Record<string, string>
  timeoutMs: number
  signal: AbortSignal
  onLine(line: string, isError: boolean): void
}

/**
 * Stands between us and the command, in a process group that ends as a whole: on our word, and by itself when we are
 * gone (kill -9), so that no install keeps running that nobody waits for.
 */
const GUARD = `
const { spawn } = require('node:child_process')
const [file, ...args] = JSON.parse(process.argv[1])
const child = spawn(file, args, { stdio: ['ignore', 'inherit', 'inherit'] })
const end = () => process.kill(-process.pid, 'SIGKILL')
process.once('disconnect', end)
child.once('error', (error) => { process.send({ error: error.message }, end) })
child.once('exit', (code, signal) => { process.send({ code, signal }, end) })
`

type Outcome = { code?: number | null; signal?: string | null; error?: string }

/** Runs a program to its end. Rejects with a BuildError unless it ends with 0; with the signal's reason when aborted. */
export async function runCommand(argv: readonly string[], options: CommandOptions): Promise<void> {
  const { label, cwd, env, timeoutMs, signal, onLine } = options
  signal.throwIfAborted()
  const guard = spawn(process.execPath, ['-e', GUARD, '--', JSON.stringify(argv)], {
    cwd,
    env: asProcessEnv(env),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let outcome: Outcome = {}
  let isLate = false
  guard.on('message', (message) => {
    outcome = message as Outcome
  })
  readLines(guard.stdout as NonNullable<typeof guard.stdout>, (line) => onLine(line, false))
  readLines(guard.stderr as NonNullable<typeof guard.stderr>, (line) => onLine(line, true))

  const kill = () => {
    try {
      if (guard.pid) process.kill(-guard.pid, 'SIGKILL')
    } catch {
      // gone in the meantime
    }
  }
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, timeoutMs)
  signal.addEventListener('abort', kill, { once: true })
  try {
    // 'close', not 'exit': the last lines are still on their way when the process is gone.
    await new Promise<void>((resolve, reject) => guard.once('error', reject).once('close', () => resolve()))
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', kill)
    kill()
  }
  signal.throwIfAborted()
  if (isLate) throw new BuildError(`${label} did not end within ${Math.round(timeoutMs / 1000)} s.`)
  if (outcome.error) throw new BuildError(`${label} cannot be started: ${outcome.error}`)
  if (outcome.code !== 0)
    throw new BuildError(`${label} ended with ${outcome.code ?? outcome.signal ?? 'no exit code'}.`)
}
