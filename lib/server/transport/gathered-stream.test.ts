import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { gatheredStream, setDirectReads, sourceOf } from './gathered-stream'

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()
const numbers = Array.from({ length: 100 }, (_, n) => `${n},`)

const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** Both ends of a response. */
async function openResponse(): Promise<{ server: ServerResponse; body: IncomingMessage }> {
  const http = createServer().listen(0, '127.0.0.1')
  await once(http, 'listening')
  ends.push(() => {
    http.closeAllConnections()
    http.close()
  })
  const request = get({ port: (http.address() as AddressInfo).port, host: '127.0.0.1', agent: false })
  const [, server] = (await once(http, 'request')) as [IncomingMessage, ServerResponse]
  server.socket?.setNoDelay(true)
  server.flushHeaders()
  const [body] = (await once(request, 'response')) as [IncomingMessage]
  return { server, body }
}

describe.each(['direct reads', "Node's public API"])('with %s', (way) => {
  beforeEach(() => setDirectReads(way === 'direct reads'))
  afterEach(() => setDirectReads(true))

  test('everything since the last read comes as one chunk, and the end follows it', async () => {
    const { server, body } = await openResponse()
    const done = vi.fn()
    const reader = gatheredStream(body, done).getReader()
    const first = reader.read()
    server.write('first')
    expect(text((await first).value)).toBe('first')
    const taken = body.socket.bytesRead
    for (const one of numbers) {
      server.write(one)
      await setTimeout(0)
    }
    if (way === 'direct reads') expect(body.socket.bytesRead).toBe(taken) // the rest waits in the kernel
    let seen = ''
    let reads = 0
    for (; seen.length < numbers.join('').length; reads++) seen += text((await reader.read()).value)
    expect(seen).toBe(numbers.join(''))
    expect(reads).toBeLessThan(5) // one, plus what a busy machine delivers late
    const waiting = reader.read()
    server.write('late')
    expect(text((await waiting).value)).toBe('late')
    server.end('rest')
    expect(text((await reader.read()).value)).toBe('rest')
    expect((await reader.read()).done).toBe(true)
    expect(done).toHaveBeenCalledTimes(1)
  })

  test('data larger than one read of the connection arrives whole and in order', async () => {
    const { server, body } = await openResponse()
    const sent = Array.from({ length: 50_000 }, (_, n) => `event ${n} of many\n`)
    for (const one of sent) server.write(one)
    server.end()
    let seen = ''
    for await (const piece of gatheredStream(body, () => {})) seen += text(piece)
    expect(seen).toBe(sent.join(''))
  })

  test('its source gives the same by calls, also to one who asks again at once', async () => {
    const { server, body } = await openResponse()
    const source = sourceOf(gatheredStream(body, () => {}))
    let seen = ''
    let calls = 0
    const ended = new Promise<unknown>((resolve) => {
      const take = (bytes: Uint8Array | undefined, failure?: unknown) => {
        if (!bytes) return resolve(failure)
        calls++
        seen += text(bytes)
        source.read(take)
      }
      source.read(take)
    })
    server.cork() // what arrives together is given together, although each is a chunk of its own
    for (const one of numbers) server.write(one)
    server.uncork()
    await expect.poll(() => seen).toBe(numbers.join(''))
    expect(calls).toBeLessThan(5)
    for (const one of numbers) {
      server.write(one)
      await setTimeout(0)
    }
    server.end()
    expect([await ended, seen]).toEqual([undefined, numbers.join('').repeat(2)])
  })

  test('a reader that stops reading holds the sender back', async () => {
    const { server, body } = await openResponse()
    const reader = gatheredStream(body, () => {}).getReader()
    const piece = Buffer.alloc(1024 * 1024, 'x')
    let hasRoom = true
    for (let written = 0; hasRoom && written < 64; written++) {
      hasRoom = server.write(piece)
      if (!hasRoom) hasRoom = await Promise.race([once(server, 'drain').then(() => true), setTimeout(200, false)])
    }
    expect(hasRoom).toBe(false)
    await reader.cancel()
  })
})

test.each(['a connection', 'any other stream'])(
  'a break of %s is an error for the reader, never an end',
  async (kind) => {
    const body = kind === 'a connection' ? undefined : new PassThrough()
    const { server, body: received } = await openResponse()
    const done = vi.fn()
    const reader = gatheredStream(body ?? received, done).getReader()
    const first = reader.read()
    ;(body ?? server).write('a')
    expect(text((await first).value)).toBe('a')
    const waiting = reader.read()
    if (body) body.destroy(new Error('aborted'))
    else server.destroy()
    await expect(waiting).rejects.toThrow('aborted')
    await expect.poll(() => done.mock.calls.length).toBe(1)
  },
)

test('a reader that cancels closes the connection', async () => {
  const { server, body } = await openResponse()
  const done = vi.fn()
  const reader = gatheredStream(body, done).getReader()
  server.write('a')
  await reader.read()
  const gone = once(server, 'close')
  await reader.cancel()
  await gone
  expect(done).toHaveBeenCalledTimes(1)
})
