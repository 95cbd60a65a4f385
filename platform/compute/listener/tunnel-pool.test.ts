import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { TunnelPool } from './tunnel-pool'
import { READY } from './tunnel-wire'

const TARGET = { service: 'agent-a', namespace: 'default' }

let server: WebSocketServer
const ends: WebSocket[] = []
beforeAll(async () => {
  server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
})
afterAll(() => {
  for (const end of ends) end.terminate()
  server.close()
})

/** A tunnel from a listener that answers, or from one whose network is gone. */
async function tunnel(kind: 'good' | 'silent'): Promise<WebSocket> {
  const end = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { autoPong: kind === 'good' })
  ends.push(end)
  if (kind === 'good')
    end.once('message', () => {
      end.send(READY)
      end.on('message', (data) => end.send(`echo ${data}`))
    })
  const [socket] = (await once(server, 'connection')) as [WebSocket]
  return socket
}

test.each([['silent', 'good'] as const, ['good', 'silent'] as const])(
  'a connection is made with a tunnel that is %s and one that is %s',
  async (...kinds) => {
    const pool = new TunnelPool()
    for (const kind of kinds) pool.add(await tunnel(kind))
    const stream = await pool.connect(TARGET)
    stream.write('hello')
    expect(String((await once(stream, 'data'))[0])).toBe('echo hello')
    stream.destroy()
  },
  20_000,
)

test('a tunnel that does not answer pings is closed before it is used, and one in use is left alone', async () => {
  const pool = new TunnelPool(500)
  const [used, silent, good] = [await tunnel('good'), await tunnel('silent'), await tunnel('good')]
  pool.add(used)
  const stream = await pool.connect(TARGET)
  used.pause()
  pool.add(silent)
  pool.add(good)
  await once(silent, 'close')
  expect([good, used].map(({ readyState }) => readyState)).toEqual([WebSocket.OPEN, WebSocket.OPEN])
  stream.destroy()
  pool.closeAll()
})
