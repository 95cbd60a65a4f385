import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { until } from '../recorder/testing'
import { pipeToResponse } from './direct-streams'
import { keepNodeResponses, LIVE_PATH, nodeResponse } from './node-response'
import { Outlet } from './outlet'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** A server that sends the body of the outlet that `open` makes, as Next.js does. */
async function serve(open: (response: ServerResponse) => Outlet): Promise<{ url: string; failures: unknown[] }> {
  keepNodeResponses()
  const failures: unknown[] = []
  const respond = async (response: ServerResponse) => {
    await null // a route handler never runs in the turn of the request event
    await pipeToResponse(open(response).body, response)
  }
  const server = createServer((_, response) => {
    respond(response).catch((error: unknown) => failures.push(error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${LIVE_PATH}`, failures }
}

async function ask(url: string): Promise<IncomingMessage> {
  const request = get(url)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.on('error', () => {})
  ends.push(() => request.destroy())
  return response
}
const textOf = async (response: IncomingMessage) => {
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  return Buffer.concat(parts).toString()
}

test('bytes written before, with and after the headers arrive whole and in order', async () => {
  let outlet: Outlet | undefined
  const { url } = await serve(() => {
    expect(nodeResponse()).toBeDefined()
    outlet = new Outlet(nodeResponse(), { onRoom: () => {}, onGone: () => {} })
    outlet.write([Buffer.from('early '), Buffer.from('too ')])
    return outlet
  })
  const response = await ask(url)
  await until(() => outlet?.hasRoom)
  for (let n = 0; n < 200; n++) outlet?.write([Buffer.from(`${n} `)])
  outlet?.write([Buffer.from('last')])
  outlet?.close()
  outlet?.write([Buffer.from('never')])
  const numbers = Array.from({ length: 200 }, (_, n) => `${n} `).join('')
  expect(await textOf(response)).toBe(`: open\n\nearly too ${numbers}last`)
})

test('a body that ends before its headers left is still sent whole', async () => {
  const { url } = await serve(() => {
    const outlet = new Outlet(nodeResponse(), { onRoom: () => {}, onGone: () => {} })
    outlet.write([Buffer.from('refused')])
    outlet.close()
    return outlet
  })
  expect(await textOf(await ask(url))).toBe(': open\n\nrefused')
})

test('a client that stops reading runs out of room, and gets room again when it reads on', async () => {
  let outlet: Outlet | undefined
  let rooms = 0
  const { url } = await serve(() => {
    outlet = new Outlet(nodeResponse(), { onRoom: () => rooms++, onGone: () => {} })
    return outlet
  })
  const response = await ask(url)
  response.pause()
  await until(() => outlet?.hasRoom)
  const piece = Buffer.alloc(128 * 1024, 'x')
  let written = 0
  // The kernel's buffers between the two take the first pieces.
  for (let tries = 0; tries < 400 && outlet?.hasRoom; tries++) {
    outlet.write([piece])
    written += piece.length
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(outlet?.hasRoom).toBe(false)
  const before = rooms
  let read = 0
  response.on('data', (data: Buffer) => {
    read += data.length
  })
  response.resume()
  await until(() => outlet?.hasRoom)
  expect(rooms).toBeGreaterThan(before)
  await until(() => read === written + ': open\n\n'.length)
})

test('a client that disconnects is reported once, and nothing more is written', async () => {
  let gone = 0
  let outlet: Outlet | undefined
  const { url } = await serve(() => {
    outlet = new Outlet(nodeResponse(), { onRoom: () => {}, onGone: () => gone++ })
    return outlet
  })
  const response = await ask(url)
  await until(() => outlet?.hasRoom)
  response.destroy()
  await until(() => gone > 0)
  expect(outlet?.hasRoom).toBe(false)
  outlet?.write([Buffer.from('x')])
  outlet?.close()
  expect(gone).toBe(1)
})

test.each(['headers leave late', 'the response is compressed'])(
  'when %s, everything goes through the framework, whole and in order',
  async (reason) => {
    let outlet: Outlet | undefined
    let rooms = 0
    const { url } = await serve((response) => {
      if (reason === 'the response is compressed') response.setHeader('content-encoding', 'identity')
      const events = { onRoom: () => rooms++, onGone: () => {} }
      outlet = new Outlet(response, events, { headersTimeoutMs: reason === 'headers leave late' ? 0 : undefined })
      outlet.write([Buffer.from('early ')])
      return outlet
    })
    const response = await ask(url)
    await until(() => rooms > 0)
    for (let n = 0; n < 200; n++) outlet?.write([Buffer.from(`${n} `)])
    expect(outlet?.isDirect).toBe(false)
    outlet?.close()
    expect(await textOf(response)).toBe(`: open\n\nearly ${Array.from({ length: 200 }, (_, n) => `${n} `).join('')}`)
  },
)
