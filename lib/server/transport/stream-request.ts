import 'server-only'
import { type IncomingMessage, request } from 'node:http'
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

/** Buffer size of the sockets that `connect` makes for `openResponse`: each read fills it, so the rest stays in the kernel. */
export const STREAM_WATER_MARK = 1
