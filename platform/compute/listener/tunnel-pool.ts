import http from 'node:http'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, type WebSocket } from 'ws'
import { PING_MS, READY, type TunnelTarget } from './tunnel-wire'

const WAIT_MS = 5000
/** Less than the above, so that another tunnel is tried after one that broke unnoticed. */
const READY_MS = 2000
/** Beyond these, a listener's further tunnels are refused. */
const MOST = 2000

/** The tunnels that a listener keeps open, and the connections through them. */
export class TunnelPool {
  readonly #idle = new Set<WebSocket>()
  readonly #all = new Set<WebSocket>()
  readonly #waiting = new Set<() => void>()

  constructor(private readonly pingMs = PING_MS) {}

  get isFull(): boolean {
    return this.#all.size >= MOST
  }

  add(socket: WebSocket): void {
    this.#all.add(socket)
    this.#idle.add(socket)
    let isSilent = false
    const pings = setInterval(() => {
      // One in use sees no answer while a slow reader pauses it.
      if (!this.#idle.has(socket)) return clearInterval(pings)
      if (isSilent) return socket.terminate()
      isSilent = true
      socket.ping()
    }, this.pingMs)
    socket.on('pong', () => {
      isSilent = false
    })
    socket.on('error', () => {})
    socket.once('close', () => {
      clearInterval(pings)
      this.#idle.delete(socket)
      this.#all.delete(socket)
    })
    const [wake] = this.#waiting
    if (wake) this.#waiting.delete(wake)
    wake?.()
  }

  /** A connection to a service of the cluster. Rejects if the listener has no tunnel for it in time. */
  async connect(target: TunnelTarget): Promise<Duplex> {
    for (const end = Date.now() + WAIT_MS; Date.now() < end; ) {
      // The newest: of all, it is the least likely to have broken.
      const socket = [...this.#idle].at(-1)
      if (!socket) {
        await this.#untilAdded(end - Date.now())
        continue
      }
      this.#idle.delete(socket)
      const answer = await askOver(socket, target)
      if (answer === READY) return streamOf(socket)
      socket.terminate()
      if (answer) throw new Error(answer)
    }
    throw new Error('The listener has no connection for it.')
  }

  closeAll(): void {
    for (const socket of this.#all) socket.terminate()
  }

  #untilAdded(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#waiting.add(done)
    })
  }
}

/** `READY`, why the service cannot be reached, or undefined if nothing is answered. */
function askOver(socket: WebSocket, target: TunnelTarget): Promise<string | undefined> {
  return new Promise((resolve) => {
    const done = (answer?: string) => {
      clearTimeout(timer)
      socket.off('message', onMessage).off('close', onClose)
      // What follows belongs to the stream, which starts to read in the next step.
      if (answer === READY) socket.pause()
      resolve(answer)
    }
    const onMessage = (data: Buffer) => done(data.toString().slice(0, 300))
    const onClose = (_code: number, reason: Buffer) => done(reason.toString() || undefined)
    const timer = setTimeout(() => done(), READY_MS)
    socket.once('message', onMessage).once('close', onClose)
    socket.send(JSON.stringify(target))
  })
}

function streamOf(socket: WebSocket): Duplex {
  const stream = createWebSocketStream(socket)
  socket.resume()
  // Node's HTTP client calls these of a socket.
  const none = () => stream
  return Object.assign(stream, { setKeepAlive: none, setNoDelay: none, setTimeout: none, ref: none, unref: none })
}

/** Opens the connections of Node's HTTP client through tunnels. */
export class TunnelAgent extends http.Agent {
  constructor(private readonly open: () => Promise<Duplex>) {
    super({ keepAlive: false })
  }

  override createConnection(_: unknown, done?: (error: Error | null, stream: Duplex) => void): Duplex {
    this.open().then(
      (stream) => done?.(null, stream),
      (error: Error) => done?.(error, undefined as unknown as Duplex),
    )
    // The connection is given to the callback; the types know only the other way.
    return undefined as unknown as Duplex
  }
}
