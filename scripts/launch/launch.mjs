// Starts Pilothouse and prints where it is: shared by `npm start` and the `pilothouse` command. Settings are environment
// variables; Ctrl-C ends everything.
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import {
  areDocsStale,
  buildBelow,
  ensureBuild,
  ensureDependencies,
  ensurePlatform,
  isPackaged,
  root,
} from '../bootstrap.mjs'
import { keptSecret, lockDataFolder, shownPath } from '../data-folder.mjs'
import { databaseHome, leaveBehind } from '../postgres.mjs'
import { CONSOLE_SECRETS } from '../secrets.mjs'
import { buildDocsBehind } from './docs-behind.mjs'
import { openInBrowser } from './open-browser.mjs'
import { supervise } from './supervise.mjs'

/** With one of these, the operator has decided who signs in, and where. */
const SIGN_IN_SETTINGS = ['PILOTHOUSE_ADMIN_PASSWORD', 'OIDC_ISSUER', 'NEXTAUTH_URL', 'DATABASE_URL']
const MOST_PROCESSES = 64
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i

function refuse(message) {
  console.error(`[start] ${message}`)
  process.exit(1)
}
/** Those of the variables that are set. */
const environment = (names) =>
  Object.fromEntries(names.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])))
const isFree = (port, host) =>
  new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(Number(port), host, () => probe.close(() => resolve(true)))
  })
/** Whether a server responds at all, even with an error. */
const isUp = (address) =>
  fetch(address, { signal: AbortSignal.timeout(1000) }).then(
    () => true,
    () => false,
  )

/**
 * `isCommand`: started as `pilothouse`, for one person. `isDev` serves the sources, `isPlatformOnly` starts no console.
 * @param {{ isCommand?: boolean, isDev?: boolean, isPlatformOnly?: boolean, opensBrowser?: boolean }} options
 */
