import 'server-only'
import type { Server } from 'node:http'
import { shutdownSignal } from '../process/shutdown'

const EVERY_MS = 200
const known = new WeakSet<Server>()

/**
 * When the console stops, closes the server's connections as soon as they are idle. Next.js waits for all of them, and closes
 * only those that are idle at once: a browser whose live stream ends then keeps its connection for the keep-alive time.
 */
export function closeIdleAtStop(server: Server): void {
  if (known.has(server)) return
  known.add(server)
  const close = () => void setInterval(() => server.closeIdleConnections(), EVERY_MS).unref()
  const signal = shutdownSignal()
  if (signal.aborted) close()
  else signal.addEventListener('abort', close, { once: true })
}
