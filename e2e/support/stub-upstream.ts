import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Seen = { method: string; path: string; headers: IncomingMessage['headers']; body: string }
export type Reply =
  | { status?: number; headers?: Record<string, string>; body?: unknown }
  | ((response: ServerResponse) => void)

/** A server that responds as configured and records its requests. Text bodies are sent unchanged, others as JSON. */
export async function startStubUpstream(respondWith: (seen: Seen) => Reply | Promise<Reply> = () => ({ body: {} })) {
  const seen: Seen[] = []
  let current = respondWith
  const server = http.createServer((request, response) => void serve(request, response))

  async function serve(request: IncomingMessage, response: ServerResponse) {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const asked = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(parts).toString(),
    }
    seen.push(asked)
    const reply = await current(asked)
    if (typeof reply === 'function') return reply(response)
    const { status = 200, headers = { 'content-type': 'application/json' }, body } = reply
    response
      .writeHead(status, headers)
      .end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    respondWith(next: typeof respondWith) {
      current = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type StubUpstream = Awaited<ReturnType<typeof startStubUpstream>>
