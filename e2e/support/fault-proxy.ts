import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

// A reverse proxy in this process that breaks things on purpose. Faults that HTTP can express are made on the response,
// those it cannot (resets, silence, half-open connections) on the sockets below.

export type Fault =
  /** Delays the request. */
  | { kind: 'latency'; ms: number; jitterMs?: number }
  /** Limits the response to this many bytes per second. */
  | { kind: 'bandwidth'; bytesPerSecond: number }
  /** Splits the response into pieces of this size, a few milliseconds apart. */
  | { kind: 'slices'; bytes: number; pauseMs?: number }
  /**
   * Resets the connection after this many bytes of the response body; 0 means instead of a response. `isDelivered`: the
   * request reached the target.
   */
  | { kind: 'reset'; afterBytes: number; isDelivered?: boolean }
  /** Accepts the request, but never responds or forwards it. */
  | { kind: 'black-hole' }
  /** Stalls after this many bytes of the body and keeps the connection open. */
  | { kind: 'half-open'; afterBytes: number }
  /** Closes early, after this many bytes, despite the announced length or chunks. */
  | { kind: 'truncate'; afterBytes: number }
  /** Announces a length that is wrong by this much. */
  | { kind: 'wrong-length'; by: number }
  /** Responds itself instead of the target. */
  | { kind: 'respond'; status: number; headers?: Record<string, string>; body?: string | Buffer }
  /** Responds 200 with an endless body, until the client disconnects. */
  | { kind: 'endless'; chunk?: string }
  /** For event streams: closes cleanly in the middle of the event after this many. */
  | { kind: 'close-mid-event'; afterEvents: number }
  /** Refuses connections, like a server that is down. */
  | { kind: 'down' }

export type FaultProxy = {
  url: string
  /** Requests seen so far, as 'METHOD /path'. */
  requests: string[]
  /** Their `x-request-id`; empty if there is none. */
  requestIds: string[]
  /**
   * Applies this fault to all following requests, or to the first `times` of those that `only` matches (as in `requests`);
   * null removes it. Rejects if the proxy cannot listen again.
   */
  set(fault: Fault | null, times?: number, only?: RegExp): Promise<void>
  stop(): Promise<void>
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer'])
const passedOn = (headers: IncomingMessage['headers']) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)))

/** A proxy on a loopback port in front of `target`, whose path prefix is kept. */
export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const base = new URL(target)
  const requests: string[] = []
  const requestIds: string[] = []
  let fault: Fault | null = null
  let remaining = Number.POSITIVE_INFINITY
  let matched: RegExp | undefined
  const sockets = new Set<Socket>()

  const take = (request: string): Fault | null => {
    if (remaining <= 0 || matched?.test(request) === false) return null
    remaining -= 1
    return fault
  }

  const server = http.createServer((request, response) => {
    const asked = `${request.method} ${request.url}`
    requests.push(asked)
    requestIds.push(String(request.headers['x-request-id'] ?? ''))
    void serve(request, response, take(asked)).catch(() => response.socket?.destroy())
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket))
  })

  async function serve(request: IncomingMessage, response: ServerResponse, met: Fault | null) {
    if (met?.kind === 'black-hole') return
    if (met?.kind === 'reset' && met.afterBytes === 0 && !met.isDelivered) return void request.socket.resetAndDestroy()
    if (met?.kind === 'respond') {
      response.writeHead(met.status, met.headers ?? { 'content-type': 'text/plain' })
      return void response.end(met.body ?? '')
    }
    if (met?.kind === 'endless') {
      response.writeHead(200, { 'content-type': 'application/json' })
      while (!response.destroyed) if (!response.write(met.chunk ?? ' '.repeat(65_536))) await drained(response)
      return
    }
    if (met?.kind === 'latency') await pause(met.ms + Math.random() * (met.jitterMs ?? 0))
    const upstreamResponse = await forward(request, response, base)
    response.on('close', () => upstreamResponse.destroy())
    if (met?.kind === 'reset' && met.afterBytes === 0) return void request.socket.resetAndDestroy()
    const headers = passedOn(upstreamResponse.headers)
    if (met?.kind === 'wrong-length') {
      const body = await whole(upstreamResponse)
      return writeRaw(
        request.socket,
        upstreamResponse,
        { ...headers, 'content-length': String(body.length + met.by) },
        body,
      )
    }
    if (met?.kind === 'truncate' && upstreamResponse.headers['content-length']) {
      const body = await whole(upstreamResponse)
      return writeRaw(request.socket, upstreamResponse, headers, body.subarray(0, met.afterBytes))
    }
    response.writeHead(upstreamResponse.statusCode ?? 502, headers)
    response.flushHeaders()
    await passBody(upstreamResponse, response, request.socket, met)
  }

  const listen = (port: number) =>
    new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, '127.0.0.1', () => resolve()))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) await new Promise((resolve) => server.close(resolve))
  }

  return {
    url: `http://127.0.0.1:${port}${base.pathname.replace(/\/$/, '')}`,
    requests,
    requestIds,
    async set(next, times = Number.POSITIVE_INFINITY, only) {
      fault = next
      remaining = times
      matched = only
      if (next?.kind === 'down') await close()
      else if (!server.listening) await listen(port)
    },
    stop: close,
  }
}

