// A gateway that runs apart, as a process of its own.
import { spawn } from 'node:child_process'
import { env } from 'node:process'

/**
 * Starts the bundled gateway; resolves once it listens, rejects when it ends before.
 * @param {Record<string, string>} settings
 */
export async function startGatewayProgram(settings) {
  const child = spawn(process.execPath, ['--enable-source-maps', '.build/gateway.mjs'], {
    env: { ...env, NODE_ENV: 'production', PILOTHOUSE_GATEWAY_PORT: '0', ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  /** @type {Promise<{ url: string }>} */
  const said = new Promise((resolve) => child.once('message', (/** @type {any} */ { ready }) => resolve(ready)))
  /** @type {Promise<number | null>} */
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  const { url } = await Promise.race([
    said,
    ended.then((code) => Promise.reject(new Error(`The gateway ended with ${code}.`))),
  ])
  return { child, url, ended }
}
