import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { closeIdleAtStop } from './idle-connections'

let stop: AbortController
beforeEach(() => {
  stop = new AbortController()
  Object.assign(globalThis, { pilothouseShutdown: stop })
})
afterEach(() => {
  Object.assign(globalThis, { pilothouseShutdown: undefined })
  vi.useRealTimers()
})

test('a server that stops closes connections whose responses end only then', async () => {
  const held: ServerResponse[] = []
  const server = createServer((_, response) => {
    response.write('a live stream')
    held.push(response)
  })
  closeIdleAtStop(server)
  server.keepAliveTimeout = 75_000
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const agent = new Agent({ keepAlive: true })
  const { port } = server.address() as AddressInfo
  const [response] = (await once(get({ host: '127.0.0.1', port, agent }), 'response')) as [IncomingMessage]
  const closed = once(server, 'close')
  server.close()
  stop.abort()
  held[0]?.end()
  response.resume()
  await once(response, 'end')
  await closed
  expect(server.listening).toBe(false)
  agent.destroy()
})

test('a server that stops ends each connection with its response, which arrives whole', async () => {
  vi.useFakeTimers({ toFake: ['setInterval'] }) // without the regular look
  const body = 'x'.repeat(1_000_000)
  const server = createServer((_, response) => void response.end(body))
  closeIdleAtStop(server)
  server.keepAliveTimeout = 75_000
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const { port } = server.address() as AddressInfo
  const ask = async () => {
    const [response] = (await once(get({ host: '127.0.0.1', port, agent }), 'response')) as [IncomingMessage]
    const { socket } = response
    return { socket, text: await text(response) }
  }
  const [first, second] = [await ask(), await ask()]
  expect(second.socket).toBe(first.socket)
  stop.abort()
  const last = await ask()
  expect([last.socket === first.socket, last.text]).toEqual([true, body])
  await once(last.socket, 'close')
  agent.destroy()
  server.close()
})

test('a server that stops closes connections that sent nothing yet, and answers those that did', async () => {
  const server = createServer((_, response) => void response.end('answered'))
  closeIdleAtStop(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const openedAhead = connect(port, '127.0.0.1').resume()
  await once(server, 'connection')
  const asking = connect(port, '127.0.0.1')
  const [accepted] = (await once(server, 'connection')) as [Socket]
  asking.write('GET / HTTP/1.1\r\n')
  await expect.poll(() => accepted.bytesRead).toBeGreaterThan(0)
  const closed = once(server, 'close')
  server.close()
  stop.abort()
  await once(openedAhead, 'close')
  asking.write('host: x\r\n\r\n')
  expect(await text(asking)).toContain('answered')
  await closed
})
