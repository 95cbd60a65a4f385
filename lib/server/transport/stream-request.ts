import 'server-only'
import { type IncomingMessage, request } from 'node:http'
import type { Socket } from 'node:net'
import type { buildConnector } from 'undici'

type StreamRequest = {
  method: string
  headers: Record<string, string>
  body: string | undefined
  signal: AbortSignal
  connect: buildConnector.connector
}

/**
 * Sends a request whose response is read over time, on a connection of its own. Node's client leaves unread data in the
 * kernel, at a quarter of the CPU of undici's `request` (docs/decisions/0037-gathered-reads.md).
 */
export function openResponse(url: URL, { connect, body, ...sent }: StreamRequest): Promise<IncomingMessage> {
  const { protocol, host, hostname, port } = url
  return new Promise((resolve, reject) => {
    const opened = request(
      {
        ...sent,
        headers: { ...sent.headers, host },
        path: `${url.pathname}${url.search}`,
        createConnection: (_options, done) => {
          connect({ protocol, host, hostname, port }, (error, socket) =>
            done(error, socket as NonNullable<typeof socket>),
          )
          return undefined
        },
      },
      resolve,
    )
    opened.on('error', reject)
    opened.end(body)
  })
}

/** What one read may bring. All connections share this buffer, because what a read brought is copied at once. */
const READ = Buffer.allocUnsafeSlow(64 * 1024)

/**
 * Options of the sockets that `connect` makes for `openResponse`. Each read fills the stream, so the rest stays in the kernel.
 * Read in the usual way, each of thousands of small reads would get memory of its own.
 */
export const STREAM_SOCKET = {
  highWaterMark: 1,
  onread: {
    buffer: READ,
    callback(this: Socket, size: number): boolean {
      return this.push(Buffer.from(READ.subarray(0, size)))
    },
  },
}
