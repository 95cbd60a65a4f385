import { readLines } from '../kernel/lines'
import { watchProcessGroup } from '../kernel/reaper'
import { type Confinement, UNCONFINED } from '../sandbox/confinement'

/** A reason that goes into the build log verbatim. */
export class BuildError extends Error {
  override name = 'BuildError'
}

/** How long a program's output is read after it exits. */
const LAST_WORDS_MS = 1000

export type CommandOptions = {
  /** The command's name in the log. */
  label: string
  cwd: string
  env: Record<string, string>
  timeoutMs: number
  signal: AbortSignal
  onLine(line: string, isError: boolean): void
  /** For programs that run a source's code; absent: with the platform's rights. */
  confinement?: Confinement | undefined
  /** Folders that a confined program may write. */
  writable?: readonly string[]
}

/**
 * Runs a program in its own process group, which ends as a whole. Rejects with a BuildError unless it exits with 0, or
 * with the signal's reason when aborted.
 */
export async function runCommand(argv: readonly [string, ...string[]], options: CommandOptions): Promise<void> {
  const { label, cwd, env, timeoutMs, signal, onLine } = options
  signal.throwIfAborted()
  const { confinement = UNCONFINED, writable = [] } = options
  const child = confinement.spawn(argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], writable })
  const release = watchProcessGroup(child.pid, 'now')
  if (child.stdout) readLines(child.stdout, (line) => onLine(line, false))
  if (child.stderr) readLines(child.stderr, (line) => onLine(line, true))

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
  // Background processes would keep the output open forever, even after their group is killed if they left it.
  child.once('exit', () => {
    kill()
    lastWords = setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    }, LAST_WORDS_MS)
  })
  const [code, killedBy] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once('error', (error) => reject(new BuildError(`${label} cannot be started: ${error.message}`)))
    // 'close', not 'exit': the last lines may arrive after the process has exited.
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
