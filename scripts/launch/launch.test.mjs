import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { root } from '../bootstrap.mjs'

/** Instead of the console: is ready below the path of its address only, as it was built. */
const SERVER = `
const { pathname } = new URL(process.env.NEXTAUTH_URL)
const isReady = (url) => url === '/ops/console/readyz' && pathname === '/ops/console'
require('node:http')
  .createServer((request, response) => response.writeHead(isReady(request.url) ? 200 : 503).end(pathname))
  .listen(Number(process.env.PORT), process.env.HOST)
`

let folder
let child
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-packaged-'))
  cpSync(path.join(root, 'scripts'), path.join(folder, 'scripts'), { recursive: true })
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  writeFileSync(path.join(folder, 'server.js'), SERVER)
  mkdirSync(path.join(folder, '.next'))
  writeFileSync(path.join(folder, '.next/routes-manifest.json'), JSON.stringify({ basePath: '/ops/console' }))
})
afterEach(async () => {
  if (child.exitCode === null) {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  rmSync(folder, { recursive: true })
})

async function freePort() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
  await new Promise((resolve) => probe.close(resolve))
  return port
}

test('an image that was built for a path serves below it without being told its address', async () => {
  const port = await freePort()
  const data = path.join(folder, 'data')
  const own = { PORT: String(port), PILOTHOUSE_DATA: data, NEXTAUTH_URL: '', HOST: '127.0.0.1' }
  const elsewhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1/none', CONTROL_PLANE_URL: 'http://127.0.0.1:9' }
  child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: folder,
    env: { ...process.env, ...own, ...elsewhere },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      said += text
    })
  await vi.waitFor(() => expect(said).toContain(`Pilothouse is ready: http://localhost:${port}/ops/console `), 15_000)
})
