import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { Ask } from './socket-feed'
import { ThreadSocket } from './thread-socket'

/** One socket whose operations are answered by the test; `thread-socket.test.ts` has those of a server. */

let server: WebSocketServer
beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
})
afterAll(() => server.close())

// biome-ignore lint/suspicious/noExplicitAny: tests check what they read by their expectations
type Message = any

async function connect(ask: Ask) {
  const logs: string[] = []
  const connected = once(server, 'connection') as Promise<[WebSocket]>
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const [opened] = await connected
  const socket = new ThreadSocket(opened, ask, (line) => logs.push(line))
  const received: Message[] = []
  client.on('message', (data) => received.push(JSON.parse(String(data))))
  if (client.readyState !== client.OPEN) await once(client, 'open')
  const count = async (wanted: number) => {
    await until(() => received.length >= wanted)
    return received
  }
  const closed = once(client, 'close').then(([code, reason]) => ({ code, reason: String(reason) }))
  const send = (message: object | string) =>
    client.send(typeof message === 'string' ? message : JSON.stringify(message))
  return { client, opened, socket, logs, received, count, closed, send }
}
const until = (isReached: () => boolean) => vi.waitFor(() => expect(isReached()).toBe(true), 5_000)
const refusing = (status: number, detail: unknown) => async () => Response.json({ detail }, { status })
const command = { id: 'a', method: 'state.get', params: {} }

describe('a message', () => {
  test('that is a command is asked as it came, and its answer is sent', async () => {
    const asked: unknown[] = []
    const { send, count, client } = await connect(async (operation, body, signal) => {
      asked.push([operation, body, signal.aborted])
      return Response.json({ type: 'success', id: 1, result: {} })
    })
    const text = '{ "id": 1, "method": "state.get" }'
    send(text)
    expect(await count(1)).toEqual([{ type: 'success', id: 1, result: {} }])
    expect(asked).toEqual([['commands', text, false]])
    client.terminate()
  })

  test('is answered after those before it', async () => {
    const releases: (() => void)[] = []
    const asked: string[] = []
    const { send, count, client } = await connect(async (_, body) => {
      const { id } = JSON.parse(body)
      asked.push(id)
      if (id === 'first') await new Promise<void>((resolve) => releases.push(resolve))
      return Response.json({ id })
    })
    send({ id: 'first', method: 'a' })
    send({ id: 'second', method: 'a' })
    await until(() => releases.length > 0)
    expect(asked).toEqual(['first'])
    releases[0]?.()
    expect(await count(2)).toEqual([{ id: 'first' }, { id: 'second' }])
    send({ id: 'third', method: 'a' })
    expect((await count(3))[2]).toEqual({ id: 'third' })
    client.terminate()
  })

  test.each([
    ['garbage', null, 'A command is a JSON object.'],
    ['[]', null, 'A command is a JSON object.'],
    ['{"method":"a"}', null, 'A command needs an id and a method.'],
    ['{"id":true,"method":"a"}', null, 'A command needs an id and a method.'],
    ['{"id":"x"}', 'x', 'A command needs an id and a method.'],
    ['{"id":0,"method":1}', 0, 'A command needs an id and a method.'],
  ])('that is no command is refused: %s', async (text, id, message) => {
    const { send, count, client } = await connect(() => expect.unreachable())
    send(text)
    expect(await count(1)).toEqual([{ type: 'error', id, error: 'invalid_argument', message }])
    client.terminate()
  })

  test.each([
    [403, 'Forbidden', 'permission_denied', 'Forbidden'],
    [404, 'Thread not found.', 'invalid_argument', 'Thread not found.'],
    [422, [{ loc: ['body', 'params'], msg: 'wrong' }], 'invalid_argument', 'params: wrong'],
    [499, 'x', 'invalid_argument', 'x'],
    [500, 'broken', 'unknown_error', 'broken'],
    [503, 'away', 'unknown_error', 'away'],
  ])(
    'whose answer is %i is refused with the reason, and the socket stays open',
    async (status, detail, error, message) => {
      const { send, count, client } = await connect(refusing(status, detail))
      send(command)
      expect(await count(1)).toEqual([{ type: 'error', id: 'a', error, message }])
      expect(client.readyState).toBe(client.OPEN)
      client.terminate()
    },
  )

  test('of a caller who is no longer known ends the socket', async () => {
    const { send, closed, received } = await connect(refusing(401, 'No such user'))
    send(command)
    expect(await closed).toEqual({ code: 4401, reason: 'No such user' })
    expect(received).toEqual([])
  })

  test('that cannot be answered ends the socket, and its reason is only logged', async () => {
    const { send, closed, received, logs } = await connect(async () => {
      throw new Error('secret reason')
    })
    send(command)
    expect(await closed).toEqual({ code: 1011, reason: 'The server failed.' })
    expect(received).toEqual([{ type: 'error', id: null, error: 'unknown_error', message: 'The server failed.' }])
    expect(logs).toEqual([expect.stringContaining('A WebSocket failed: Error: secret reason')])
  })

  test('that is being answered is given up when the client leaves, which is no failure', async () => {
    let signal: AbortSignal | undefined
    const { send, client, opened, logs } = await connect((_, __, given) => {
      signal = given
      return new Promise((_, reject) => given.addEventListener('abort', () => reject(new Error('left'))))
    })
    send(command)
    await until(() => signal !== undefined)
    client.terminate()
    await once(opened, 'close')
    expect(signal?.aborted).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(logs).toEqual([])
  })
})

