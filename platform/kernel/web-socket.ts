import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'

/** Headers that a page cannot set on a WebSocket. It offers a sub-protocol instead: the name, a dot, the encoded value. */
const CREDENTIAL = /^(x-api-key|authorization)\.(.+)$/i
/** Close codes from here on are ours: 4000 plus the HTTP status. */
const STATUS_CODES = 4000
/** How long the other side may take to close as well. */
export const CLOSING_MS = 1000

export type Upgrade = { request: IncomingMessage; socket: Duplex; head: Buffer }
type Refusal = { status: number; detail: string }

/**
 * Calls `handle` for every WebSocket. A request for another protocol is served as if it had not asked for one; Java's
 * client, for example, offers HTTP/2 with each request.
 */
export function onWebSocket(server: Server, handle: (upgrade: Upgrade) => void): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() === 'websocket') {
      socket.on('error', () => {})
      return handle({ request, socket, head })
    }
    socket.unshift(Buffer.concat([headWithoutUpgrade(request), head]))
    server.emit('connection', socket)
  })
}

function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let i = 0; i < rawHeaders.length; i += 2)
    if (!/^(connection|upgrade|http2-settings)$/i.test(rawHeaders[i] ?? ''))
      lines.push(`${rawHeaders[i]}: ${rawHeaders[i + 1]}`)
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
}

/** Node's flat list of raw headers with the credentials among the sub-protocols as the headers they stand for. */
export function withCredentials(raw: readonly string[]): string[] {
  const headers: string[] = []
  const offered: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]]
    if (name.toLowerCase() === 'sec-websocket-protocol') offered.push(...value.split(',').map((one) => one.trim()))
    else headers.push(name, value)
  }
  const others = offered.filter((one) => !CREDENTIAL.test(one))
  if (others.length) headers.push('Sec-WebSocket-Protocol', others.join(', '))
  const names = new Set(headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()))
  for (const one of offered) {
    const [, name = '', value = ''] = CREDENTIAL.exec(one) ?? []
    const decoded = name && decode(value)
    if (decoded && !names.has(name.toLowerCase())) headers.push(name, decoded)
  }
  return headers
}

/** Undefined for what cannot be a header's value. */
function decode(value: string): string | undefined {
  try {
    const decoded = decodeURIComponent(value)
    return /^[\t\x20-\x7e\x80-\xff]+$/.test(decoded) ? decoded : undefined
  } catch {
    return undefined
  }
}

/** Never a credential, which would appear in the response. */
export const chooseProtocol = (offered: Set<string>): string | false =>
  [...offered].find((one) => !CREDENTIAL.test(one)) ?? false

const refusing = new WebSocketServer({
  noServer: true,
  clientTracking: false,
  maxPayload: 1024,
  handleProtocols: chooseProtocol,
})

/** Accepts the WebSocket and closes it with the reason: pages cannot read the response to a refused upgrade. */
export function refuseSocket({ request, socket, head }: Upgrade, { status, detail }: Refusal): void {
  refusing.handleUpgrade(request, socket, head, (opened) => closeSocket(opened, STATUS_CODES + status, detail))
}

/** Closes, and cuts the connection if the other side does not. */
export function closeSocket(socket: WebSocket, code: number, reason: string): void {
  socket.on('error', () => {})
  // A reason has at most 123 bytes.
  socket.close(code, Buffer.from(reason).subarray(0, 120).toString())
  setTimeout(() => socket.terminate(), CLOSING_MS).unref()
}

export const statusCode = (status: number): number => STATUS_CODES + status