function forward(request: IncomingMessage, response: ServerResponse, base: URL): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { method, url } = request
    const headers = { ...passedOn(request.headers), host: base.host }
    const onward = http.request({ host: base.hostname, port: base.port || 80, method, path: url, headers }, resolve)
    onward.on('error', reject)
    response.on('close', () => onward.destroy()) // the client disconnected, or has its response
    request.pipe(onward)
  })
}

const drained = (response: ServerResponse) =>
  new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })

async function whole(response: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** Writes a response that Node's own server would refuse to send, then closes the connection. */
function writeRaw(socket: Socket, response: IncomingMessage, headers: IncomingMessage['headers'], body: Buffer) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`HTTP/1.1 ${response.statusCode} X\r\n${lines.join('')}connection: close\r\n\r\n`)
  socket.end(body)
}

async function passBody(
  upstreamResponse: IncomingMessage,
  response: ServerResponse,
  socket: Socket,
  met: Fault | null,
) {
  const limit =
    met?.kind === 'reset' || met?.kind === 'half-open' || met?.kind === 'truncate' ? met.afterBytes : undefined
  let sent = 0
  let tail = ''
  let events = 0
  for await (const chunk of upstreamResponse) {
    let part = chunk as Buffer
    if (met?.kind === 'close-mid-event') {
      // Forwards whole events up to the count, then the first half of the next one's line.
      const text = part.toString('latin1')
      let keep = 0
      for (let at = 0; at < text.length && events < met.afterEvents; at++, keep = at) {
        tail = (tail + text[at]).slice(-4)
        if (tail.endsWith('\n\n') || tail.endsWith('\r\n\r\n')) events += 1
      }
      if (events >= met.afterEvents && keep < text.length) {
        response.write(part.subarray(0, keep + Math.max(1, (text.length - keep) >> 1)))
        return void response.end()
      }
    }
    if (limit !== undefined && sent + part.length > limit) part = part.subarray(0, limit - sent)
    const size =
      met?.kind === 'slices'
        ? met.bytes
        : met?.kind === 'bandwidth'
          ? Math.max(1, met.bytesPerSecond >> 5)
          : part.length
    for (let at = 0; at < part.length; at += size) {
      if (response.destroyed) return
      if (!response.write(part.subarray(at, at + size))) await drained(response)
      if (met?.kind === 'slices') await pause(met.pauseMs ?? 5)
      if (met?.kind === 'bandwidth') await pause(1000 / 32)
    }
    sent += part.length
    if (limit === undefined || sent < limit) continue
    // Flushes first; otherwise the fault would come earlier than requested.
    await pause(20)
    if (met?.kind === 'reset') return void socket.resetAndDestroy()
    if (met?.kind === 'truncate') return void socket.destroy()
    return await new Promise((resolve) => response.once('close', resolve)) // half-open: sends nothing more
  }
  response.end()
}
