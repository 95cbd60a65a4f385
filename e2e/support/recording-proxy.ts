import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Haystack } from './canary'

/**
 * A second port for the console that keeps every byte it sends, including streams, because browsers discard the bodies of
 * pages left. Sessions are shared between ports, so sign in on the console's own port.
 */
export async function startRecordingProxy(target: string) {
  const { origin, host, hostname, port } = new URL(target)
  const responses: { where: string; headers: string; parts: Buffer[] }[] = []
  let own = ''

  const server = http.createServer((request, response) => {
    const { method, url } = request
    const headers = { ...request.headers, host, 'accept-encoding': 'identity' }
    for (const name of ['origin', 'referer'] as const) {
      const value = headers[name]
      if (value) headers[name] = value.replace(own, origin)
    }
    const onward = http.request({ hostname, port, method, path: url, headers }, (upstreamResponse) => {
      const kept = {
        where: `${method} ${url}`,
        headers: JSON.stringify(upstreamResponse.headers),
        parts: [] as Buffer[],
      }
      responses.push(kept)
      const { location } = upstreamResponse.headers
      response.writeHead(upstreamResponse.statusCode ?? 502, {
        ...upstreamResponse.headers,
        ...(location && { location: location.replace(origin, own) }),
      })
      response.flushHeaders()
      upstreamResponse.on('data', (part: Buffer) => kept.parts.push(part))
      upstreamResponse.on('error', () => response.destroy())
      upstreamResponse.pipe(response)
    })
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    request.pipe(onward)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  own = `http://localhost:${(server.address() as AddressInfo).port}`

  return {
    url: own,
    /** Everything sent so far, each response with its method and path. */
    sent: (): Haystack[] =>
      responses.map(({ where, headers, parts }) => ({ where, text: `${headers}\n${Buffer.concat(parts).toString()}` })),
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
