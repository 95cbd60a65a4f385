import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import net from 'node:net'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { Servers } from '../compute/compute'
import { listenOn } from '../kernel/listen'
import { type Client, createFixture, type Fixture, graphFiles, waitFor } from '../testing/platform-fixture'
import { Absences } from './absences'
import { createGateway } from './gateway'
import type { Route } from './upstream'

// Generous, because real processes are slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

let fixture: Fixture
let client: Client
let id: string
let base: string
let key: Record<string, string>
beforeAll(async () => {
  fixture = await createFixture()
  client = fixture.client
  key = { 'x-api-key': fixture.platform.apiKey }
  const repository = fixture.repository()
  repository.commit(graphFiles())
  const { body } = await client.create('gate', repository.url)
  id = body.id
  base = `${fixture.platform.url}/agents/${id}`
  expect((await client.get(`/agents/${id}/ok`)).status).toBe(503)
  await client.waitForStatus(id, body.latest_revision_id, 'DEPLOYED')
})
afterAll(() => fixture.close())

test('a stream is forwarded chunk by chunk as it is written, and repeated headers are kept', async () => {
  const held = path.join(fixture.folder, 'held')
  writeFileSync(held, '')
  const response = await fetch(`${base}/hold?file=${encodeURIComponent(held)}`, { headers: key })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2'])
  let text = ''
  for await (const part of response.body as ReadableStream<Uint8Array>) {
    text += new TextDecoder().decode(part)
    // The agent server only continues once the first events were seen.
    if (text.includes('data: 3')) rmSync(held, { force: true })
  }
  expect(text).toMatch(/data: whole\n\n$/)
})

test('a caller that disconnects ends the stream in the agent server', async () => {
  const controller = new AbortController()
  const before = (await client.about(id)).cut
  const response = await fetch(`${base}/stream?n=1000&ms=20`, { headers: key, signal: controller.signal })
  await response.body?.getReader().read()
  controller.abort()
  await waitFor('the agent server saw it', async () => (await client.about(id)).cut === before + 1)
})

test('method, path, query, body and headers arrive as sent; the key does not, and nobody else can claim to be the gateway', async () => {
  const body = 'x'.repeat(3_000_000)
  const response = await fetch(`${base}/echo/a%2Fb?q=1&q=2%20`, {
    method: 'PATCH',
    headers: {
      ...key,
      'x-custom': 'yes',
      'x-pilothouse-child': 'forged',
      'x-forwarded-prefix': '/evil',
      authorization: 'Bearer graph-user',
    },
    body,
  })
  const seen = (await response.json()) as {
    method: string
    url: string
    length: number
    headers: Record<string, string>
    raw: string[]
  }
  expect(seen).toMatchObject({
    method: 'PATCH',
    url: '/echo/a%2Fb?q=1&q=2%20',
    length: body.length,
    headers: { 'x-custom': 'yes', authorization: 'Bearer graph-user', 'x-forwarded-prefix': `/agents/${id}` },
  })
  expect(seen.headers['x-api-key']).toBeUndefined()
  expect(seen.headers['x-pilothouse-child']).not.toContain('forged')
  expect(seen.raw.filter((name) => name.toLowerCase() === 'x-pilothouse-child')).toHaveLength(1)
})

test('a DELETE of unknown length keeps its body', async () => {
  const text = await new Promise<string>((resolve, reject) => {
    const request = http.request(
      `${base}/echo`,
      { method: 'DELETE', headers: { ...key, 'transfer-encoding': 'chunked' } },
      (response) => {
        let all = ''
        response.on('data', (part) => (all += part)).on('end', () => resolve(all))
      },
    )
    request.on('error', reject).write('{"key":')
    setTimeout(() => request.end('"k"}'), 30)
  })
  expect(JSON.parse(text)).toMatchObject({ method: 'DELETE', body: '{"key":"k"}' })
})

test('a response before the end of the upload reaches the caller', async () => {
  const response = await fetch(`${base}/early`, { method: 'POST', headers: key, body: 'x'.repeat(100_000) })
  expect([response.status, await response.json()]).toEqual([413, { detail: 'too large' }])
})

