import { spawn } from 'node:child_process'
import os from 'node:os'
import { cleanEnv, root } from '../bootstrap.mjs'

/** Builds the documentation while the console already serves, with low priority. A failure is told; nothing waits for it. */
export function buildDocsBehind() {
  // In its own group, so that the programs it waits for end with it.
  const child = spawn(process.execPath, ['scripts/docs/ensure.mjs'], {
    cwd: root,
    env: cleanEnv(),
    stdio: 'ignore',
    detached: true,
  })
  const { pid } = child
  if (pid) os.setPriority(pid, os.constants.priority.PRIORITY_LOW)
  child.once('error', () => {})
  child.once('exit', (code) => {
    if (code) console.log('[start] The documentation could not be built. node scripts/docs/build.mjs tells why.')
  })
  process.once('exit', () => {
    if (pid && child.exitCode === null && child.signalCode === null) process.kill(-pid)
  })
}
