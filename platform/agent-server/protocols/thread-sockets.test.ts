import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { ThreadSockets } from './thread-sockets'

type Options = ConstructorParameters<typeof ThreadSockets>[0]
type Asked = { url: string; method: string; headers: Record<string, string>; body: string; isHandshake: boolean }

const open: { server: Server; sockets: ThreadSockets }[] = []
afterEach(() => {
  for (const { server, sockets } of open.splice(0)) {
    sockets.close()
    server.close()
    server.closeAllConnections()
  }
})

/** A server whose requests are answered by the test. */
async function serve(answer: (asked: Asked) => Response | Promise<Response>, more: Partial<Options> = {}) {
  const asked: Asked[] = []
  const logs: string[] = []
  const sockets = new ThreadSockets({
    fetch: async (request, env) => {
      const { url, method } = request
      const headers = Object.fromEntries(request.headers)
      const one = { url, method, headers, body: await request.text(), isHandshake: env?.isHandshake === true }
      asked.push(one)
      return answer(one)
    },
    allowsCredentials: false,
    logError: (line) => logs.push(line),
    ...more,
  })
  const server = createServer()
  sockets.serve(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.push({ server, sockets })
  const { port } = server.address() as AddressInfo
  const connect = (
    path = '/threads/t/stream/events',
    headers: Record<string, string> = {},
    protocols: string[] = [],
  ) => {
    const client = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers })
    client.on('error', () => {})
    const closed = new Promise<{ code: number; reason: string }>((resolve) =>
      client.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
    )
    const opened = new Promise<void>((resolve) => client.once('open', () => resolve()))
    return { client, closed, opened }
  }
  return { asked, logs, sockets, connect, port }
}
const admit = () => new Response(null, { status: 204 })
const admitFor = (origin: string) => () =>
  new Response(null, { status: 204, headers: { 'access-control-allow-origin': origin } })

describe('the handshake', () => {
  test('is asked as the request for events, with the headers that are not of the handshake alone', async () => {
    const { asked, connect, port } = await serve(admit)
    const headers = {
      'x-api-key': 'k',
      'accept-encoding': 'gzip',
      'content-length': '0',
      expect: 'x',
      'x-content': '1',
    }
    const { client, opened } = connect('/agents/d/threads/t/stream/events?a=1', headers, [
      'events',
      'authorization.Bearer%20x',
    ])
    await opened
    expect(asked).toEqual([
      {
        url: `http://127.0.0.1:${port}/agents/d/threads/t/stream/events?a=1`,
        method: 'POST',
        body: '',
        isHandshake: true,
        headers: {
          host: `127.0.0.1:${port}`,
          'content-type': 'application/json',
          'x-api-key': 'k',
          'x-content': '1',
          authorization: 'Bearer x',
        },
      },
    ])
    expect(client.protocol).toBe('events')
    client.terminate()
  })

  test.each([
    [Response.json({ detail: 'No such user' }, { status: 401 }), 4401, 'No such user'],
    [new Response('x', { status: 502, statusText: 'Bad Gateway' }), 4502, 'Bad Gateway'],
    [Response.json({}, { status: 404, statusText: 'Not Found' }), 4404, 'Not Found'],
  ])('that is refused ends with the status and the reason', async (response, code, reason) => {
    const { connect, sockets } = await serve(() => response)
    expect(await connect().closed).toEqual({ code, reason })
    expect(sockets.size).toBe(0)
  })

  test('that fails is logged, and the connection ends', async () => {
    const { connect, logs } = await serve(() => {
      throw new Error('broken')
    })
    expect((await connect().closed).code).toBe(1006)
    expect(logs).toEqual([expect.stringContaining('A WebSocket could not be opened: Error: broken')])
  })
})

