import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'

// For tests only: a pooler in transaction mode.

/** The program's path; undefined where there is none. */
export const findPgBouncer = (): string | undefined =>
  ['pgbouncer', '/usr/sbin/pgbouncer'].find((program) => spawnSync(program, ['--version']).status === 0)

/** A PgBouncer in front of a test server, with its own defaults apart from the mode. `url` is the pooled address. */
export async function startPgBouncer(program: string, server: string): Promise<{ url: string; stop(): Promise<void> }> {
  const { hostname, port, username, password, pathname } = new URL(server)
  const listening = await freePort()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-pgbouncer-'))
  const config = path.join(folder, 'pgbouncer.ini')
  const target = `host=${hostname} port=${port} user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`
  writeFileSync(
    config,
    `[databases]
* = ${target}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listening}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 6
`,
  )
  // It refuses to run as root.
  const who = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  chmodSync(folder, 0o755)
  const child = spawn(program, ['-q', config], { ...who, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const ended = once(child, 'exit')
  const isUp = () =>
    new Promise<boolean>((resolve) => {
      const socket = net.connect(listening, '127.0.0.1')
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
      socket.once('connect', () => socket.destroy())
    })
  for (const until = Date.now() + 10_000; !(await isUp()); ) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`PgBouncer did not start: ${said}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return {
    url: `postgres://${username}:${password}@127.0.0.1:${listening}${pathname}`,
    stop: async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as net.AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}
