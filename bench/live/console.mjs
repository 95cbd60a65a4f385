// The real console for the live benches: the production build with its own database, the upstream stub, and a signed-in
// user. Runs are started as the page does it, by the server action's id from the build.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
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

async function signIn(address, url = address) {
  const cookies = new Cookies()
  const { csrfToken } = await (await cookies.fetch(`${address}/api/auth/csrf`)).json()
  const response = await cookies.fetch(`${address}/api/auth/callback/credentials`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: url },
    body: new URLSearchParams({ ...admin, csrfToken, callbackUrl: url, json: 'true' }),
  })
  await response.text()
  if (!cookies.list.some(({ name }) => name.endsWith('session')))
    throw new Error(`Signing in was refused: ${response.status}.`)
  return cookies
}

/** Finds a server action's id in the build of `folder`. */
function actionIds(folder) {
  const { node } = JSON.parse(readFileSync(path.join(folder, '.next/server/server-reference-manifest.json'), 'utf8'))
  return (file, name) => {
    const found = Object.entries(node).find(([, one]) => one.filename === file && one.exportedName === name)
    if (!found) throw new Error(`The build has no action ${name} of ${file}.`)
    return found[0]
  }
}

/**
 * Gives `{ url, address, pid, cookies, signIn(), act(file, name, argument), startRun(input, body, deployment), follow(subscriptions, cookies),
 * live(recording), pageOf(recording), end() }`. `act` calls a server action and returns its data. With `preload`, a module that is
 * loaded first, the console runs without its launcher, so `env` has to name a database. `folder` holds another version, already
 * built; `onLine` gets what the console writes. Through `publicUrl`, a proxy, people reach it instead of at its own `address`.
 * @param {{ url: string }} upstream
 * @param {Record<string, string>} [env]
 * @param {string} [preload]
 * @param {{ folder?: string, onLine?: (line: string) => void, publicUrl?: string }} [more]
 */
export async function startConsole(upstream, env = {}, preload, { folder = root, onLine, publicUrl } = {}) {
  // Otherwise the launcher would install them, which takes longer than the wait below.
  if (folder === root) {
    ensureDependencies()
    ensureBuild()
  }
  const data = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-bench-'))
  const port = await freePort()
  const address = `http://localhost:${port}`
  const url = publicUrl ?? address
  const next = ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', String(port)]
  const child = spawn(process.execPath, preload ? ['--require', preload, ...next] : ['scripts/start.mjs'], {
    cwd: folder,
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
    stdio: onLine ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'ignore', 'inherit'],
  })
  for (const input of [child.stdout, child.stderr]) if (input && onLine) createInterface({ input }).on('line', onLine)
  const ended = once(child, 'exit')
  const end = async () => {
    child.kill('SIGTERM')
    await ended
    rmSync(data, { recursive: true, force: true, maxRetries: 5 })
  }
  const cookies = await until(`${address}/readyz`)
    .then(() => signIn(address, url))
    .catch(async (error) => {
      await end()
      throw error
    })
  const actionId = actionIds(folder)

  async function act(file, name, argument) {
    const response = await cookies.fetch(`${url}${deploymentPath}/runs/new`, {
      method: 'POST',
      headers: {
        'next-action': actionId(file, name),
        'content-type': 'text/plain;charset=UTF-8',
        accept: 'text/x-component',
        origin: url,
      },
      body: JSON.stringify([argument]),
    })
    const text = await response.text()
    // Rows of the response are `number:JSON`; the second one is the action's result.
    const row = text.split('\n').find((line) => line.startsWith('1:'))
    const result = row && JSON.parse(row.slice(2))
    if (!result?.ok) throw new Error(`${name} was refused: ${response.status} ${text.slice(0, 500)}`)
    return result.data
  }

  function startRun(input, more = {}, deploymentId = DEPLOYMENT) {
    const body = { assistant_id: DEPLOYMENT, input, stream_resumable: false, stream_mode: ['custom', 'messages-tuple'] }
    const given = {
      workspace: WORKSPACE,
      deploymentId,
      thread: { kind: 'new' },
      body: { ...body, ...more },
    }
    return act('lib/actions/runs.ts', 'startRun', given)
  }

  /** The request with which a browser follows what these subscriptions name. */
  const follow = (subscriptions, { header } = cookies) => ({
    url: `${url}/api/live`,
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', origin: url, cookie: header },
    body: JSON.stringify({ subscriptions: subscriptions.map((one) => ({ workspace: WORKSPACE, ...one })) }),
  })

  return {
    url,
    address,
    pid: child.pid,
    cookies,
    signIn: () => signIn(address, url),
    act,
    startRun,
    follow,
    /** The request with which a reader follows a recording from its start. */
    live: (recording) => follow([{ id: `r:${recording}`, kind: 'recording', recording, cursor: 0 }]),
    pageOf: (recording) => `${url}${deploymentPath}/runs/${recording}`,
    end,
  }
}
