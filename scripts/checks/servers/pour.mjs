import { connect } from 'node:net'

const PIECE = 64 * 1024

/** The first lines of an HTTP/1.1 request. */
export const requestHead = (line, headers = {}) =>
  [`${line} HTTP/1.1`, 'host: localhost', ...Object.entries(headers).map((pair) => pair.join(': ')), '', ''].join(
    '\r\n',
  )

/**
 * Sends a request with a chunked body of this many bytes, as fast as the server takes it, until it is cut off. The body
 * repeats `character`, and ends with `tail`.
 * @param {number} port
 * @param {string} line as in `POST /path`
 * @param {Record<string, string>} headers
 * @param {number} bytes
 * @param {{ character?: string, tail?: string }} [body]
 * @returns {Promise<{ response: string, isWhole: boolean, sent: number }>} `isWhole`: the server took all of it
 */
export async function pour(port, line, headers, bytes, { character = 'y', tail = '' } = {}) {
  const socket = connect(port, '127.0.0.1')
  let response = ''
  socket.on('error', () => {}) // a refused sender is cut off
  socket.on('data', (part) => {
    response += part
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  const next = (event) => Promise.race([new Promise((resolve) => socket.once(event, resolve)), closed])
  await next('connect')
  socket.write(requestHead(line, { ...headers, 'transfer-encoding': 'chunked' }))
  const pieceOf = (end) => `${PIECE.toString(16)}\r\n${character.repeat(PIECE - end.length)}${end}\r\n`
  const [piece, last] = [pieceOf(''), pieceOf(tail)]
  let sent = 0
  for (; sent < bytes && !socket.destroyed; sent += PIECE)
    if (!socket.write(sent + PIECE < bytes ? piece : last)) await next('drain')
  const isWhole = !socket.destroyed
  if (isWhole) socket.write('0\r\n\r\n')
  if (!response) await next('data')
  socket.destroy()
  return { response, isWhole, sent }
}
