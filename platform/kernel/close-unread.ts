import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'

/** For the caller to read the response. */
const LINGER_MS = 1_000

/** Prepares a response for a body that may not have been read to its end: the rest is not read. */
export function closeIfUnread({ env, header }: Pick<Context, 'env' | 'header'>): void {
  const incoming: IncomingMessage | undefined = env?.incoming
  if (!incoming || incoming.complete) return
  // The rest must not be parsed as the next request.
  header('Connection', 'close')
  closeUnread(incoming)
}

/**
 * Stops reading a body that nobody wants; the connection closes a second after the response, which has to say
 * `Connection: close`. Closed at once it would be reset, and a caller that is still sending would never see the response.
 */
export function closeUnread(request: IncomingMessage): void {
  const { socket } = request
  request._read = () => {} // Node would read the rest to its end
  socket.pause()
  socket.destroySoon = () => {
    socket.end()
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
  }
}
