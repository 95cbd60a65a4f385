// npm run test:subpath [-- --copy FOLDER]: starts a copy of this checkout as an operator does whose console is below a path of
// another site, behind a proxy that has the other site at its top, and goes through it with a browser. The copy is in a
// temporary folder, or kept in FOLDER, with its build, for the next time. PORT is the proxy's; the console has the next one.
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { cleanEnv, ensureDependencies, root, run } from '../../../bootstrap.mjs'
import { ensureChromium } from '../../../chromium.mjs'
import { pathProxy } from '../../../proxies/path-proxy.mjs'

const PATH = '/pilothouse'
/** For the start, on a busy machine. */
const PATIENCE_MS = 5 * 60_000
const { values } = parseArgs({ options: { copy: { type: 'string' } } })
const port = Number(process.env.PORT || 3190)
const consolePort = port + 1
const temporary = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-sub-path-'))
// As root, PostgreSQL's own user has to enter it.
chmodSync(temporary, 0o755)
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }))
const copy = path.resolve(values.copy ?? path.join(temporary, 'copy'))
const data = path.join(temporary, 'data')
const url = `http://localhost:${port}${PATH}`
const say = (line) => console.log(`[sub-path] ${line}`)

/** All files of the checkout as they are, and its packages. What an earlier start has built there stays. */
function copyCheckout() {
  mkdirSync(copy, { recursive: true })
  for (const name of readdirSync(copy))
    if (!['node_modules', '.next', '.build'].includes(name))
      rmSync(path.join(copy, name), { recursive: true, force: true })
  const listed = spawnSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], {
    ...{ cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  })
  if (listed.status !== 0) throw new Error(`This is not a git checkout: ${listed.stderr}`)
  for (const file of listed.stdout.split('\0').filter((one) => one && existsSync(path.join(root, one))))
    cpSync(path.join(root, file), path.join(copy, file), { recursive: true })
  // As links of the same files where that works; otherwise npm start installs them.
  const packages = path.join(copy, 'node_modules')
  if (!existsSync(packages) && spawnSync('cp', ['-al', path.join(root, 'node_modules'), packages]).status !== 0)
    rmSync(packages, { recursive: true, force: true })
}

/** Until the console answers below its path, through the proxy. */
async function untilReady(product) {
  for (const ends = Date.now() + PATIENCE_MS; Date.now() < ends; await sleep(500)) {
    if (product.exitCode !== null) throw new Error(`npm start ended with ${product.exitCode}.`)
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    if (answer?.ok) return
  }
  throw new Error('The console did not become ready.')
}

const end = (child) =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve(undefined)
    child.once('exit', resolve)
    child.kill('SIGTERM')
  })

ensureDependencies()
say(`copying the checkout to ${copy}`)
copyCheckout()
// The documentation too, which npm start would build while it serves.
if (!run(process.execPath, ['scripts/launch/prebuild.mjs'], { cwd: copy, env: cleanEnv({ NEXTAUTH_URL: url }) }))
  process.exit(1)
const proxy = await pathProxy({ path: PATH, port, consolePort })
const product = spawn(process.execPath, ['scripts/start.mjs'], {
  cwd: copy,
  stdio: 'inherit',
  env: cleanEnv({
    ...{ NEXTAUTH_URL: url, PORT: String(consolePort), PILOTHOUSE_DATA: data, TRUSTED_PROXIES: '127.0.0.1' },
    ...{ PILOTHOUSE_ADMIN_EMAIL: 'admin@example.com', PILOTHOUSE_ADMIN_PASSWORD: 'correct horse battery staple' },
  }),
})
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.once(signal, () => product.kill(signal))
try {
  await untilReady(product)
  const browser = spawn(
    process.execPath,
    ['node_modules/@playwright/test/cli.js', 'test', '--config', 'scripts/checks/servers/sub-path'],
    {
      cwd: root,
      stdio: 'inherit',
      env: cleanEnv({ SUB_PATH_URL: url, CONSOLE_PORT: String(consolePort), CHROMIUM: ensureChromium() }),
    },
  )
  process.exitCode = await new Promise((resolve) => browser.once('exit', (code) => resolve(code ?? 1)))
  say(process.exitCode === 0 ? `the console works below ${PATH}` : 'FAILED')
} finally {
  await end(product)
  proxy.close()
}
