import { once } from 'node:events'
import http from 'node:http'

const OTHER_SITE = '<!doctype html><title>The other site</title><h1>The other site</h1>'

/**
 * A reverse proxy that has another site at its top and passes what is below a path on, unchanged and unbuffered, as
 * docs/operate.md tells operators to. For tests.
 * @param {{ path: string, port: number, consolePort: number }} options
 */
export async function pathProxy({ path, port, consolePort }) {
  /** What was asked of the other site. A browser asks for the icon of its pages by itself. */
  const strays = /** @type {string[]} */ ([])
  const isBelow = (url) => url === path || url.startsWith(`${path}/`) || url.startsWith(`${path}?`)

  function passOn(request, response) {
    const forwarded = { 'x-forwarded-for': request.socket.remoteAddress, 'x-forwarded-proto': 'http' }
    const onward = http.request({
      ...{ host: '127.0.0.1', port: consolePort, method: request.method, path: request.url },
      headers: { ...request.headers, ...forwarded },
    })
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  }
  const server = http.createServer((request, response) => {
    const url = request.url ?? '/'
    if (isBelow(url)) return passOn(request, response)
    if (url === '/strays') return response.end(JSON.stringify(strays))
    if (url !== '/favicon.ico' && url !== '/') strays.push(`${request.method} ${url}`)
    response.writeHead(200, { 'content-type': 'text/html' }).end(OTHER_SITE)
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return {
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
