// `npm start`: from a fresh clone to a serving console. `--dev` serves the sources, `--platform-only` only the embedded
// platform. Needs nothing installed; Ctrl-C ends everything.
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { ensureBuild, ensureDependencies, ensurePlatform, root } from './bootstrap.mjs'
import { keptSecret, lockDataFolder } from './data-folder.mjs'
import { supervise } from './supervise.mjs'

const isDev = process.argv.includes('--dev')
const isPlatformOnly = process.argv.includes('--platform-only')
const port = process.env.PORT || '3000'
const host = process.env.HOST || '127.0.0.1'
const data = path.resolve(root, process.env.PILOTHOUSE_DATA || '.data')

/** Secrets in our environment that only the console needs. */
const CONSOLE_SECRETS = Object.fromEntries(
  [
    'CONTROL_PLANE_API_KEY',
    'CONTROL_PLANE_TOKEN',
    'AGENT_SERVER_API_KEY',
    'TRACES_API_KEY',
    'OIDC_CLIENT_SECRET',
    'PILOTHOUSE_SEALING_KEY',
    'PILOTHOUSE_ADMIN_PASSWORD',
  ].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
)

function refuse(message) {
  console.error(`[start] ${message}`)
  process.exit(1)
}
const isFree = (wanted) =>
  new Promise((resolve) => {
    const probe = createServer().once('error', () => resolve(false))
    probe.listen(Number(wanted), host, () => probe.close(() => resolve(true)))
  })

/** Whether a server responds at all, even with an error. */
const isUp = (address) =>
  fetch(address, { signal: AbortSignal.timeout(1000) }).then(
    () => true,
    () => false,
  )

if (!/^\d+$/.test(port) || Number(port) > 65535) refuse(`PORT is "${port}": give a number from 1 to 65535.`)
if (!isPlatformOnly && !(await isFree(port)))
  refuse(`Port ${port} is taken by another program. End it, or choose another port: PORT=3001 npm start`)

ensureDependencies()
const attached = (process.env.AGENT_SERVER_URL ?? '').split(/[\s,]+/).filter(Boolean)
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
const given = process.env.DATABASE_URL
let addresses = { consoleUrl: given, platformUrl: given }
if (!given) {
  const said = existsSync(path.join(data, 'postgres')) ? 'starting the database' : 'creating the database (first start)'
  console.log(`[start] ${said}`)
  addresses = await add('the database', ['scripts/database.mjs', data], { tier: 0 }).first
}

const env = { PILOTHOUSE_DATA: data }
const secrets = { DATABASE_URL: addresses.consoleUrl }
if (needsPlatform) {
  console.log('[start] starting the embedded platform')
  const none = Object.fromEntries(Object.keys(CONSOLE_SECRETS).map((name) => [name, undefined]))
  const platform = add('the platform', ['--enable-source-maps', '.build/platform.mjs'], {
    env: { ...env, ...none },
    secrets: { DATABASE_URL: addresses.platformUrl },
    isKept: true,
  })
  const { ready } = await platform.first
  if (isPlatformOnly)
    console.log(
      `[start] control plane at ${ready.url}; its API key is in ${path.relative('', path.join(data, 'platform.json'))}`,
    )
  else {
    Object.assign(env, { CONTROL_PLANE_URL: ready.url, PILOTHOUSE_WORKSPACE_KIND: 'embedded' })
    Object.assign(secrets, { CONTROL_PLANE_API_KEY: ready.apiKey })
  }
}

if (!isPlatformOnly) {
  console.log('[start] starting the console')
  const address = process.env.NEXTAUTH_URL || `http://localhost:${port}`
  const next = ['--import', './scripts/inherit-secrets.mjs', 'node_modules/next/dist/bin/next']
  add('the console', [...next, isDev ? 'dev' : 'start', '-H', host, '-p', port], {
    env: {
      ...env,
      NODE_ENV: isDev ? 'development' : 'production',
      NEXTAUTH_URL: address,
    },
    secrets: {
      ...CONSOLE_SECRETS,
      ...secrets,
      // A new secret at each start would sign out all users.
      NEXTAUTH_SECRET: process.env.NEXTAUTH_SECRET || keptSecret(data, 'session-secret'),
    },
  })
  const firstSignIn = path.join(data, 'first-sign-in.txt')
  const isFirst = !existsSync(firstSignIn)
  let last = 'no response yet'
  for (;;) {
    const response = await fetch(`http://${host.includes(':') ? `[${host}]` : host}:${port}/readyz`).catch(
      () => undefined,
    )
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
  if (existsSync(firstSignIn)) {
    const kept = path.relative('', firstSignIn) || firstSignIn
    if (isFirst)
      console.log(
        `\n${readFileSync(firstSignIn, 'utf8').trim().replace(/^/gm, '  ')}\n  (kept in ${kept}; shown this once)\n`,
      )
    else console.log(`  The first sign-in is in ${kept}\n`)
  }
}
