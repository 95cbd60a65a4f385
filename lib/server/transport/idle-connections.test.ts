import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { closeIdleAtStop } from './idle-connections'

test('a server that stops closes connections whose responses end only then', async () => {
  const stop = new AbortController()
  Object.assign(globalThis, { pilothouseShutdown: stop })
  const held: ServerResponse[] = []
  const server = createServer((_, response) => {
    closeIdleAtStop(server)
    response.write('a live stream')
    held.push(response)
  })
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
  Object.assign(globalThis, { pilothouseShutdown: undefined })
})
