import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { type FaultProxy, startFaultProxy } from '@/e2e/support/fault-proxy'
import { AppError, type ErrorCode } from '@/lib/errors'
import { adoptEnv } from '../process/env'
import type { Destination } from './destination'
import { ConnectionError } from './network-error'
import { freeStreams, joinUrl, openStreams, requestStream, requestText, type UpstreamRequest } from './request'

let server: Server
let proxy: FaultProxy
let respond: (request: IncomingMessage, response: ServerResponse) => void
const seen: IncomingMessage[] = []

beforeAll(async () => {
  adoptEnv({ DATABASE_URL: 'postgres://nobody@127.0.0.1/none' })
  server = createServer((request, response) => {
    seen.push(request)
    respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy = await startFaultProxy(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
afterAll(async () => {
  await proxy.stop()
  server.closeAllConnections()
  server.close()
  adoptEnv(undefined)
})
afterEach(async () => {
  await proxy.set(null)
  seen.length = 0
})

const to = (base = proxy.url, more: Partial<Destination> = {}): Destination => ({
  what: 'agent server',
  base: new URL(base),
  reach: 'listed',
  credentials: { 'x-api-key': 'key-of-the-workspace' },
  isKeyWithheld: false,
  ...more,
})
const ask = (more: Partial<UpstreamRequest> = {}): UpstreamRequest => ({
  to: to(),
  path: '/info',
  method: 'GET',
  headers: {},
  ...more,
})
const json = (value: unknown) => (_: IncomingMessage, response: ServerResponse) => {
  const body = JSON.stringify(value)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
}

test('a request carries the key but no cookie or origin, and its response arrives whole', async () => {
  respond = json({ ok: true })
  expect(await requestText(ask())).toMatchObject({ status: 200, contentType: 'application/json', text: '{"ok":true}' })
  expect(seen[0]?.headers['x-api-key']).toBe('key-of-the-workspace')
  expect(seen[0]?.headers).not.toHaveProperty('cookie')
  expect(seen[0]?.headers).not.toHaveProperty('origin')
})

test('the path prefix of an address is kept and cannot be escaped', () => {
  expect(joinUrl(new URL('http://host/agents/a/'), '/threads/x?limit=1').href).toBe(
    'http://host/agents/a/threads/x?limit=1',
  )
  expect(joinUrl(new URL('http://host'), '/ok').href).toBe('http://host/ok')
  for (const path of ['/../b', '/x/../../b', '/%2e%2e/b', '/.%2E/b', '/x/./y', '/x?y#z', 'ok'])
    expect(() => joinUrl(new URL('http://host/agents/a'), path)).toThrow(AppError)
})

describe('a redirect is an error and is not followed', () => {
  test.each([301, 302, 303, 307, 308])('%i', async (status) => {
    respond = (request, response) =>
      void (request.url === '/info'
        ? response.writeHead(status, { location: '/elsewhere' }).end()
        : json(1)(request, response))
    expect(await failure(requestText(ask()))).toMatchObject({
      code: 'upstream_failed',
      view: { upstreamStatus: status },
    })
    expect(await failure(requestStream(ask()))).toMatchObject({ code: 'upstream_failed' })
    expect(seen.map((request) => request.url)).toEqual(['/info', '/info'])
  })
})

test('an unlisted address must be public and use https on a usual port', async () => {
  respond = json(1)
  for (const base of [proxy.url, 'https://127.0.0.1:8080', 'https://127.0.0.1', 'https://[::1]:8443']) {
    const error = await failure(requestText(ask({ to: to(base, { reach: 'open' }) })))
    expect(error).toMatchObject({ code: 'forbidden' })
    expect(error.message).toContain('ALLOWED_UPSTREAMS')
  }
  expect(seen).toEqual([])
})

describe('a fault fails with one plain sentence and never hangs', () => {
  const cases: [string, () => Promise<void>, ErrorCode, RegExp, boolean][] = [
    [
      'a reset instead of a response',
      () => proxy.set({ kind: 'reset', afterBytes: 0 }),
      'upstream_unreachable',
      /the connection broke/,
      true,
    ],
    [
      'a reset in the body',
      () => proxy.set({ kind: 'reset', afterBytes: 1000 }),
      'upstream_unreachable',
      /the connection broke/,
      true,
    ],
    [
      'a response cut off',
      () => proxy.set({ kind: 'truncate', afterBytes: 1000 }),
      'upstream_unreachable',
      /the connection broke|cut off/,
      true,
    ],
    [
      'a length that is too great',
      () => proxy.set({ kind: 'wrong-length', by: 10 }),
      'upstream_unreachable',
      /the connection broke|cut off/,
      true,
    ],
    [
      'silence',
      () => proxy.set({ kind: 'black-hole' }),
      'upstream_unreachable',
      /did not respond within 1 seconds/,
      true,
    ],
    [
      'silence in the body',
      () => proxy.set({ kind: 'half-open', afterBytes: 10 }),
      'upstream_unreachable',
      /did not respond within 1 seconds/,
      true,
    ],
    ['an endless body', () => proxy.set({ kind: 'endless' }), 'too_large', /more than 1 MB/, true],
  ]
  test.each(cases)('%s', async (_name, set, code, sentence, wasSent) => {
    respond = json({ filler: 'x'.repeat(50_000) })
    await set()
    const error = await failure(requestText(ask({ timeoutMs: 600, maxBytes: 1_048_576 })))
    expect(error).toMatchObject({ code })
    expect(error.message).toMatch(sentence)
    if (error instanceof ConnectionError) expect(error.wasSent).toBe(wasSent)
  })

  test('a server that is down', async () => {
    const down = await startFaultProxy(proxy.url)
    await down.set({ kind: 'down' })
    const error = await failure(requestText(ask({ to: to(down.url) })))
    expect(error).toMatchObject({ code: 'upstream_unreachable', wasSent: false })
    expect(error.message).toBe(`The agent server at ${down.url} cannot be reached (connection refused).`)
  })

  test('something that is not HTTP', async () => {
    const { createServer: createTcp } = await import('node:net')
    const tcp = createTcp((socket) => void socket.on('error', () => undefined).end('SSH-2.0-OpenSSH\r\n'))
    await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
    const error = await failure(requestText(ask({ to: to(`http://127.0.0.1:${(tcp.address() as AddressInfo).port}`) })))
    expect(error.message).toMatch(/does not speak HTTP/)
    tcp.close()
  })

  test('a decompression bomb is stopped', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024), { level: 1 })
    respond = (_, response) =>
      void response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/json' }).end(bomb)
    expect(await failure(requestText(ask({ maxBytes: 1_048_576 })))).toMatchObject({ code: 'too_large' })
  })

  test('a long error page is read only up to a limit', async () => {
    respond = (_, response) => void response.writeHead(500, { 'content-type': 'text/html' }).end('x'.repeat(5_000_000))
    const { status, text } = await requestText(ask())
    expect(status).toBe(500)
    expect(text.length).toBeLessThanOrEqual(64 * 1024)
  })
})

test('aborting a call ends the upstream request', async () => {
  let isClosed = false
  respond = (request) => void request.on('close', () => (isClosed = true))
  const leaving = new AbortController()
  const asked = requestText(ask({ signal: leaving.signal }))
  setTimeout(() => leaving.abort(new Error('left')), 50)
  await expect(asked).rejects.toThrow('left')
  await expect.poll(() => isClosed).toBe(true)
})

describe('a stream', () => {
  const events = (count: number) => (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
    for (let at = 1; at <= count; at++) response.write(`id: ${at}\ndata: {"at":${at}}\n\n`)
    response.end()
  }
  const text = (body: ReadableStream<Uint8Array>) => new Response(body).text()

  test('is passed on as it arrives and has no deadline once open', async () => {
    respond = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      setTimeout(() => response.end('data: 2\n\n'), 400)
    }
    const stream = await requestStream(ask({ timeoutMs: 150 }))
    if (!('body' in stream)) return expect.unreachable('not a stream')
    expect(await text(stream.body)).toBe('data: 1\n\ndata: 2\n\n')
  })

  test('that breaks fails its reader and never looks finished', async () => {
    respond = events(1000)
    await proxy.set({ kind: 'reset', afterBytes: 5000 })
    const stream = await requestStream(ask())
    if (!('body' in stream)) return expect.unreachable('not a stream')
    await expect(text(stream.body)).rejects.toThrow()
  })

  test('ends upstream when its signal aborts, even while silent', async () => {
    let isClosed = false
    respond = (request, response) => {
      request.on('close', () => (isClosed = true))
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    }
    const leaving = new AbortController()
    const stream = await requestStream(ask({ signal: leaving.signal }))
    if (!('body' in stream)) return expect.unreachable('not a stream')
    leaving.abort()
    await expect(text(stream.body)).rejects.toThrow()
    await expect.poll(() => isClosed).toBe(true)
  })

  test('with the wrong content type comes back as text', async () => {
    respond = (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>hello</h1>')
    expect(await requestStream(ask())).toMatchObject({ status: 200, text: '<h1>hello</h1>' })
  })

  test('beyond the limit per server is refused immediately', async () => {
    respond = (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    const leaving = new AbortController()
    const direct = to(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const open = () => requestStream(ask({ to: direct, signal: leaving.signal }))
    expect([openStreams(), freeStreams(direct.base)]).toEqual([0, 512])
    await Promise.all(Array.from({ length: 512 }, open))
    expect([openStreams(), freeStreams(direct.base)]).toEqual([512, 0])
    expect(freeStreams(new URL('http://127.0.0.2:1'))).toBe(512)
    expect(await failure(open())).toMatchObject({ code: 'rate_limited' })
    leaving.abort()
    await expect.poll(openStreams).toBe(0)
  })

  test('never makes documents queue', async () => {
    respond = (request, response) => {
      if (request.url !== '/stream') return json({ ok: true })(request, response)
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    }
    const leaving = new AbortController()
    await Promise.all(Array.from({ length: 60 }, () => requestStream(ask({ path: '/stream', signal: leaving.signal }))))
    expect((await requestText(ask({ timeoutMs: 2_000 }))).status).toBe(200)
    leaving.abort()
  })
})
