import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

// The watcher kills the program, which has the shell's process number, once the pipe from its parent is closed.
const RUN = '(read -r line; kill -9 $$) <&3 >/dev/null 2>&1 & exec "$0" "$@" 3<&-'

export type BoundProcess = ChildProcess & { stdout: Readable; stderr: Readable }

/** Starts a program that ends with this process, however it ends. A test runner kills its workers after a time-out. */
export function runBound(program: string, args: string[], cwd: string): BoundProcess {
  const child = spawn('sh', ['-c', RUN, program, ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] })
  // Closed at once, so that the watcher never meets a process that got the number later.
  child.once('exit', () => child.stdio[3]?.destroy())
  return child as unknown as BoundProcess
}
