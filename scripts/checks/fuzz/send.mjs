import http from 'node:http'

/** Streams without an end are read for this long. */
const READ_MS = 700
const MOST_CHARS = 300_000
/** An answer has to begin within this. */
const PATIENCE_MS = 20_000
const agent = new http.Agent({ keepAlive: true, maxSockets: 32 })

/**
 * Sends a request as it is. Gives its answer, as far as it came, or `{ failure }` if there was none.
 * @param {{ origin: string, method: string, path: string, headers: Record<string, string>, body?: string | Buffer }} request
 * @returns {Promise<{ status: number, headers: Record<string, unknown>, text: string } | { failure: string }>}
 */
export function send({ origin, method, path, headers, body }) {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(origin)
    let sent
    try {
      const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
      sent = http.request({ hostname, port, method, path, agent, headers: { ...length, ...headers } })
    } catch (error) {
      // What Node itself refuses to send cannot arrive.
      if (/^ERR_(UNESCAPED|INVALID)/.test(error.code)) return resolve({ status: 0, headers: {}, text: '' })
      throw error
    }
    const patience = setTimeout(() => {
      resolve({ failure: `no answer within ${PATIENCE_MS / 1000} s` })
      sent.destroy()
    }, PATIENCE_MS)
    sent.once('error', (error) => {
      clearTimeout(patience)
      resolve({ failure: `the connection ended: ${/** @type {any} */ (error).code ?? error.message}` })
    })
    sent.once('response', (response) => {
      clearTimeout(patience)
      const chunks = []
      let size = 0
      const done = () => {
        clearTimeout(enough)
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        })
        if (!response.complete) sent.destroy()
      }
      const enough = setTimeout(done, READ_MS)
      response.on('data', (chunk) => {
        chunks.push(chunk)
        size += chunk.length
        if (size > MOST_CHARS) done()
      })
      response.once('close', done)
    })
    sent.end(body)
  })
}
