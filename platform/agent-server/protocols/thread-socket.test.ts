import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { Client } from '@langchain/langgraph-sdk'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { API_KEY, Client as Http, serverBehindGateway, type TestServer, testServer } from '../testing'
import { ThreadSocket } from './thread-socket'

/** Streaming protocol 2 over a WebSocket, through the gateway where nothing else is said. */

const secured = path.join(import.meta.dirname, '../fixtures/secured/graph.json')
type Behind = Awaited<ReturnType<typeof serverBehindGateway>>
let behind: Behind
let http: Http
beforeAll(async () => {
  behind = await serverBehindGateway()
  http = new Http(behind.deploymentUrl, { 'x-api-key': API_KEY })
})
afterAll(() => behind.close())

const KEY = { 'x-api-key': API_KEY }
const ALL = ['values', 'updates', 'messages', 'tools', 'lifecycle', 'input', 'checkpoints', 'tasks', 'custom']
const human = (content: string) => ({ messages: [{ type: 'human', content }] })
// biome-ignore lint/suspicious/noExplicitAny: tests check what they read by their expectations
type Message = any

/** A socket with everything it received; `closed` has the code and the reason. */
function connect(
  threadId: string,
  headers: Record<string, string> = KEY,
  { url = behind.deploymentUrl, path = `/threads/${threadId}/stream/events`, protocols = [] as string[] } = {},
) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, protocols, { headers })
  const received: Message[] = []
  socket.on('message', (data) => received.push(JSON.parse(String(data))))
  socket.on('error', () => {})
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.once('close', (code, reason) => resolve({ code, reason: String(reason) })),
  )
  const opened = new Promise<void>((resolve) => socket.once('open', () => resolve()))
  let id = 100
  const until = async (isWanted: (message: Message) => boolean): Promise<Message> =>
    vi.waitFor(() => {
      const found = received.find(isWanted)
      if (!found) throw new Error(`Not received, but ${JSON.stringify(received.slice(-3))}`)
      return found
    }, 10_000)
  return {
    socket,
    received,
    closed,
    opened,
    until,
    events: () => received.filter(({ type }) => type === 'event'),
    async ask(method: string, params: object = {}): Promise<Message> {
      await opened
      const asked = ++id
      socket.send(JSON.stringify({ id: asked, method, params }))
      return until((message) => message.id === asked)
    },
    send: async (text: string) => {
      await opened
      socket.send(text)
    },
  }
}
type Socket = ReturnType<typeof connect>
const start = (socket: Socket, text: string) => socket.ask('run.start', { assistant_id: 'agent', input: human(text) })
const isRootEnd = ({ method, params }: Message) =>
  method === 'lifecycle' && params.namespace.length === 0 && !['started', 'running'].includes(params.data.event)