test('no key is a 401, a wrong one a 403, an unknown deployment a 404, and a browser may ask without a key', async () => {
  const status = async (url: string, init?: RequestInit) => {
    const response = await fetch(url, init)
    return [response.status, Object.keys((await response.json()) as object)]
  }
  expect(await status(`${base}/ok`)).toEqual([401, ['detail']])
  expect(await status(`${base}/ok`, { headers: { 'x-api-key': 'wrong' } })).toEqual([403, ['detail']])
  expect(
    await status(`${fixture.platform.url}/agents/00000000-0000-4000-8000-000000000000/ok`, { headers: key }),
  ).toEqual([404, ['detail']])
  expect(await status(`${fixture.platform.url}/agents/00000000-0000-4000-8000-000000000000/ok`)).toEqual([
    401,
    ['detail'],
  ])
  const preflight = await fetch(`${base}/echo`, {
    method: 'OPTIONS',
    headers: { origin: 'http://x.example', 'access-control-request-method': 'POST' },
  })
  expect(preflight.status).toBe(200)
})

test('a WebSocket needs the key, and is closed where the agent server opens none', async () => {
  const closed = (path: string, headers: Record<string, string>) =>
    new Promise<number>((resolve) => {
      const url = `${fixture.platform.url.replace('http', 'ws')}/agents/${path}`
      new WebSocket(url, { headers }).on('error', () => {}).on('close', resolve)
    })
  const before = await client.about(id)
  expect(await closed(`${id}/echo`, {})).toBe(4401)
  expect(await closed(`${id}/echo`, { 'x-api-key': 'wrong' })).toBe(4403)
  expect(await closed('00000000-0000-4000-8000-000000000000/echo', key)).toBe(4404)
  expect(await closed(`${id}/echo`, key)).toBe(4502)
  expect(await client.about(id)).toEqual(before)
})

test('a setting answers agent cards without a key, and nothing else', async () => {
  const status = async (publicCards: boolean, path: string, method = 'GET') => {
    const gateway = createGateway({ target: () => ({ state: 'down' }), isKey: () => false, publicCards })
    const server = http.createServer(gateway.serve)
    const url = `http://127.0.0.1:${await listenOn(server, [0])}/agents/${id}${path}`
    const response = await fetch(url, { method })
    server.close()
    return response.status
  }
  const card = '/.well-known/agent-card.json'
  for (const path of [`${card}?assistant_id=chat`, `/a2a/chat${card}`]) {
    expect(await status(true, path)).toBe(503) // past the key check
    expect(await status(false, path)).toBe(401)
    expect(await status(true, path, 'POST')).toBe(401)
  }
  for (const path of [
    '/a2a/chat',
    `/threads${card}`,
    `/threads?x=${card}`,
    `${card}/threads`,
    `/a2a/..%2fthreads/x${card}`,
  ])
    expect([path, await status(true, path)]).toEqual([path, 401])
})

test('a refusal tells pages of allowed origins the reason, and a preflight needs no key even for a server that is down', async () => {
  const gateway = (corsOrigins: '*' | string[]) =>
    createGateway({ target: () => ({ state: 'down' }), isKey: (given) => given === 'k', corsOrigins })
  const ask = async (corsOrigins: '*' | string[], origin: string, init: RequestInit = {}) => {
    const server = http.createServer(gateway(corsOrigins).serve)
    const url = `http://127.0.0.1:${await listenOn(server, [0])}/agents/${id}/threads`
    const { status, headers } = await fetch(url, { ...init, headers: { origin, ...init.headers } })
    server.close()
    return [status, headers.get('access-control-allow-origin'), headers.get('access-control-allow-headers')]
  }
  const preflight = {
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' },
  }
  const own = 'https://chat.example.com'
  expect(await ask('*', own, preflight)).toEqual([204, '*', 'x-api-key'])
  expect(await ask('*', own)).toEqual([401, '*', null])
  expect(await ask('*', own, { headers: { 'x-api-key': 'k' } })).toEqual([503, '*', null])
  expect(await ask([own], own, preflight)).toEqual([204, own, 'x-api-key'])
  expect(await ask([own], 'https://other.example', preflight)).toEqual([204, null, null])
  expect(await ask([own], 'https://other.example')).toEqual([401, null, null])
})

