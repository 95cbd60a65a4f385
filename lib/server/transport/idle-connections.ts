import 'server-only'
import { subscribe } from 'node:diagnostics_channel'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { shutdownSignal } from '../process/shutdown'

const EVERY_MS = 200
const known = new WeakSet<Server>()

/**
 * When the console stops, closes the server's connections as soon as they are idle. Next.js waits for all of them, and closes
 * only those that are idle at once: a browser whose live stream ends then keeps its connection for the keep-alive time. Node
 * does not count as idle what clients opened ahead of a request, and ends its own wait for that request when the server closes.
 * Call it before the server's first connection.
 */
export function closeIdleAtStop(server: Server): void {
  if (known.has(server)) return
  known.add(server)
  const connections = new Set<Socket>()
  server.on('connection', (connection: Socket) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })
  const closeIdle = () => {
    server.closeIdleConnections()
    for (const connection of connections) if (connection.bytesRead === 0) connection.destroy()
  }
  /** With its response, so that the client's next request goes to another instance. */
  const endFinished = (message: unknown) => {
    const { server: of, socket } = message as { server: Server; socket: Socket }
    if (of === server) socket.destroySoon()
  }
  const close = () => {
    setInterval(closeIdle, EVERY_MS).unref()
    subscribe('http.server.response.finish', endFinished)
  }
  const signal = shutdownSignal()
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
}