const textOf = (events: Message[]) => events.map(({ params }) => params.data?.delta?.text ?? '').join('')
/** Events in progress have the time at which they are sent. */
const untimed = ({ params: { timestamp: _, ...params }, ...event }: Message) => ({ ...event, params })
const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index} `).join('')

describe('the official client', () => {
  const on = (apiUrl: string, headers: Record<string, string>, sockets: WebSocket[] = []) =>
    new Client({ apiUrl, apiKey: null }).threads.stream({
      assistantId: 'agent',
      transport: 'websocket',
      reconnectDelayMs: () => 0,
      webSocketFactory: (url: string) => {
        const socket = new WebSocket(url, { headers })
        sockets.push(socket)
        return socket as never
      },
    })

  test.each(['the gateway', 'the agent server'])(
    'gets messages, tool calls and the final state from %s',
    async (at) => {
      const direct = at === 'the gateway' ? undefined : await testServer()
      const thread = on(direct?.url ?? behind.deploymentUrl, direct ? {} : KEY)
      const messages = (async () => {
        const found: unknown[] = []
        for await (const message of thread.messages)
          found.push([await message.text, message.blocks.map(({ type }) => type)])
        return found
      })()
      const { run_id } = await thread.run.start({ input: human('weather') })
      const state = (await thread.output) as { messages: { text: string }[] }
      expect(state.messages.at(-1)?.text).toBe('It is sunny in Oslo')
      await thread.close()
      expect(await messages).toEqual([
        ['Let me look. ', ['text', 'tool_call']],
        ['It is sunny in Oslo', ['text']],
      ])
      expect(run_id).toEqual(expect.any(String))
      await direct?.close()
    },
  )

  test('answers an interrupt', async () => {
    const thread = on(behind.deploymentUrl, KEY)
    await thread.run.start({ input: human('ask') })
    await thread.output
    const [asked] = thread.interrupts
    expect(asked?.payload).toEqual({ question: 'Send it?' })
    await thread.input.respond({ namespace: [], interrupt_id: asked?.interruptId as string, response: 1 })
    await vi.waitFor(async () => {
      const { json } = await http.get(`/threads/${thread.threadId}/state`)
      expect(json.values.messages.at(-1).content).toBe('Answer: 1')
    })
    await thread.close()
  })

  test('loses and doubles nothing if its connection is cut in mid-stream', async () => {
    const sockets: WebSocket[] = []
    const thread = on(behind.deploymentUrl, KEY, sockets)
    const texts = (async () => {
      const found: string[] = []
      for await (const message of thread.messages) found.push(await message.text)
      return found
    })()
    await thread.run.start({ input: human('long 150') })
    const [first] = sockets
    let count = 0
    first?.on('message', () => ++count === 60 && first.terminate())
    await thread.output
    expect(sockets.length).toBe(2)
    await thread.close()
    expect(await texts).toEqual([words(150)])
  })
})

describe('a socket', () => {
  test('has the events of server-sent events, in their order, and resumes after a number', async () => {
    const thread = await http.newThread()
    const socket = connect(thread)
    const { result } = await socket.ask('subscription.subscribe', { channels: ALL })
    expect(result).toEqual({ subscription_id: expect.any(String) })
    expect(await start(socket, 'long 60')).toMatchObject({ type: 'success', result: { run_id: expect.any(String) } })
    await socket.until(isRootEnd)
    const all = socket.events()
    expect(textOf(all)).toBe(words(60))
    const response = await http.open('POST', `/threads/${thread}/stream/events`, { channels: ALL })
    let text = ''
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      if (text.includes(`id: ${all.at(-1).event_id}\n`) && text.endsWith('\n\n')) break
    }
    const sent = [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => JSON.parse(data as string))
    expect(sent.map(untimed)).toEqual(all.map(untimed))

    const later = connect(thread)
    await later.ask('subscription.subscribe', { channels: ALL, since: all[24].seq })
    await later.until(isRootEnd)
    expect(later.events()).toEqual(sent.slice(25))
    for (const { socket: one } of [socket, later]) one.close()
  })

  test('gets each event once, in order, for all of its subscriptions, and again for a new one', async () => {
    const socket = connect(await http.newThread())
    const subscribe = (channels: string[]) => socket.ask('subscription.subscribe', { channels })
    // The run may be over before they are read.
    await start(socket, 'weather')
    await Promise.all([subscribe(['lifecycle']), subscribe(['values', 'lifecycle']), subscribe(['messages'])])
    await socket.until(isRootEnd)
    const first = socket.events()
    const numbers = first.map(({ seq }) => seq)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    expect(new Set(first.map(({ method }) => method))).toEqual(new Set(['lifecycle', 'values', 'messages']))
    await subscribe(['values'])
    const values = first.filter(({ method }) => method === 'values').map(untimed)
    await vi.waitFor(() => expect(socket.events().slice(first.length).map(untimed)).toEqual(values))
    socket.socket.close()
  })

  test('may subscribe before its thread exists, and stops a subscription', async () => {
    const thread = crypto.randomUUID()
    const [mine, other] = [connect(thread), connect(thread)]
    const { result } = await mine.ask('subscription.subscribe', { channels: ['lifecycle'] })
    await other.ask('subscription.subscribe', { channels: ['lifecycle'] })
    await start(mine, 'hello')
    await mine.until(isRootEnd)
    // Nothing tells a socket that another one has created the thread, so it looks.
    await other.until(isRootEnd)
    expect(await mine.ask('subscription.unsubscribe', result)).toMatchObject({ type: 'success' })
    expect(await mine.ask('subscription.unsubscribe', result)).toMatchObject({ error: 'no_such_subscription' })
    const before = mine.events().length
    await start(mine, 'again')
    await vi.waitFor(() => expect(other.events().filter(isRootEnd)).toHaveLength(2))
    expect(mine.events()).toHaveLength(before)
    await http.request('DELETE', `/threads/${thread}`)
    expect(await other.closed).toMatchObject({ code: 4404 })
    mine.socket.close()
  })

  test('answers what it cannot use, and goes on', async () => {
    const socket = connect(await http.newThread())
    for (const text of ['garbage', '[]', '"x"', '{"id":{},"method":"run.start"}', '{"id":7}', '\u0000'])
      await socket.send(text)
    await vi.waitFor(() => expect(socket.received).toHaveLength(6))
    expect(socket.received.map(({ type, error, id }) => `${type} ${error} ${id}`)).toEqual([
      ...Array.from({ length: 4 }, () => 'error invalid_argument null'),
      'error invalid_argument 7',
      'error invalid_argument null',
    ])
    expect(await socket.ask('subscription.subscribe', { channels: ['nonsense'] })).toMatchObject({
      error: 'invalid_argument',
      message: 'nonsense is not a channel',
    })
    expect(await socket.ask('subscription.subscribe', {})).toMatchObject({ error: 'invalid_argument' })
    expect(await socket.ask('subscription.reconnect', { run_id: 'x' })).toMatchObject({ error: 'not_supported' })
    expect(await socket.ask('made.up')).toMatchObject({ error: 'unknown_command' })
    expect(await socket.ask('run.start', { assistant_id: 'nobody' })).toMatchObject({ error: 'invalid_argument' })
    const many = Array.from({ length: 257 }, () => socket.ask('subscription.subscribe', { channels: ['lifecycle'] }))
    expect((await Promise.all(many)).map(({ type }) => type)).toEqual([...Array(256).fill('success'), 'error'])
    socket.socket.close()
  })

  test('is closed by a message that is larger than a request may be', async () => {
    const socket = connect(await http.newThread())
    await socket.send('x'.repeat(25_000_001))
    expect((await socket.closed).code).toBe(1009)
  })

  test('gives a slow reader everything once', async () => {
    const thread = await http.newThread()
    const socket = connect(thread)
    await socket.ask('subscription.subscribe', { channels: ['values', 'lifecycle'] })
    socket.socket.pause()
    const params = { assistant_id: 'agent', input: human('y'.repeat(400_000)) }
    const runs: string[] = []
    for (let i = 0; i < 3; i++)
      runs.push(
        (await http.post(`/threads/${thread}/commands`, { id: 1, method: 'run.start', params })).json.result.run_id,
      )
    for (const run of runs) await http.until(thread, run, 'success')
    socket.socket.resume()
    await vi.waitFor(() => expect(socket.events().filter(isRootEnd)).toHaveLength(3), 20_000)
    const numbers = socket.events().map(({ seq }) => seq)
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
    socket.socket.close()
  })

  test('reads no further while its reader is slow', async () => {
    let sent = 0
    const event = { type: 'event', method: 'values', params: { namespace: [], data: { text: 'z'.repeat(100_000) } } }
    const endless = () =>
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          await nextTurn()
          sent += 1
          controller.enqueue(
            Buffer.from(`id: ${sent}\nevent: values\ndata: ${JSON.stringify({ ...event, seq: sent })}\n\n`),
          )
        },
      })
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    server.on(
      'connection',
      (opened) =>
        new ThreadSocket(
          opened,
          async () => new Response(endless()),
          () => {},
        ),
    )
    await once(server, 'listening')
    const socket = connect('x', {}, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
    await socket.ask('subscription.subscribe', { channels: ['values'] })
    socket.socket.pause()
    let before = -1
    await vi.waitFor(
      () => {
        const isStill = sent === before
        before = sent
        expect(isStill).toBe(true)
      },
      { timeout: 10_000, interval: 100 },
    )
    // What the kernel and the backlog hold.
    expect(sent).toBeLessThan(200)
    socket.socket.resume()
    await vi.waitFor(() => expect(socket.received.length).toBeGreaterThan(before))
    socket.socket.terminate()
    server.close()
  })
})

describe('the handshake', () => {
  test('needs the key, as a header or as a sub-protocol, which is not repeated', async () => {
    const thread = await http.newThread()
    expect(await connect(thread, {}).closed).toEqual({ code: 4401, reason: 'The header X-Api-Key is missing.' })
    expect((await connect(thread, { 'x-api-key': 'wrong' }).closed).code).toBe(4403)
    const query = { path: `/threads/${thread}/stream/events?x-api-key=${API_KEY}` }
    expect((await connect(thread, {}, query).closed).code).toBe(4401)
    for (const protocols of [
      ['events', 'x-api-key.wrong'],
      ['events', `x-pilothouse-operator.${API_KEY}`],
    ])
      expect((await connect(thread, {}, { protocols }).closed).code).toBeGreaterThan(4400)
    const page = connect(thread, {}, { protocols: ['events', `x-api-key.${encodeURIComponent(API_KEY)}`] })
    expect(await page.ask('state.get')).toMatchObject({ type: 'success' })
    expect(page.socket.protocol).toBe('events')
    page.socket.close()
  })

  test('is refused for other paths, and without the secret of the gateway', async () => {
    expect((await connect('', KEY, { path: '/threads' }).closed).code).toBe(4404)
    expect((await connect('', KEY, { path: '/nothing' }).closed).code).toBe(4404)
    const thread = await http.newThread()
    expect((await connect(thread, KEY, { url: behind.server.url }).closed).code).toBe(4403)
  })

  test('is refused for pages of origins that may not call the server', async () => {
    const server = await testServer({ corsOrigins: ['https://good.example'] })
    const from = (origin: string) => connect(crypto.randomUUID(), { origin }, server)
    expect(await from('https://evil.example').closed).toMatchObject({
      code: 4403,
      reason: expect.stringContaining('https://evil.example'),
    })
    expect((await from('null').closed).code).toBe(4403)
    for (const origin of ['https://good.example', server.url]) {
      const socket = from(origin)
      await socket.opened
      expect(await socket.ask('made.up')).toMatchObject({ error: 'unknown_command' })
      socket.socket.close()
    }
    await server.close()
  })

  test('and each message are checked by the deployment: others see nothing of a thread', async () => {
    const own = await serverBehindGateway({ configPath: secured })
    const at = { url: own.deploymentUrl }
    const as = (name: string) => ({ authorization: `Bearer user:${name}` })
    const ada = new Http(own.deploymentUrl, as('ada'))
    const thread = await ada.newThread()
    expect(await connect(thread, KEY, at).closed).toEqual({ code: 4401, reason: 'No such user' })
    const page = connect(thread, {}, { ...at, protocols: ['events', 'authorization.Bearer%20user%3Aada'] })
    await page.ask('subscription.subscribe', { channels: ALL })
    const bob = connect(thread, as('bob'), at)
    await bob.ask('subscription.subscribe', { channels: ALL })
    const run = { assistant_id: 'whoami', input: {} }
    expect(await bob.ask('run.start', run)).toMatchObject({ type: 'error' })
    expect(await bob.ask('state.get')).toMatchObject({ type: 'error' })
    expect(await page.ask('run.start', run)).toMatchObject({ type: 'success' })
    await page.until(isRootEnd)
    await sleep(600)
    expect(bob.events()).toEqual([])
    await own.close()
    expect((await page.closed).code).toBe(1012)
  })
})

describe('a connection', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await testServer({ pingMs: 100 })
  })
  afterAll(() => server.close())

  test('is cut if the client gives no sign of life', async () => {
    const [alive, dead] = [connect('x', {}, server), connect('x', {}, server)]
    await Promise.all([alive.opened, dead.opened])
    dead.socket.pause()
    await vi.waitFor(async () => expect((await server.get('/metrics')).text).toContain('agent_websockets_open 1'))
    expect(await alive.ask('made.up')).toMatchObject({ type: 'error' })
    for (const { socket } of [alive, dead]) socket.terminate()
  })

  test.each(['GET', 'POST'])('that offers another protocol is served as if it did not (%s)', async (method) => {
    const { request } = await import('node:http')
    const answer = await new Promise<string>((resolve, reject) => {
      const headers = {
        connection: 'Upgrade, HTTP2-Settings',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABkAAQAoAAAAAIAAAAA',
        'content-type': 'application/json',
        ...KEY,
      }
      const url = `${behind.deploymentUrl}${method === 'GET' ? '/ok' : '/threads'}`
      const sent = request(url, { method, headers }, (response) => {
        let text = ''
        response.on('data', (part) => (text += part)).on('end', () => resolve(`${response.statusCode} ${text}`))
      })
      sent.on('error', reject).end(method === 'GET' ? undefined : JSON.stringify({ metadata: { a: 1 } }))
    })
    expect(answer).toMatch(method === 'GET' ? /^200 {"ok":true}/ : /^200 .*"metadata":{"a":1}/)
  })
})
