// The processes of a live bench: starting, ending, and their cost.
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cleanEnv, root } from '../../scripts/bootstrap.mjs'
import { freePort, until } from '../next-app.mjs'

const TICKS = 100 // Linux counts process time in hundredths of a second

function readStats() {
  const found = new Map()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8')
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
      const [user, system, userOfEnded, systemOfEnded] = fields.slice(11, 15).map(Number)
      found.set(Number(name), { parent: Number(fields[1]), ticks: user + system + userOfEnded + systemOfEnded })
    } catch {
      // it has ended, and its parent includes its time
    }
  }
  return found
}

/** CPU seconds that these processes and their children have used so far. */
export function cpuSeconds(pids) {
  const stats = readStats()
  const isOurs = (pid) => pids.includes(pid) || (stats.has(pid) && isOurs(stats.get(pid).parent))
  let ticks = 0
  for (const [pid, one] of stats) if (isOurs(pid)) ticks += one.ticks
  return ticks / TICKS
}

/** CPU seconds that the machine has spent on all programs so far, and on other machines. */
export function machineSeconds() {
  const [user, nice, system, , , ...interrupts] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/\s+/)
    .slice(1, 9)
    .map(Number)
  return [user, nice, system, ...interrupts].reduce((sum, ticks) => sum + ticks, 0) / TICKS
}

async function startChild(file) {
  const child = fork(path.join(import.meta.dirname, file), [], { cwd: root, env: cleanEnv(), stdio: 'inherit' })
  const [{ url }] = await once(child, 'message')
  const ended = once(child, 'exit')
  return {
    url,
    pid: child.pid,
    child,
    end: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Returns `{ url, pid, stats(), release(gate), end() }`. */
export async function startUpstream() {
  const upstream = await startChild('upstream.mjs')
  const ask = async (at) => await (await fetch(`${upstream.url}/bench/${at}`)).json()
  return { ...upstream, ask, stats: () => ask('stats'), release: (gate) => ask(`release?gate=${gate}`) }
}

/** Returns `{ read(streams, events), end() }`; `read` returns `{ opened, result, stop() }`. */
export async function startReader() {
  const reader = await startChild('reader.mjs')
  let count = 0
  const waiting = new Map()
  reader.child.on('message', (/** @type {any} */ { id, opened, result }) => {
    if (opened) waiting.get(id)?.onOpened(opened)
    if (!result) return
    waiting.get(id)?.onResult(result)
    waiting.delete(id)
  })
  return {
    ...reader,
    read(streams, events, { timeoutMs = 60_000, bytes = 150 } = {}) {
      const id = ++count
      const handlers = {}
      const opened = new Promise((resolve) => {
        handlers.onOpened = resolve
      })
      const result = new Promise((resolve) => {
        handlers.onResult = resolve
      })
      waiting.set(id, handlers)
      reader.child.send({ id, streams, events, bytes, timeoutMs })
      return { opened, result, stop: () => reader.child.send({ id, stop: true }) }
    },
  }
}

const MODULE_FOLDERS = ['/usr/lib/nginx/modules', '/usr/lib64/nginx/modules', '/usr/local/nginx/modules']

/** nginx and its nchan module, if installed. */
export function findNginx() {
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin']
  const program = folders.map((folder) => path.join(folder, 'nginx')).find((file) => existsSync(file))
  const nchan = MODULE_FOLDERS.map((folder) => path.join(folder, 'ngx_nchan_module.so')).find((file) =>
    existsSync(file),
  )
  return { program, nchan: program && nchan }
}

const configOf = ({ nchan, port, upstream, folder }) => `
${nchan ? `load_module ${nchan};` : ''}
${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${folder}/${one};`).join('\n  ')}
  server {
    listen 127.0.0.1:${port};
    tcp_nodelay on;
    location = /ok { return 200 ok; }
    location /flow {
      proxy_pass ${upstream};
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
    ${
      nchan
        ? `location ~ /publish/(\\w+)$ { nchan_publisher websocket; nchan_channel_id $1; nchan_message_buffer_length 10; }
    location ~ /subscribe/(\\w+)$ { nchan_subscriber eventsource; nchan_channel_id $1; nchan_subscriber_first_message newest; }`
        : ''
    }
  }
}`

export const HOW_TO_GET_NGINX =
  'There is no nginx on this machine, so that peer is left out. Debian: apt-get install nginx libnginx-mod-nchan.'

/** Returns `{ url, pid, hasNchan, end() }`; undefined without nginx. */
export async function startNginx(upstream) {
  const { program, nchan } = findNginx()
  if (!program) return undefined // `run.mjs` has said so
  if (!nchan) console.error('[bench] nginx has no nchan module here: that peer is left out.')
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-nginx-'))
  mkdirSync(path.join(folder, 'logs'))
  const port = await freePort()
  writeFileSync(path.join(folder, 'nginx.conf'), configOf({ nchan, port, upstream: upstream.url, folder }))
  const args = ['-p', folder, '-c', path.join(folder, 'nginx.conf')]
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  const ended = once(child, 'exit')
  const url = `http://127.0.0.1:${port}`
  await Promise.race([until(`${url}/ok`), ended.then(() => Promise.reject(new Error('nginx did not start.')))])
  return {
    url,
    pid: child.pid,
    hasNchan: Boolean(nchan),
    end: async () => {
      child.kill('SIGTERM')
      await Promise.race([ended, sleep(3000)])
      if (child.exitCode === null) child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