test('a request to an agent server that is being restarted waits for it; a stream that it cut ends as cut', async () => {
  const response = await fetch(`${base}/stream?n=1000&ms=10`, { headers: key })
  const reading = response.text()
  const expected = expect(reading).rejects.toThrow()
  const crash = await fetch(`${base}/crash`, { headers: key })
  expect([crash.status, crash.headers.get('retry-after'), Object.keys((await crash.json()) as object)]).toEqual([
    503,
    '1',
    ['detail'],
  ])
  const ask = async (method: string, body?: string) => {
    const answer = await fetch(`${base}/echo`, { method, headers: key, body })
    return ((await answer.json()) as { length: number }).length
  }
  await expected
  expect(await Promise.all([ask('GET'), ask('POST', 'x'.repeat(3_000_000))])).toEqual([0, 3_000_000])
})

test('a deployment of which nothing was ever deployed says why, and not to try again shortly', async () => {
  const repository = fixture.repository('broken')
  repository.commit({ 'graph.json': '{' })
  const { body } = await client.create('broken', repository.url)
  await client.waitForStatus(body.id, body.latest_revision_id, 'BUILD_FAILED')
  const refused = await client.get(`/agents/${body.id}/ok`)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, null])
  expect(refused.body.detail).toMatch(/No revision of this deployment has been deployed: the build .* failed/)
  const socket = new WebSocket(`${fixture.platform.url.replace('http', 'ws')}/agents/${body.id}/x`, { headers: key })
  const [, reason] = await once(socket, 'close')
  expect(String(reason)).toMatch(/^No revision of this deployment has been deployed/)

  // The next attempt may succeed.
  repository.commit(graphFiles())
  const next = await client.request('POST', `/v2/deployments/${body.id}/revisions`, {})
  await client.waitForStatus(body.id, next.body.id, 'DEPLOYED')
  expect((await client.get(`/agents/${body.id}/ok`)).status).toBe(200)
})

test('a request line that cannot be forwarded is refused without affecting other requests', async () => {
  const response = await new Promise<string>((resolve, reject) => {
    const { port } = new URL(base)
    const socket = net.connect(Number(port), '127.0.0.1', () => {
      const head = `GET /agents/${id}/a\u00e9b\u0001 HTTP/1.1\r\nhost: x\r\nx-api-key: ${key['x-api-key']}\r\nconnection: close\r\n\r\n`
      socket.write(Buffer.from(head, 'latin1'))
    })
    let all = ''
    socket.on('data', (part) => {
      all += part
    })
    socket.on('close', () => resolve(all)).on('error', reject)
  })
  expect(response).toMatch(/^HTTP\/1\.1 [45]\d\d/)
  expect((await fetch(`${base}/ok`, { headers: key })).status).toBe(200)
})

