import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { guideProxy, PROXIES, versionOf } from './guide-proxy.mjs'

// The console below a path of another site, with the settings of docs/operate.md.

const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-proxies-'))
chmodSync(folder, 0o755) // as root, nginx works as another user
const servers = ['console', 'site'].map((name) =>
  http.createServer(({ url, headers }, response) => {
    response.end(JSON.stringify({ name, url, host: headers.host, for: headers['x-forwarded-for'] }))
  }),
)
const portOf = (server) => Number(server?.address()?.port)
beforeAll(() => Promise.all(servers.map((server) => once(server.listen(0, '127.0.0.1'), 'listening'))))
afterAll(() => {
  for (const server of servers) server.close()
  rmSync(folder, { recursive: true, force: true })
})

for (const name of PROXIES)
  test.skipIf(!versionOf(name))(
    `${name} leads only the path to the console (skipped where it is missing)`,
    async () => {
      const probe = http.createServer().listen(0, '127.0.0.1')
      await once(probe, 'listening')
      const port = portOf(probe)
      probe.close()
      const proxy = await guideProxy(name, folder, {
        port,
        consolePort: portOf(servers[0]),
        sitePort: portOf(servers[1]),
      })
      const ask = async (url) => (await fetch(`http://localhost:${port}${url}`)).json()
      try {
        await expect.poll(() => ask('/').catch(() => proxy.said()), { timeout: 20_000 }).toMatchObject({ name: 'site' })
        for (const url of ['/pilothouse', '/pilothouse/a?b=1']) {
          const found = await ask(url)
          expect(found).toMatchObject({ name: 'console', url, for: '127.0.0.1' })
          expect(found.host).toMatch(/^localhost\b/)
        }
        for (const url of ['/pilothouses', '/api/live']) expect(await ask(url)).toMatchObject({ name: 'site', url })
      } finally {
        await proxy.close()
      }
    },
    60_000,
  )
