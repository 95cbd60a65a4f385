import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createWebSocketStream, WebSocket } from 'ws'
import { isDnsLabel } from '../kubernetes/names'
import { PING_MS, READY, TUNNEL_PATH, TunnelTarget } from './tunnel-wire'

export type TunnelClientOptions = {
  /** Address of the control plane. */
  url: string
  token: string
  /** Where a service of the cluster is reached from here. */
  addressOf(target: TunnelTarget): { host: string; port: number }
  pingMs?: number
}

/** Kept open beyond those in use, so that a request need not wait for one. */
const IDLE = 8
const AGAIN_MS = 1000
const LONGEST_MS = 30_000
const CONNECT_MS = 5000
/** Less than the control plane waits for, so that it is told which service did not answer. */
const SERVICE_MS = 1500
/** Services of agents. The control plane need not reach others. */
const SERVICE = /^agent-/

/** Carries the gateway's connections to services of the cluster, over WebSockets that are opened from here. */
export class TunnelClient {
  readonly #end = new AbortController()
  readonly #open = new Set<WebSocket>()

  constructor(private readonly options: TunnelClientOptions) {}

  /** Runs until `stop`. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: IDLE }, () => this.#keepOne()))
  }

  stop(): void {
    this.#end.abort()
    for (const socket of this.#open) socket.terminate()
  }

  /** Keeps one idle tunnel open: as soon as it is used, another takes its place. */
  async #keepOne(): Promise<void> {
    const { signal } = this.#end
    for (let failures = 0; !signal.aborted; ) {
      const isUsed = await this.#tunnel()
      failures = isUsed ? 0 : failures + 1
      if (isUsed) continue
      const ms = Math.min(AGAIN_MS * 2 ** (failures - 1), LONGEST_MS)
      await sleep(ms, undefined, { signal }).catch(() => {})
    }
  }

  /** Resolves with true once the tunnel is used, or false if it is closed before. */
  #tunnel(): Promise<boolean> {
    const { url, token } = this.options
    const address = url.replace(/^http/, 'ws').replace(/\/$/, '') + TUNNEL_PATH
    const socket = new WebSocket(address, {
      headers: { authorization: `Bearer ${token}` },
      perMessageDeflate: false,
      // The token must not follow a redirect to another server.
      followRedirects: false,
      handshakeTimeout: CONNECT_MS,
    })
    this.#open.add(socket)
    const { pingMs = PING_MS } = this.options
    let isAlive = true
    let isUsed = false
    const pings = setInterval(() => {
      // One in use is not read while a slow viewer pauses it; whether the other side is there, TCP tells.
      if (!isAlive && !isUsed) return socket.terminate()
      isAlive = false
      if (socket.readyState === WebSocket.OPEN) socket.ping()
    }, pingMs)
    socket.once('upgrade', (response) => response.socket.setKeepAlive(true, pingMs))
    socket.on('pong', () => {
      isAlive = true
    })
    return new Promise((resolve) => {
      socket.on('error', () => {})
      socket.once('close', () => {
        clearInterval(pings)
        this.#open.delete(socket)
        resolve(false)
      })
      socket.once('message', (data: Buffer) => {
        isUsed = true
        resolve(true)
        this.#connect(socket, data.toString())
      })
    })
  }

  #connect(socket: WebSocket, text: string): void {
    const target = this.#targetOf(text)
    if (!target) {
      socket.close(1008, 'That is no service of an agent.')
      return
    }
    const upstream = net.connect(target)
    upstream.setTimeout(SERVICE_MS, () => upstream.destroy(new Error('No answer in time')))
    const fail = (error: Error) => socket.close(1011, `${target.host}:${target.port}: ${error.message}`.slice(0, 120))
    upstream.once('error', fail)
    upstream.once('connect', () => {
      upstream.off('error', fail).setTimeout(0)
      upstream.setNoDelay(true)
      socket.send(READY)
      const stream = createWebSocketStream(socket)
      const end = () => {
        stream.destroy()
        upstream.destroy()
      }
      stream.on('error', end).once('close', end).pipe(upstream).on('error', end).pipe(stream)
    })
    socket.once('close', () => upstream.destroy())
  }

  #targetOf(text: string): { host: string; port: number } | undefined {
    try {
      const target = TunnelTarget.parse(JSON.parse(text))
      const isService = isDnsLabel(target.service) && SERVICE.test(target.service) && isDnsLabel(target.namespace)
      return isService ? this.options.addressOf(target) : undefined
    } catch {
      return undefined
    }
  }
}
