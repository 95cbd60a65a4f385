import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { until } from '../recorder/testing'
import { keepNodeResponses, nodeResponse } from './node-response'
import { Outlet } from './outlet'

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Answers as the framework does: headers with the first piece of the body, which is piped into Node's answer. */
async function serve(open: () => Outlet): Promise<{ url: string; failures: unknown[] }> {
  keepNodeResponses()
  const failures: unknown[] = []
  const pipe = async (response: ServerResponse) => {
    await null // a handler is never called at once
    const { body } = open()
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const into = new WritableStream<Uint8Array>({
      write(piece) {
        response.flushHeaders()
        response.write(piece)
      },
      close: () => void response.end(),
    })
    await body.pipeTo(into, { signal: gone.signal })
  }
  const server = createServer((_, response) => {
    pipe(response).catch((error: unknown) => failures.push(error))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/live`, failures }
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

test('what is written before the headers, after them, and last arrives whole and in order', async () => {
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

test('an answer that ends before its headers are out still carries what was said', async () => {
  const { url } = await serve(() => {
    const outlet = new Outlet(nodeResponse(), { onRoom: () => {}, onGone: () => {} })
    outlet.write([Buffer.from('refused')])
    outlet.close()
    return outlet
  })
  expect(await textOf(await ask(url))).toBe(': open\n\nrefused')
})

test('one who reads nothing has no room after a while, and is asked again when it reads on', async () => {
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
  // What fits into the system's own buffers between the two leaves at once.
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

test('when the one who reads leaves, that is told once and nothing is written any more', async () => {
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
