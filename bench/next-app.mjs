// A bare app on this project's Next.js, built and served from its own folder, for comparison.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { cleanEnv, root, tool } from '../scripts/bootstrap.mjs'

export const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address())
      probe.close(() => resolve(port))
    })
  })

/** Waits up to a minute until an address responds with a success. */
export async function until(url) {
  for (let tries = 0; tries < 600; tries++) {
    if ((await fetch(url).catch(() => undefined))?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`${url} did not respond within a minute`)
}

const files = {
  'package.json': '{"private":true,"type":"module"}',
  'next.config.mjs': `export default { turbopack: { root: ${JSON.stringify(root)} } }`,
  'app/layout.jsx':
    'export default function Layout({ children }) { return <html lang="en"><body>{children}</body></html> }',
  'app/page.jsx': 'export default function Page() { return <p>Hello, world</p> }',
}

/** Returns `{ url, pid, end() }` of a hello world, with `more` files by path. */
export async function startNextApp(more = {}, variables = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-hello-'))
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'))
  for (const [name, text] of Object.entries({ ...files, ...more })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  const env = cleanEnv({ NODE_ENV: 'production', ...variables })
  // Its node_modules is a link to ours.
  if (!tool('next/dist/bin/next', ['build', '--webpack'], { cwd: folder, env }))
    throw new Error('The bare Next.js app did not build.')
  const port = await freePort()
  const program = path.join(root, 'node_modules/next/dist/bin/next')
  const child = spawn(process.execPath, [program, 'start', '-p', String(port)], { cwd: folder, env, stdio: 'ignore' })
  const url = `http://localhost:${port}`
  await until(url)
  return {
    url,
    pid: child.pid,
    end: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
