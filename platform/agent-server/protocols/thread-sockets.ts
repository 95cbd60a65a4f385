import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer } from 'ws'
import { chooseProtocol, onWebSocket, refuseSocket, withCredentials } from '../../kernel/web-socket'
import { BODY_LIMIT, type HandshakeEnv } from '../http/app'
import type { Ask } from './socket-feed'
import { ThreadSocket } from './thread-socket'

type Upgrade = { request: IncomingMessage; socket: Duplex; head: Buffer }
type Options = {
  /** Serves a request as the HTTP server does. */
  fetch(request: Request, env?: HandshakeEnv): Response | Promise<Response>
  /** Whether pages of other origins may use the caller's cookies. */
  allowsCredentials: boolean
  logError(line: string): void
  pingMs?: number
  limit?: number
}

const PING_MS = 30_000
const MAX_SOCKETS = 5000
/** The server restarts: clients connect again. */
const RESTARTING = 1012
/** Of the handshake alone, and those that describe a body. */
const NOT_PASSED = /^(connection|upgrade|sec-websocket-.*|content-.*|transfer-encoding|accept-encoding|expect)$/i

/** The WebSockets of an agent server: one per client and thread. */
export class ThreadSockets {
  readonly #open = new Set<ThreadSocket>()
  readonly #server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: BODY_LIMIT,
    handleProtocols: chooseProtocol,
  })
  readonly #pings: NodeJS.Timeout
  #isClosed = false

  constructor(private readonly options: Options) {
    this.#pings = setInterval(() => {
      for (const socket of this.#open) socket.ping()
    }, options.pingMs ?? PING_MS).unref()
  }

  get size(): number {
    return this.#open.size
  }

  serve(server: Server): void {
    onWebSocket(server, (upgrade) => {
      this.#admit(upgrade).catch((error: Error) => {
        this.options.logError(`A WebSocket could not be opened: ${error.stack}`)
        upgrade.socket.destroy()
      })
    })
  }

  /** Clients are told to connect again; later ones are refused. */
  close(): void {
    this.#isClosed = true
    clearInterval(this.#pings)
    for (const socket of this.#open) socket.close(RESTARTING, 'The agent server is stopping.')
  }

  async #admit(upgrade: Upgrade): Promise<void> {
    const { fetch, allowsCredentials, logError, limit = MAX_SOCKETS } = this.options
    if (this.#isClosed) return refuseSocket(upgrade, { status: 503, detail: 'The agent server is stopping.' })
    if (this.#open.size >= limit) return refuseSocket(upgrade, { status: 503, detail: 'Too many WebSockets are open.' })
    const { request } = upgrade
    const headers = headersOf(request)
    const origin = foreignOrigin(headers)
    if (origin !== undefined && !allowsCredentials) headers.delete('cookie')
    const url = new URL(request.url ?? '/', addressOf(headers))
    const response = await fetch(new Request(url, { method: 'POST', headers }), { isHandshake: true })
    if (origin !== undefined && !response.headers.has('access-control-allow-origin'))
      return refuseSocket(upgrade, { status: 403, detail: `Pages of ${origin} may not use this agent server.` })
    if (!response.ok) {
      const { detail } = (await response.json().catch(() => ({}))) as { detail?: unknown }
      return refuseSocket(upgrade, { status: response.status, detail: String(detail ?? response.statusText) })
    }
    const ask: Ask = async (operation, body, signal) => {
      const path = url.pathname.replace(/stream\/events\/?$/, operation)
      return fetch(new Request(new URL(path, url), { method: 'POST', headers, body, signal }))
    }
    this.#server.handleUpgrade(request, upgrade.socket, upgrade.head, (opened) => {
      const socket = new ThreadSocket(opened, ask, logError)
      this.#open.add(socket)
      opened.once('close', () => this.#open.delete(socket))
      if (this.#isClosed) socket.close(RESTARTING, 'The agent server is stopping.')
    })
  }
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const raw = withCredentials(rawHeaders)
  const headers = new Headers({ 'content-type': 'application/json' })
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]]
    if (!NOT_PASSED.test(name)) headers.append(name, value)
  }
  return headers
}

function addressOf(headers: Headers): string {
  const address = `http://${headers.get('host')}`
  return URL.canParse(address) ? address : 'http://localhost'
}

/** The origin of the page that asks, unless it comes from this server's own address. */
function foreignOrigin(headers: Headers): string | undefined {
  const origin = headers.get('origin')
  if (origin === null) return undefined
  const host = headers.get('x-forwarded-host') ?? headers.get('host')
  return URL.canParse(origin) && new URL(origin).host === host ? undefined : origin
}