export async function launch({ isCommand = false, isDev = false, isPlatformOnly = false, opensBrowser = false }) {
  await import('./own-lines.mjs')
  // Deployments have users of their own, who must be able to read what is built. What is private says so itself.
  process.umask(0o022)
  const port = process.env.PORT || '3000'
  const host = process.env.HOST || '127.0.0.1'
  const data = path.resolve(root, process.env.PILOTHOUSE_DATA || '.data')
  const attached = (process.env.AGENT_SERVER_URL ?? '').split(/[\s,]+/).filter(Boolean)

  const processes = Number(process.env.PILOTHOUSE_PROCESSES || '1')
  if (!Number.isInteger(processes) || processes < 1 || processes > MOST_PROCESSES)
    refuse(`PILOTHOUSE_PROCESSES is "${process.env.PILOTHOUSE_PROCESSES}": give a number from 1 to ${MOST_PROCESSES}.`)

  const otherPort = isCommand ? 'pilothouse --port 3001' : 'PORT=3001 npm start'
  if (!/^\d+$/.test(port) || Number(port) > 65535) refuse(`PORT is "${port}": give a number from 1 to 65535.`)
  if (!isPlatformOnly && !(await isFree(port, host)))
    refuse(`Port ${port} is taken by another program. End it, or choose another port: ${otherPort}`)

  buildBelow(process.env.NEXTAUTH_URL)
  ensureDependencies()
  const needsPlatform = isPlatformOnly || (!process.env.CONTROL_PLANE_URL && attached.length === 0)
  if (needsPlatform) ensurePlatform()
  if (!isDev && !isPlatformOnly) ensureBuild()

  let unlock
  try {
    unlock = lockDataFolder(data)
  } catch (error) {
    refuse(error.message)
  }
  const { add, stop, isStopping } = supervise({ onStop: unlock })

  const began = Date.now()
  // All programs start at once. They load their code while they wait for what another one knows.
  const given = process.env.DATABASE_URL
  let addresses = Promise.resolve({ consoleUrl: given, platformUrl: given })
  if (!given) {
    const left = leaveBehind(data)
    if (left) console.log(`[start] ${data} is new; the database of the folder before it is now in ${left}`)
    const isKnown = existsSync(path.join(databaseHome(data), 'postgres'))
    console.log(`[start] ${isKnown ? 'starting the database' : 'creating the database (first start)'}`)
    addresses = add('the database', ['scripts/database.mjs', data], { tier: 0, isKept: 'if killed' }).first
  }

  const env = { PILOTHOUSE_DATA: data }
  const address =
    process.env.NEXTAUTH_URL?.replace(/\/+$/, '') || `http://localhost:${port}${process.env.PILOTHOUSE_BASE_PATH}`
  const secrets = { DATABASE_URL: addresses.then(({ consoleUrl }) => consoleUrl) }
  if (needsPlatform) {
    console.log('[start] starting the embedded platform')
    const none = Object.fromEntries(CONSOLE_SECRETS.map((name) => [name, undefined]))
    const platform = add('the platform', ['--enable-source-maps', '.build/platform.mjs'], {
      env: {
        ...env,
        ...none,
        // It names the console, if that is started too.
        ...(!isPlatformOnly && { OTEL_SERVICE_NAME: undefined }),
        PILOTHOUSE_CONSOLE_URL: isPlatformOnly ? undefined : address,
      },
      secrets: {
        DATABASE_URL: addresses.then(({ platformUrl }) => platformUrl),
        ...(given && environment(['DATABASE_DIRECT_URL'])),
        ...environment(['PILOTHOUSE_GATEWAY_KEY', 'METRICS_TOKEN', 'OTEL_EXPORTER_OTLP_HEADERS']),
      },
      isKept: true,
    })
    const known = platform.first.then(({ ready }) => ready)
    if (isPlatformOnly) {
      const { url } = await known
      const file = shownPath(path.join(data, 'platform.json'))
      console.log(`[start] control plane at ${url}; its API key is in ${file}`)
      return
    }
    Object.assign(env, { PILOTHOUSE_WORKSPACE_KIND: 'embedded' })
    Object.assign(secrets, {
      CONTROL_PLANE_URL: known.then(({ url }) => url),
      CONTROL_PLANE_API_KEY: known.then(({ apiKey }) => apiKey),
    })
  }

  console.log('[start] starting the console')
  const isForOne = (isCommand || attached.length > 0) && LOOPBACK.test(host)
  const isConfigured = SIGN_IN_SETTINGS.some((name) => process.env[name])
  const program = isPackaged
    ? ['server.js']
    : ['node_modules/next/dist/bin/next', isDev ? 'dev' : 'start', '-H', host, '-p', port]
  const imports = ['./scripts/inherit-secrets.mjs', ...(isDev ? [] : ['./scripts/launch/json-console.mjs'])]
  const signIn = process.env.PILOTHOUSE_SIGN_IN || (isForOne && !isConfigured ? 'link' : 'password')
  // A link is known to the process that made it. Served from its sources, the console also compiles itself.
  const shares = processes > 1 && !isDev && signIn !== 'link' ? ['scripts/launch/processes.mjs', String(processes)] : []
  add('the console', [...shares, ...imports.flatMap((file) => ['--import', file]), ...program], {
    env: {
      ...env,
      ...{ PORT: port, HOST: host, HOSTNAME: host },
      NODE_ENV: isDev ? 'development' : 'production',
      NEXTAUTH_URL: address,
      PILOTHOUSE_SIGN_IN: signIn,
      PILOTHOUSE_GATEWAY_KEY: undefined,
    },
    secrets: {
      ...environment(CONSOLE_SECRETS),
      ...secrets,
      // A new secret at each start would sign out all users.
      NEXTAUTH_SECRET: process.env.NEXTAUTH_SECRET || keptSecret(data, 'session-secret'),
    },
    isKept: true,
  })
  const isFirst = !existsSync(path.join(data, 'first-sign-in.txt'))
  const ready = `http://${host.includes(':') ? `[${host}]` : host}:${port}${process.env.PILOTHOUSE_BASE_PATH}/readyz`
  let last = 'no response yet'
  for (;;) {
    const response = await fetch(ready).catch(() => undefined)
    if (response?.ok) break
    const why = response ? (await response.text()).slice(0, 300) : last
    if (why !== last) console.log(`[start] the console is not ready yet: ${why}`)
    last = why
    if (isStopping()) await new Promise(() => {})
    if (Date.now() - began > 120_000) await stop('the console did not become ready within two minutes', 1)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  for (const server of attached)
    if (!(await isUp(server)))
      console.log(`[start] ${server} does not respond yet; the console connects as soon as it does`)
  console.log(`\n  Pilothouse is ready: ${address}   (${((Date.now() - began) / 1000).toFixed(1)} s)`)
  const link = describeSignIn(data, isFirst)
  if (areDocsStale()) buildDocsBehind()
  if (opensBrowser) await openInBrowser(link ?? address)
}

/** Prints how to sign in. Returns the one-time link, if there is one. */
function describeSignIn(data, isFirst) {
  const link = path.join(data, 'sign-in-link.txt')
  if (existsSync(link)) {
    const url = readFileSync(link, 'utf8').trim()
    console.log(`  Sign in (works once): ${url}\n`)
    return url
  }
  const firstSignIn = path.join(data, 'first-sign-in.txt')
  if (!existsSync(firstSignIn)) return undefined
  const kept = shownPath(firstSignIn)
  const note = readFileSync(firstSignIn, 'utf8').trim().replace(/^/gm, '  ')
  if (isFirst) console.log(`\n${note}\n  (kept in ${kept}; shown this once)\n`)
  else console.log(`  The first sign-in is in ${kept}\n`)
  return undefined
}
