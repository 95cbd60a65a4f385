// The real console for the live benches: the production build with its own database, the upstream stub, and a signed-in
// user. Runs are started as the page does it, by the server action's id from the build.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cleanEnv, ensureBuild, ensureDependencies, root } from '../../scripts/bootstrap.mjs'
import { freePort, until } from '../next-app.mjs'
import { DEPLOYMENT, deploymentPath, WORKSPACE } from './events.mjs'

const admin = { email: 'admin@example.com', password: 'correct horse battery staple' }

/** Cookies of the responses so far, as one header. */
class Cookies {
  #values = new Map()
  async fetch(url, init = {}) {
    const headers = { ...init.headers, cookie: this.header }
    const response = await fetch(url, { redirect: 'manual', ...init, headers })
    for (const one of response.headers.getSetCookie()) {
      const [pair] = one.split(';')
      this.#values.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    return response
  }
  get header() {
    return [...this.#values].map(([name, value]) => `${name}=${value}`).join('; ')
  }
  get list() {
    return [...this.#values].map(([name, value]) => ({ name, value }))
  }
}

async function signIn(url) {
  const cookies = new Cookies()
  const { csrfToken } = await (await cookies.fetch(`${url}/api/auth/csrf`)).json()
  const response = await cookies.fetch(`${url}/api/auth/callback/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: url },
    body: new URLSearchParams({ ...admin, csrfToken, callbackUrl: url, json: 'true' }),
  })
  await response.text()
  if (!cookies.list.some(({ name }) => name.endsWith('session')))
    throw new Error(`Signing in was refused: ${response.status}.`)
  return cookies
}

function actionId(file, name) {
  const { node } = JSON.parse(readFileSync(path.join(root, '.next/server/server-reference-manifest.json'), 'utf8'))
  const found = Object.entries(node).find(([, one]) => one.filename === file && one.exportedName === name)
  if (!found) throw new Error(`The build has no action ${name} of ${file}.`)
  return found[0]
}

/**
 * Gives `{ url, pid, cookies, startRun(input, body, deployment), live(recording), pageOf(recording), end() }`. With `preload`, a module
 * that is loaded first, the console runs without its launcher, so `env` has to name a database.
 * @param {{ url: string }} upstream
 * @param {Record<string, string>} [env]
 * @param {string} [preload]
 */
export async function startConsole(upstream, env = {}, preload) {
  // Otherwise the launcher would install them, which takes longer than the wait below.
  ensureDependencies()
  ensureBuild()
  const data = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-bench-'))
  const port = await freePort()
  const url = `http://localhost:${port}`
  const next = ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', String(port)]
  const child = spawn(process.execPath, preload ? ['--require', preload, ...next] : ['scripts/start.mjs'], {
    cwd: root,
    env: cleanEnv({
      ...(preload && { NODE_ENV: 'production' }),
      PORT: String(port),
      NEXTAUTH_URL: url,
      PILOTHOUSE_DATA: data,
      PILOTHOUSE_ADMIN_EMAIL: admin.email,
      PILOTHOUSE_ADMIN_PASSWORD: admin.password,
      CONTROL_PLANE_URL: upstream.url,
      ALLOWED_UPSTREAMS: upstream.url,
      DATABASE_URL: '',
      ...env,
    }),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  const end = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true, maxRetries: 5 })
  }
  const cookies = await until(`${url}/readyz`)
    .then(() => signIn(url))
    .catch(async (error) => {
      await end()
      throw error
    })
  const startRunId = actionId('lib/actions/runs.ts', 'startRun')

  async function startRun(input, more = {}, deploymentId = DEPLOYMENT) {
    const body = { assistant_id: DEPLOYMENT, input, stream_resumable: false, stream_mode: ['custom', 'messages-tuple'] }
    const given = {
      workspace: WORKSPACE,
      deploymentId,
      thread: { kind: 'new' },
      body: { ...body, ...more },
    }
    const response = await cookies.fetch(`${url}${deploymentPath}/runs/new`, {
      method: 'POST',
      headers: {
        'next-action': startRunId,
        'content-type': 'text/plain;charset=UTF-8',
        accept: 'text/x-component',
        origin: url,
      },
      body: JSON.stringify([given]),
    })
    const text = await response.text()
    // Rows of the response are `number:JSON`; the second one is the action's result.
    const row = text.split('\n').find((line) => line.startsWith('1:'))
    const started = row && JSON.parse(row.slice(2))
    if (!started?.ok) throw new Error(`The run was not started: ${response.status} ${text.slice(0, 500)}`)
    return started.data
  }

  return {
    url,
    pid: child.pid,
    cookies,
    startRun,
    /** The request with which a reader follows a recording from its start. */
    live: (recording) => ({
      url: `${url}/api/live`,
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', origin: url, cookie: cookies.header },
      body: JSON.stringify({
        subscriptions: [{ id: `r:${recording}`, workspace: WORKSPACE, kind: 'recording', recording, cursor: 0 }],
      }),
    }),
    pageOf: (recording) => `${url}${deploymentPath}/runs/${recording}`,
    end,
  }
}
