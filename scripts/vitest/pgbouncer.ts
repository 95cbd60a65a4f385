import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { query } from '../testing'

// For tests only: a pooler in transaction mode.

/** The program's path; undefined where there is none. */
export const findPgBouncer = (): string | undefined =>
  ['pgbouncer', '/usr/sbin/pgbouncer'].find((program) => spawnSync(program, ['--version']).status === 0)

/** What docs/operate.md tells operators, with other places. */
function documented(language: string, places: Record<string, string>): string {
  const [, section = ''] = readFileSync('docs/operate.md', 'utf8').split('### Behind PgBouncer')
  let text = section.split(`\`\`\`${language}\n`)[1]?.split('```')[0] ?? ''
  for (const [from, to] of Object.entries(places)) {
    if (!text.includes(from)) throw new Error(`docs/operate.md has no "${from}" in the ${language} of PgBouncer.`)
    text = text.replaceAll(from, to)
  }
  return text
}

export type Pooler = { url: string; directUrl: string; stop(): Promise<void> }

/**
 * A PgBouncer in front of a database of the test server, set up as in docs/operate.md, with few connections to the server. Both
 * addresses are of a role that may create others; `more` goes into its settings.
 */
export async function startPgBouncer(program: string, server: string, more = ''): Promise<Pooler> {
  const { hostname, port, pathname } = new URL(server)
  const listening = await freePort()
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-pgbouncer-'))
  const config = path.join(folder, 'pgbouncer.ini')
  const users = path.join(folder, 'userlist.txt')
  // Roles are of the whole server, which other tests use too.
  const lookup = `pgbouncer_${listening}`
  const owner = `owner_${listening}`
  await query(server, `create role ${owner} login createrole password 'p'`)
  await query(server, `grant create on database ${pathname.slice(1)} to ${owner}`)
  await query(server, documented('sql', { 'role pgbouncer': `role ${lookup}`, 'to pgbouncer': `to ${lookup}` }))
  writeFileSync(users, `"${lookup}" "CHANGE_ME"\n`)
  const places = {
    '127.0.0.1 port=5432': `${hostname} port=${port}`,
    '6432': String(listening),
    'auth_user = pgbouncer': `auth_user = ${lookup}`,
    '/etc/pgbouncer/userlist.txt': users,
  }
  writeFileSync(config, `${documented('ini', places)}unix_socket_dir =\ndefault_pool_size = 6\n${more}`)
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
    url: `postgres://${owner}:p@127.0.0.1:${listening}${pathname}`,
    directUrl: Object.assign(new URL(server), { username: owner, password: 'p' }).href,
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
