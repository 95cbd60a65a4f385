// The platform as a separate process, as `npm start` runs it, for tests that load or kill it.
import { spawn } from 'node:child_process'
import { env } from 'node:process'
import { handOver } from '../../scripts/secrets.mjs'

/**
 * Starts the bundled platform, of another version with its `folder`; resolves once it responds, rejects when it ends before.
 * @param {{ dataDir: string, databaseUrl: string, agentServer?: string, settings?: Record<string, string>, stdio?: 'inherit' | 'ignore' | 'pipe', uid?: number, folder?: string }} options
 */
export async function startProgram({
  dataDir,
  databaseUrl,
  agentServer,
  settings = {},
  stdio = 'inherit',
  uid,
  folder,
}) {
  const child = spawn(process.execPath, ['--enable-source-maps', '.build/platform.mjs'], {
    ...(folder && { cwd: folder }),
    env: {
      ...env,
      PILOTHOUSE_DATA: dataDir,
      PILOTHOUSE_SECRETS_FD: '4',
      ...(agentServer && { PILOTHOUSE_AGENT_SERVER: agentServer }),
      PILOTHOUSE_SAMPLES: 'false',
      NODE_ENV: 'production',
      ...settings,
    },
    stdio: ['ignore', stdio, stdio, 'ipc', 'pipe'],
    ...(uid !== undefined && { uid, gid: uid }),
  })
  void handOver(child, { DATABASE_URL: databaseUrl })
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  /** @type {Promise<{ url: string, apiKey: string }>} */
  const said = new Promise((resolve) => child.once('message', (/** @type {any} */ { ready }) => resolve(ready)))
  const ready = await Promise.race([
    said,
    ended.then((code) => Promise.reject(new Error(`The platform ended with ${code}.`))),
  ])
  return { child, ready, ended }
}