describe('a request to an agent server that has just stopped', () => {
  const servers: http.Server[] = []
  const serve = async (handle: http.RequestListener) => {
    const server = http.createServer(handle)
    servers.push(server)
    return { port: await listenOn(server, [0]) }
  }
  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })
  const child = (port: number) => ({ host: '127.0.0.1', port, secret: 's', openRequests: 0 }) as unknown as Servers
  /** A gateway that routes to `before` at first, and to `after` once it has the request. */
  async function between(before: Servers, after: Servers) {
    const targets = [before]
    const gateway = createGateway({
      target: () => ({ state: 'up', child: targets.pop() ?? after }),
      isKey: () => true,
    })
    const { port } = await serve(gateway.serve)
    return (method: string, body?: string) =>
      fetch(`http://127.0.0.1:${port}/agents/x/echo`, { method, headers: { 'x-api-key': 'k' }, body })
  }
  const closedPort = async () => {
    const { port } = await serve(() => {})
    servers.pop()?.close()
    return port
  }
  /** Echoes requests and counts them. */
  async function successor() {
    const seen: string[] = []
    const { port } = await serve(async (request, response) => {
      let body = ''
      for await (const part of request) body += part
      seen.push(`${request.method} ${body}`)
      response.end('answered')
    })
    return { seen, child: child(port) }
  }

  test.each(['GET', 'POST'])(
    '%s: nothing was sent, so its successor responds, once and with the whole body',
    async (method) => {
      const { seen, child: after } = await successor()
      const before = child(await closedPort())
      const body = method === 'POST' ? 'x'.repeat(200_000) : undefined
      const response = await (await between(before, after))(method, body)
      expect([response.status, await response.text()]).toEqual([200, 'answered'])
      expect(seen).toEqual([`${method} ${body ?? ''}`])
      expect([before.openRequests, after.openRequests]).toEqual([0, 0])
    },
  )

  test('cut off after it was sent: a read is retried, a write is not', async () => {
    const { seen, child: after } = await successor()
    const { port } = await serve((request) => request.socket.destroy())
    expect((await (await between(child(port), after))('GET')).status).toBe(200)
    const change = await (await between(child(port), after))('POST', 'a change')
    expect([change.status, change.headers.get('retry-after')]).toEqual([503, '1'])
    expect(seen).toEqual(['GET '])
  })

  test('a kept-alive connection closed just as it is reused: the read is retried on another one', async () => {
    const [asked, sockets] = [[] as string[], new Set<unknown>()]
    const { port } = await serve((request, response) => {
      // Closes where a timeout would have closed: on the second request, before a response.
      if (sockets.has(request.socket)) return request.socket.destroy()
      sockets.add(request.socket)
      asked.push(`${request.method} ${request.headers.connection}`)
      response.end('answered')
    })
    const alive = child(port)
    const ask = await between(alive, alive)
    for (const method of ['GET', 'GET', 'POST'])
      expect(await (await ask(method, method === 'POST' ? 'a change' : undefined)).text()).toBe('answered')
    expect(asked).toEqual(['GET keep-alive', 'GET keep-alive', 'POST close'])
  })

  /** What a POST with a large body gets from a gateway that finds these routes one after the other, and the last one from then on. */
  async function through(routes: (() => Route)[], absences?: Absences) {
    let asked = 0
    const target = () => {
      asked += 1
      return (routes[asked - 1] ?? (routes.at(-1) as () => Route))()
    }
    const gateway = createGateway({ target, isKey: () => true, absences })
    const { port } = await serve(gateway.serve)
    const headers = { 'x-api-key': 'k' }
    const response = await fetch(`http://127.0.0.1:${port}/agents/x/echo`, { method: 'POST', headers, body: BODY })
    return { status: response.status, retryAfter: response.headers.get('retry-after'), asked }
  }
  const BODY = 'x'.repeat(200_000)
  const up = (port: number) => (): Route => ({ state: 'up', child: child(port) })
  const returning = (): Route => ({ state: 'down', isReturning: true })

  test('a write that was refused waits for the same address, and arrives once and whole', async () => {
    const port = await closedPort()
    const seen: number[] = []
    const server = http.createServer(async (request, response) => {
      let length = 0
      for await (const part of request) length += (part as Buffer).length
      seen.push(length)
      response.end()
    })
    servers.push(server)
    const one = child(port)
    const same = (): Route => ({ state: 'up', child: one })
    const starts = (): Route => {
      if (!server.listening) server.listen(port, '127.0.0.1')
      return same()
    }
    expect((await through([same, same, same, starts, same])).status).toBe(200)
    expect([seen, one.openRequests]).toEqual([[BODY.length], 0])
  })

  test('a deployment without an agent server is waited for while it is started again', async () => {
    const { seen, child: after } = await successor()
    expect(await through([returning, returning, returning, up(after.port)])).toMatchObject({ status: 200, asked: 4 })
    expect(seen).toEqual([`POST ${BODY}`])
  })

  test('one that was deleted meanwhile, never rolled out or stays away is not waited for', async () => {
    expect(await through([returning, returning, () => ({ state: 'unknown' })])).toMatchObject({ status: 404, asked: 3 })
    expect(await through([() => ({ state: 'down' })])).toEqual({ status: 503, retryAfter: '1', asked: 1 })
    expect(await through([returning], new Absences(0))).toMatchObject({ status: 503, retryAfter: '1' })
    const gone = up(await closedPort())()
    expect(await through([() => gone], new Absences(100))).toMatchObject({ status: 503, retryAfter: '1' })
  })

  test('one that has answered is waited for again', async () => {
    const absences = new Absences()
    const end = vi.spyOn(absences, 'end')
    await through([up((await successor()).child.port)], absences)
    expect(end.mock.calls).toEqual([['x']])
  })
})
