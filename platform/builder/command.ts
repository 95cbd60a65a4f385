import { spawn } from 'node:child_process'
import { asProcessEnv } from '../kernel/env'
import { readLines } from '../kernel/lines'
import { watchProcessGroup } from '../kernel/reaper'

/** A reason that belongs in the build log as it stands. */
export class BuildError extends Error {
  override name = 'BuildError'
}

/** How long after a program's end its output may still be read. */
const LAST_WORDS_MS = 1000

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
 * Runs a program to its end, in a process group that ends as a whole. Rejects with a BuildError unless it ends with 0;
 * with the signal's reason when aborted.
 */
export async function runCommand(argv: readonly [string, ...string[]], options: CommandOptions): Promise<void> {
  const { label, cwd, env, timeoutMs, signal, onLine } = options
  signal.throwIfAborted()
  const [file, ...args] = argv
  const child = spawn(file, args, { cwd, env: asProcessEnv(env), detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const release = watchProcessGroup(child.pid, 'now')
  readLines(child.stdout, (line) => onLine(line, false))
  readLines(child.stderr, (line) => onLine(line, true))

  const kill = () => {
    try {
      if (child.pid) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // gone in the meantime
    }
  }
  let isLate = false
  let lastWords: NodeJS.Timeout | undefined
  const timer = setTimeout(() => {
    isLate = true
    kill()
  }, timeoutMs)
  signal.addEventListener('abort', kill, { once: true })
  // What it left running in the background would keep its output open for ever; what left the group even then.
  child.once('exit', () => {
    kill()
    lastWords = setTimeout(() => {
      child.stdout.destroy()
      child.stderr.destroy()
    }, LAST_WORDS_MS)
  })
  const [code, killedBy] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once('error', (error) => reject(new BuildError(`${label} cannot be started: ${error.message}`)))
    // 'close', not 'exit': the last lines are still on their way when the process is gone.
    child.once('close', (...outcome) => resolve(outcome))
  }).finally(() => {
    clearTimeout(timer)
    clearTimeout(lastWords)
    signal.removeEventListener('abort', kill)
    release()
  })
  signal.throwIfAborted()
  if (isLate) throw new BuildError(`${label} did not end within ${Math.round(timeoutMs / 1000)} s.`)
  if (code !== 0) throw new BuildError(`${label} ended with ${code ?? killedBy}.`)
}
