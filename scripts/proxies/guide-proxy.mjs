import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parse, stringify } from 'yaml'
import { root } from '../bootstrap.mjs'

/** The reverse proxies of docs/operate.md. */
export const PROXIES = ['nginx', 'caddy', 'traefik']

const guide = () => {
  const text = readFileSync(path.join(root, 'docs/operate.md'), 'utf8')
  return text.slice(text.indexOf('## Reverse proxy and TLS'), text.indexOf('## Several instances'))
}
/** The guide's code blocks of a language that contain a text. */
function block(language, has) {
  const found = guide()
    .split('```')
    .filter((one) => one.startsWith(`${language}\n`) && one.includes(has))
  if (found.length !== 1) throw new Error(`docs/operate.md has ${found.length} blocks ${language} with ${has}`)
  return found[0]?.slice(language.length) ?? ''
}

/**
 * What a program of `PATH` calls its version, or undefined if it is missing.
 * @param {string} name
 */
export function versionOf(name) {
  const { status, stdout, stderr } = spawnSync(name, [name === 'nginx' ? '-v' : 'version'], { encoding: 'utf8' })
  return status === 0 ? /\d+\.\d+\.\d+/.exec(stdout + stderr)?.[0] : undefined
}

/** A certificate for localhost, by itself its authority. Gives `{ certificate, key }`. */
export function makeCertificate(folder) {
  const [certificate, key] = [path.join(folder, 'console.pem'), path.join(folder, 'console.key')]
  const given = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  const files = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate]
  const { status, stderr } = spawnSync('openssl', ['req', ...given, ...files], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl made no certificate: ${stderr}`)
  return { certificate, key }
}

/**
 * Where it listens and leads to. With `sitePort`, another site is at the top and the console below its path, without TLS.
 * @typedef {{ port: number, consolePort: number, certificate?: string, key?: string, sitePort?: number }} Ways
 */

/** @param {Ways} ways */
const fitTo =
  ({ consolePort, certificate = '', key = '' }) =>
  (text) =>
    text
      .replaceAll('127.0.0.1:3000', `127.0.0.1:${consolePort}`)
      .replaceAll(/(console|ops)\.example\.com/g, 'localhost')
      .replaceAll('/etc/ssl/console.pem', certificate)
      .replaceAll('/etc/ssl/console.key', key)

/**
 * The guide's settings with other addresses and files, and what makes the program run in a folder of its own. Each writes files
 * with `file` and gives the arguments.
 * @type {Record<string, (ways: Ways, folder: string, file: (name: string, text: string) => string) => string[]>}
 */
const CONFIGURE = {
  nginx(ways, folder, file) {
    const own = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((one) => `${one}_temp_path ${folder}/${one};`)
    const top = fitTo(ways)(block('nginx', 'listen 443')).replace('listen 443', `listen 127.0.0.1:${ways.port}`)
    let server = top
    if (ways.sitePort) {
      const lines = [...top.matchAll(/^ {4}(?!proxy_pass).+;$/gm)].map(([line]) => line.trim())
      const included = file('pilothouse.conf', [...lines, 'client_max_body_size 8m;'].join('\n'))
      const below = fitTo(ways)(block('nginx', 'location = /pilothouse')).replaceAll(
        '/etc/nginx/pilothouse.conf',
        included,
      )
      const site = `location / { proxy_pass http://127.0.0.1:${ways.sitePort}; }`
      server = `server { listen 127.0.0.1:${ways.port}; ${site}\n${below}\n}`
    }
    const http = `http { access_log off; ${own.join(' ')}\n${server}\n}`
    const text = `pid ${folder}/pid; error_log stderr; daemon off; events {}\n${http}\n`
    return ['-e', 'stderr', '-c', file('nginx.conf', text)]
  },

  caddy(ways, _folder, file) {
    const own = '{\n  admin off\n  auto_https disable_redirects\n}\n'
    const [scheme, more] = ways.sitePort
      ? ['http', `handle {\n    reverse_proxy 127.0.0.1:${ways.sitePort}\n  }`]
      : ['https', `tls ${ways.certificate} ${ways.key}`]
    const site = fitTo(ways)(block('caddy', ways.sitePort ? 'ops.example.com' : 'console.example.com'))
    const placed = site.replace('localhost {', `${scheme}://localhost:${ways.port} {\n  bind 127.0.0.1\n  ${more}`)
    return ['run', '--adapter', 'caddyfile', '--config', file('Caddyfile', own + placed)]
  },

  traefik(ways, _folder, file) {
    const dynamic = parse(fitTo(ways)(block('yaml', 'certFile')))
    const fixed = parse(block('yaml', 'entryPoints').replace(':443', `127.0.0.1:${ways.port}`))
    if (ways.sitePort) {
      dynamic.http.routers = parse(fitTo(ways)(block('yaml', 'PathPrefix'))).http.routers
      dynamic.http.routers.site = { rule: 'Host(`localhost`)', service: 'site' }
      dynamic.http.services.site = { loadBalancer: { servers: [{ url: `http://127.0.0.1:${ways.sitePort}` }] } }
      delete dynamic.tls
      delete fixed.entryPoints.websecure.http
    }
    fixed.providers.file.filename = file('pilothouse.yml', stringify(dynamic))
    fixed.global = { checkNewVersion: false, sendAnonymousUsage: false }
    return [`--configFile=${file('traefik.yml', stringify(fixed))}`]
  },
}

/**
 * Starts a proxy of the PATH with the settings of docs/operate.md in front of a console on loopback, with its files in `folder`.
 * For tests.
 * @param {string} name
 * @param {string} folder
 * @param {Ways} ways
 */
export async function guideProxy(name, folder, ways) {
  const own = path.join(folder, name)
  mkdirSync(own)
  const file = (called, text) => {
    writeFileSync(path.join(own, called), text)
    return path.join(own, called)
  }
  const child = spawn(name, CONFIGURE[name]?.(ways, own, file) ?? [], {
    ...{ cwd: own, stdio: ['ignore', 'ignore', 'pipe'] },
    env: { ...process.env, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own, HOME: own },
  })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  return {
    said: () => said,
    hasEnded,
    async close() {
      if (hasEnded()) return
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