describe('a page of another origin', () => {
  const page = { origin: 'https://page.example', cookie: 'session=1' }

  test('is refused unless the server allows it, and its cookies are not used', async () => {
    const refused = await serve(admit)
    expect(await refused.connect(undefined, page).closed).toEqual({
      code: 4403,
      reason: 'Pages of https://page.example may not use this agent server.',
    })
    expect(refused.asked[0]?.headers).not.toHaveProperty('cookie')
    const { connect, asked } = await serve(admitFor('*'))
    await connect(undefined, page).opened
    expect(asked[0]?.headers).toMatchObject({ origin: 'https://page.example' })
    expect(asked[0]?.headers).not.toHaveProperty('cookie')
  })

  test('may use cookies where the graph file says so', async () => {
    const { connect, asked } = await serve(admitFor('https://page.example'), { allowsCredentials: true })
    await connect(undefined, page).opened
    expect(asked[0]?.headers.cookie).toBe('session=1')
  })

  test('is one of another host, as the gateway names it', async () => {
    const { connect, asked, port } = await serve(admit)
    const cookie = 'session=1'
    const own: Record<string, string>[] = [
      { cookie },
      { cookie, origin: `http://127.0.0.1:${port}` },
      { cookie, origin: 'https://public.example', 'x-forwarded-host': 'public.example' },
    ]
    for (const headers of own) await connect(undefined, headers).opened
    expect(asked.map(({ headers }) => headers.cookie)).toEqual([cookie, cookie, cookie])
    const foreign: Record<string, string>[] = [
      { origin: 'null' },
      { origin: 'https://127.0.0.1' },
      { origin: `http://127.0.0.1:${port}`, 'x-forwarded-host': 'public.example' },
    ]
    for (const headers of foreign) expect((await connect(undefined, headers).closed).code).toBe(4403)
  })
})

describe('a socket', () => {
  test('sends its commands and reads its events at the thread’s own paths, with the headers of the handshake', async () => {
    const { connect, asked, port } = await serve(({ isHandshake }) =>
      isHandshake ? admit() : Response.json({ detail: 'x' }, { status: 404 }),
    )
    const { client, opened } = connect('/threads/t/stream/events/?a=1', { 'x-api-key': 'k' })
    await opened
    client.send('{"id":1,"method":"state.get"}')
    client.send('{"id":2,"method":"subscription.subscribe","params":{"channels":["values"]}}')
    const seen = () => asked.filter(({ isHandshake }) => !isHandshake)
    await expect.poll(() => seen().length).toBe(2)
    expect(seen().map(({ url, method, headers }) => [url, method, headers['x-api-key']])).toEqual([
      [`http://127.0.0.1:${port}/threads/t/commands`, 'POST', 'k'],
      [`http://127.0.0.1:${port}/threads/t/stream/events`, 'POST', 'k'],
    ])
    expect(seen()[0]?.body).toBe('{"id":1,"method":"state.get"}')
    client.terminate()
  })

  test('is counted while it is open, up to the limit', async () => {
    const { connect, sockets } = await serve(admit, { limit: 2 })
    const [one, two] = [connect(), connect()]
    await Promise.all([one.opened, two.opened])
    await expect.poll(() => sockets.size).toBe(2)
    expect(await connect().closed).toEqual({ code: 4503, reason: 'Too many WebSockets are open.' })
    one.client.terminate()
    await expect.poll(() => sockets.size).toBe(1)
    await connect().opened
  })

  test('is closed when the server stops, and later ones are refused', async () => {
    let release = () => {}
    let isHeld = false
    const { connect, sockets } = await serve(async () => {
      if (isHeld) await new Promise<void>((resolve) => (release = resolve))
      return admit()
    })
    const early = connect()
    await early.opened
    isHeld = true
    const between = connect()
    const before = release
    await expect.poll(() => release !== before).toBe(true)
    sockets.close()
    const stopping = { code: 1012, reason: 'The agent server is stopping.' }
    expect(await early.closed).toEqual(stopping)
    expect(await connect().closed).toEqual({ ...stopping, code: 4503 })
    release()
    expect(await between.closed).toEqual(stopping)
  })

  test('is asked for a sign of life from time to time', async () => {
    const { connect } = await serve(admit, { pingMs: 5 })
    const { client, opened } = connect()
    await Promise.all([opened, once(client, 'ping')]) // a slow client is given up after the first one
    client.terminate()
  })
})
