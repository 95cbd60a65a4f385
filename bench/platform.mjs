import { fork } from 'node:child_process'
import path from 'node:path'
import { cleanEnv, root } from '../scripts/bootstrap.mjs'

/** Starts the bundled platform without its samples. Resolves once it responds. */
export function startPlatform(dataDir, databaseUrl) {
  const child = fork(path.join(root, '.build/platform.mjs'), {
    cwd: root,
    env: cleanEnv({ PILOTHOUSE_DATA: dataDir, DATABASE_URL: databaseUrl, PILOTHOUSE_SAMPLES: 'false' }),
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return new Promise((resolve, reject) => {
    child.once('message', (/** @type {any} */ { ready }) =>
      resolve({ ...ready, pid: child.pid, stop: () => child.kill('SIGTERM') && ended }),
    )
    void ended.then((code) => reject(new Error(`The platform ended with ${code}.`)))
  })
}
