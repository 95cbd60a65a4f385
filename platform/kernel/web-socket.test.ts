import http from 'node:http'
import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenOn } from './listen'
import { chooseProtocol, onWebSocket, withCredentials } from './web-socket'

const sockets = new Set<Socket>()
const server = http.createServer((request, response) => {
  sockets.add(request.socket)
  let text = ''
  request
    .on('data', (part) => {
      text += part
    })
    .on('end', () => response.end(JSON.stringify({ upgrade: request.headers.upgrade, text })))
})
onWebSocket(server, ({ socket }) => socket.destroy())
let port: number
beforeAll(async () => {
  port = await listenOn(server, [0])
})
afterAll(() => {
  server.close()
})

test('a connection may offer another protocol with each request, whatever its body', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const send = (body: string) =>
    new Promise<{ upgrade?: string; text: string }>((resolve, reject) => {
      const headers = { connection: 'Upgrade, HTTP2-Settings', upgrade: 'h2c', 'http2-settings': 'AAM' }
      const request = http.request({ port, agent, method: 'POST', headers }, (response) => {
        let all = ''
        response
          .on('data', (part) => {
            all += part
          })
          .on('end', () => resolve(JSON.parse(all)))
      })
      request.on('error', reject).end(body)
    })
  for (const body of [...Array.from({ length: 20 }, (_, index) => `body ${index}`), 'x'.repeat(2_000_000)])
    expect(await send(body)).toEqual({ text: body })
  const [socket, ...others] = sockets
  expect(others).toEqual([])
  for (const name of socket?.eventNames() ?? []) expect(socket?.listenerCount(name)).toBeLessThan(5)
  agent.destroy()
})

test('credentials among the sub-protocols become headers, and a header that was sent takes precedence', () => {
  const protocols = [
    'Sec-WebSocket-Protocol',
    'events, x-api-key.a%20b',
    'sec-websocket-protocol',
    'authorization.Bearer%20x',
  ]
  expect(withCredentials(['A', '1', ...protocols])).toEqual([
    ...['A', '1', 'Sec-WebSocket-Protocol', 'events'],
    ...['x-api-key', 'a b', 'authorization', 'Bearer x'],
  ])
  expect(withCredentials(['X-Api-Key', 'mine', ...protocols.slice(0, 2)])).toEqual([
    ...['X-Api-Key', 'mine', 'Sec-WebSocket-Protocol', 'events'],
  ])
  for (const value of ['%', 'a%0d%0ab', 'x-pilothouse-operator.true'])
    expect(withCredentials(['sec-websocket-protocol', `x-api-key.${value}`]).join()).not.toMatch(/\r|\n|%$/)
  expect(withCredentials(['sec-websocket-protocol', 'x-pilothouse-operator.true'])).toEqual([
    ...['Sec-WebSocket-Protocol', 'x-pilothouse-operator.true'],
  ])
  expect(chooseProtocol(new Set(['x-api-key.k', 'events']))).toBe('events')
  expect(chooseProtocol(new Set(['x-api-key.k']))).toBe(false)
})
