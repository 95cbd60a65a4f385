import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { adoptEnv } from '../process/env'
import type { Destination } from './destination'
import { freeStreams, joinUrl, openStreams, requestStream, requestText, type UpstreamRequest } from './request'

// Exactly at a limit, and what is left open or counted afterwards.

let server: Server
let url = ''
let respond: RequestListener
let connections = 0
beforeAll(async () => {
  adoptEnv({ DATABASE_URL: 'postgres://nobody@127.0.0.1/none' })
  server = createServer((request, response) => respond(request, response))
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  adoptEnv(undefined)
})
beforeEach(() => {
  connections = 0
})

const ask = (more: Partial<UpstreamRequest> = {}, base = url): UpstreamRequest => {
  const to: Destination = {
    ...{ what: 'agent server', base: new URL(base), reach: 'listed' },
    ...{ credentials: { 'x-api-key': 'key' }, isKeyWithheld: false },
  }
  return { to, path: '/info', method: 'GET', headers: {}, ...more }
}
const answer =
  (status: number, body: string, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, headers).end(body)
const EVENTS = { 'content-type': 'text/event-stream' }

test('the slashes at the end of an address do not count', async () => {
  expect(joinUrl(new URL('http://host/agents//'), '/ok').href).toBe('http://host/agents/ok')
  const down = createServer()
  await new Promise<void>((resolve) => down.listen(0, '127.0.0.1', resolve))
  const base = `http://127.0.0.1:${(down.address() as AddressInfo).port}/agents//a`
  await new Promise((resolve) => down.close(resolve))
  const { message } = await failure(requestText(ask({}, `${base}//`)))
  expect(message).toBe(`The agent server at ${base} cannot be reached (connection refused).`)
})

test.each([300, 304, 399])('status %i is a redirect', async (status) => {
  respond = answer(status, '')
  expect(await failure(requestText(ask()))).toMatchObject({ code: 'upstream_failed' })
  expect(await failure(requestStream(ask()))).toMatchObject({ view: { upstreamStatus: status } })
  await expect.poll(openStreams).toBe(0)
})

test.each([200, 299, 400])('status %i is not', async (status) => {
  respond = answer(status, 'hello')
  expect(await requestText(ask())).toMatchObject({ status, text: 'hello', contentType: '' })
  expect(await requestStream(ask())).toMatchObject({ status, text: 'hello', contentType: '' })
})

test.each([requestText, requestStream])(
  'a redirect whose body never ends leaves no connection open',
  async (request) => {
    let onClose = () => {}
    const closed = new Promise<void>((resolve) => {
      onClose = resolve
    })
    respond = (_, response) => {
      response.on('close', onClose)
      response.writeHead(302, { location: '/elsewhere' }).write('moved')
    }
    expect(await failure(request(ask()))).toMatchObject({ view: { upstreamStatus: 302 } })
    await closed
  },
)

describe('a document', () => {
  test('may be as large as its limit, and not larger', async () => {
    respond = answer(200, 'x'.repeat(1_000))
    expect((await requestText(ask({ maxBytes: 1_000 }))).text).toHaveLength(1_000)
    expect(await failure(requestText(ask({ maxBytes: 999 })))).toMatchObject({
      ...{ code: 'too_large', view: { upstreamStatus: 200 } },
    })
  })

  test('may be nothing at all', async () => {
    respond = answer(204, '')
    expect(await requestText(ask())).toMatchObject({ status: 204, text: '', contentType: '' })
  })

  test('has no deadline if none is set', async () => {
    respond = (_, response) => void setTimeout(() => response.end('late'), 50)
    expect(await requestText(ask({ timeoutMs: 0 }))).toMatchObject({ text: 'late' })
    expect(await failure(requestText(ask({ timeoutMs: 1 })))).toMatchObject({ code: 'upstream_unreachable' })
  })

  test('comes over the connection of the one before', async () => {
    respond = answer(200, 'hello')
    await requestText(ask())
    connections = 0
    for (let time = 0; time < 3; time++) await requestText(ask())
    expect(connections).toBe(0)
  })

  test('is not asked for by someone who has already left', async () => {
    let isAsked = false
    respond = (_, response) => {
      isAsked = true
      response.end()
    }
    await expect(requestText(ask({ signal: AbortSignal.abort(new Error('left')) }))).rejects.toThrow('left')
    expect(isAsked).toBe(false)
  })
})

describe('a stream', () => {
  const open = (more: Partial<UpstreamRequest> = {}) => requestStream(ask(more))

  test('carries the key and what was asked, and comes with all headers', async () => {
    let sent = ''
    respond = (request, response) => {
      sent = `${request.method} ${request.url} ${request.headers['x-api-key']} ${request.headers['last-event-id']}`
      request.on('data', (part) => {
        sent += ` ${part}`
      })
      request.on('end', () => response.writeHead(200, { ...EVENTS, link: ['a', 'b'], 'x-one': '1' }).end('data: 1\n\n'))
    }
    const stream = await open({ method: 'POST', body: '{}', headers: { 'last-event-id': '7' } })
    expect(sent).toBe('POST /info key 7 {}')
    expect([stream.headers.get('link'), stream.headers.get('x-one')]).toEqual(['a, b', '1'])
    if (!('body' in stream)) return expect.unreachable('not a stream')
    expect(await new Response(stream.body).text()).toBe('data: 1\n\n')
  })

  test.each<[string, RequestListener]>([
    ['that the server refuses', answer(503, 'data: 1\n\n', EVENTS)],
    ['of a similar type', answer(200, 'data: 1\n\n', { 'content-type': 'application/text/event-stream' })],
    ['of a longer type', answer(200, 'data: 1\n\n', { 'content-type': 'text/event-streams' })],
  ])('%s comes back as text', async (_, reply) => {
    respond = reply
    expect(await open()).toMatchObject({ text: 'data: 1\n\n' })
  })

  test('is one in any case, and with parameters', async () => {
    respond = answer(200, 'data: 1\n\n', { 'content-type': 'Text/Event-Stream;charset=utf-8' })
    const stream = await open()
    if (!('body' in stream)) return expect.unreachable('not a stream')
    expect(await new Response(stream.body).text()).toBe('data: 1\n\n')
  })

  test('counts while it is open, and not once it failed, ended or turned out to be none', async () => {
    const shared = globalThis as { pilothouseStreams?: Map<string, number> }
    shared.pilothouseStreams = undefined
    const free = () => freeStreams(new URL(url))
    expect([openStreams(), free()]).toEqual([0, 512])
    respond = (request) => request.socket.destroy()
    expect(await failure(open())).toMatchObject({ code: 'upstream_unreachable' })
    expect([openStreams(), free()]).toEqual([0, 512])
    respond = answer(200, 'hello')
    await open()
    await expect.poll(openStreams).toBe(0)
    respond = answer(200, 'data: 1\n\n', EVENTS)
    const stream = await open()
    if (!('body' in stream)) return expect.unreachable('not a stream')
    expect([openStreams(), free()]).toEqual([1, 511])
    await new Response(stream.body).text()
    await expect.poll(openStreams).toBe(0)
    expect(free()).toBe(512)
  })
})
