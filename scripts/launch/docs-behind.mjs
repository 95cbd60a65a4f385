import { spawn } from 'node:child_process'
import os from 'node:os'
import { cleanEnv, root } from '../bootstrap.mjs'

/** Builds the documentation while the console already serves, with low priority. A failure is told; nothing waits for it. */
export function buildDocsBehind() {
  const code = "import('./scripts/bootstrap.mjs').then((boot) => process.exit(boot.ensureDocs() ? 0 : 1))"
  const child = spawn(process.execPath, ['-e', code], { cwd: root, env: cleanEnv(), stdio: 'ignore' })
  if (child.pid) os.setPriority(child.pid, os.constants.priority.PRIORITY_LOW)
  child.once('error', () => {})
  child.once('exit', (code) => {
    if (code) console.log('[start] The documentation could not be built. node scripts/docs/build.mjs tells why.')
  })
  process.once('exit', () => child.kill())
}
