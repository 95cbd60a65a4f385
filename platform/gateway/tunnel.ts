import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'
import { CLOSING_MS, refuseSocket } from '../kernel/web-socket'
import { forwardedHeaders, requestHeaders } from './headers'
import type { Upstream } from './upstream'

export type TunnelRequest = {
  request: IncomingMessage
  socket: Duplex
  head: Buffer
  /** The caller's headers, without a key among the sub-protocols. */
  headers: readonly string[]
  path: string
  prefix: string
  isOperator: boolean
  /** Told the status that the caller gets. */
  answered(status: number): void
}

/** WebSockets between callers and agent servers. Their bytes are passed on as they come; a slow side slows the other. */
export class Tunnels {
  readonly #open = new Set<() => void>()

  open({ request, socket, head, headers, path, prefix, isOperator, answered }: TunnelRequest, child: Upstream): void {
    const { isSecure, prefix: below = '', host, secret, isPlatform } = child
    // Read once: of several processes, each reading is the next one.
    const { port } = child
    child.openRequests += 1
    const upstream = (isSecure ? https : http).request({
      host,
      port,
      path: below + (isPlatform ? request.url : path),
      headers: [
        ...requestHeaders(headers, { host, port, secret, isPlatform }, prefix, false, isOperator),
        ...['connection', 'Upgrade', 'upgrade', 'websocket'],
      ],
      agent: child.agent ?? false,
    })
    let other: Duplex | undefined
    const end = () => {
      if (!this.#open.delete(end)) return
      child.openRequests -= 1
      upstream.destroy()
      for (const side of [socket, other]) endSoon(side)
    }
    this.#open.add(end)
    const refuse = (status: number, detail: string) => {
      if (!this.#open.delete(end)) return
      child.openRequests -= 1
      upstream.destroy()
      answered(status)
      refuseSocket({ request, socket, head }, { status, detail })
    }
    socket.once('close', end)
    upstream.once('error', () => refuse(503, 'The agent server of this deployment ended the connection.'))
    // The agent server accepts a WebSocket even to refuse it, so this is not one of ours.
    upstream.once('response', ({ statusCode }) => refuse(502, `The agent server answered ${statusCode}.`))
    upstream.once('upgrade', (response, opened: Duplex, first: Buffer) => {
      other = opened
      opened.on('error', end).once('close', end)
      if (socket.destroyed) return end()
      answered(response.statusCode ?? 101)
      const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket']
      const passed = forwardedHeaders(response.rawHeaders)
      for (let i = 0; i < passed.length; i += 2) lines.push(`${passed[i]}: ${passed[i + 1]}`)
      socket.write(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'))
      socket.write(first)
      opened.write(head)
      socket.pipe(opened).pipe(socket)
    })
    upstream.end()
  }

  closeAll(): void {
    for (const end of [...this.#open]) end()
  }
}

/** Ends after what was written, such as the reason why the other side closed. */
function endSoon(side: Duplex | undefined): void {
  side?.end()
  setTimeout(() => side?.destroy(), CLOSING_MS).unref()
}