describe('a subscription', () => {
  const gone: Ask = async () => Response.json({ detail: 'Thread not found.' }, { status: 404 })
  const subscribe = (params?: object) => ({ id: 1, method: 'subscription.subscribe', params })

  test.each<[object | undefined, string | RegExp]>([
    [undefined, /^channels: /],
    [{ channels: [] }, /^channels: /],
    [{ channels: ['values'], depth: -1, since: -1 }, /^depth: .*; since: /],
    [{ channels: ['nonsense'] }, 'nonsense is not a channel'],
  ])('with %j is refused with what is wrong', async (params, message) => {
    const { send, count, client } = await connect(gone)
    send(subscribe(params))
    const expected = typeof message === 'string' ? message : expect.stringMatching(message)
    expect(await count(1)).toEqual([{ type: 'error', id: 1, error: 'invalid_argument', message: expected }])
    client.terminate()
  })

  test('has an id, by which it is stopped once', async () => {
    const { send, count, client } = await connect(gone)
    send(subscribe({ channels: ['values'] }))
    const [{ result }] = await count(1)
    expect(result).toEqual({ subscription_id: expect.any(String) })
    send({ id: 2, method: 'subscription.unsubscribe', params: result })
    send({ id: 3, method: 'subscription.unsubscribe', params: result })
    send({ id: 4, method: 'subscription.unsubscribe', params: 'x' })
    const gone_ = (id: string) => `There is no subscription ${id}.`
    expect((await count(4)).slice(1)).toEqual([
      { type: 'success', id: 2, result: {} },
      { type: 'error', id: 3, error: 'no_such_subscription', message: gone_(result.subscription_id) },
      { type: 'error', id: 4, error: 'no_such_subscription', message: gone_('undefined') },
    ])
    client.terminate()
  })

  test('cannot be continued by another command', async () => {
    const { send, count, client } = await connect(() => expect.unreachable())
    send({ id: 1, method: 'subscription.reconnect' })
    expect(await count(1)).toMatchObject([{ type: 'error', id: 1, error: 'not_supported' }])
    client.terminate()
  })

  test('of a thread that cannot be read ends the socket with the status', async () => {
    const { send, closed } = await connect(refusing(403, 'Forbidden'))
    send(subscribe({ channels: ['values'] }))
    expect(await closed).toEqual({ code: 4403, reason: 'Forbidden' })
  })

  test('whose reader breaks ends the socket', async () => {
    const { send, closed, logs } = await connect(async () => {
      throw new Error('broken')
    })
    send(subscribe({ channels: ['values'] }))
    expect((await closed).code).toBe(1011)
    expect(logs).toHaveLength(1)
  })

  test('ends its reader when the client leaves', async () => {
    let signal: AbortSignal | undefined
    const { send, client, opened } = await connect(async (_, __, given) => {
      signal = given
      return new Response(new ReadableStream())
    })
    send(subscribe({ channels: ['values'] }))
    await until(() => signal !== undefined)
    client.terminate()
    await once(opened, 'close')
    expect(signal?.aborted).toBe(true)
  })
})

describe('a connection', () => {
  test('is cut at the second call without a sign of life, and not with one', async () => {
    const { socket, client, opened, closed } = await connect(() => expect.unreachable())
    for (let call = 0; call < 3; call++) {
      const answered = once(opened, 'pong')
      socket.ping()
      await answered
    }
    expect(client.readyState).toBe(client.OPEN)
    client.pause()
    socket.ping()
    expect(opened.readyState).toBe(opened.OPEN)
    socket.ping()
    await once(opened, 'close')
    client.resume()
    expect((await closed).code).toBe(1006)
  })

  test('is alive while messages come or go', async () => {
    const { socket, send, count, client, opened } = await connect(async () => Response.json({}))
    socket.ping()
    await once(opened, 'pong')
    socket.ping()
    send(command)
    await count(1)
    socket.ping()
    expect(opened.readyState).toBe(opened.OPEN)
    client.terminate()
  })

  test('is closed with a code and a reason', async () => {
    const { socket, closed } = await connect(() => expect.unreachable())
    socket.close(1012, 'The agent server is stopping.')
    expect(await closed).toEqual({ code: 1012, reason: 'The agent server is stopping.' })
  })
})
