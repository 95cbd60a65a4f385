import type { IncomingMessage } from 'node:http'

/** For the caller to read the response. */
const LINGER_MS = 1_000

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
