import { once } from 'node:events'
import { createServer, get, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { checkDirectStreams, pipeToResponse, startDirectStreams, stopDirectStreams } from './direct-streams'
import { setDirectReads } from './gathered-stream'
import { keepNodeResponses } from './node-response'

vi.unmock('../process/log')

let lines: string[] = []
beforeEach(() => {
  lines = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
})
afterEach(() => {
  vi.restoreAllMocks()
  stopDirectStreams()
})

test('the self-check passes on this Node version, and logs nothing', async () => {
  await startDirectStreams('on')
  await checkDirectStreams() // still on
  expect(lines).toEqual([])
})

test('off turns both off', async () => {
  await startDirectStreams('off')
  await expect(checkDirectStreams()).rejects.toThrow('no Node response')
  keepNodeResponses()
  await expect(checkDirectStreams()).rejects.toThrow('keeps reading')
  expect(lines).toEqual([])
})

test('a failed self-check turns both off and logs one line with the reason', async () => {
  await startDirectStreams('on', () => Promise.reject(new Error('Internals changed.')))
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    level: 'warn',
    event: 'direct_streams.unavailable',
    error: { message: 'Internals changed.' },
  })
  await expect(checkDirectStreams()).rejects.toThrow('no Node response')
  keepNodeResponses()
  await expect(checkDirectStreams()).rejects.toThrow('keeps reading')
})

test('a self-check that hangs is given up', async () => {
  setDirectReads(true)
  keepNodeResponses()
  await expect(checkDirectStreams(0)).rejects.toThrow('longer than 0 ms')
})

test('a body is read only as fast as its client reads, and is left with the client', async () => {
  const CHUNK = Buffer.alloc(64 * 1024)
  let sent = 0
  let isLeft = false
  let response: ServerResponse | undefined
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += CHUNK.length
        if (sent > 64 * 1024 * 1024) controller.close()
        else controller.enqueue(CHUNK)
      },
      cancel: () => {
        isLeft = true
      },
    })
  const server = createServer((_, given) => {
    response = given
    void pipeToResponse(body(), given).catch(() => {})
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const request = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, agent: false })
  request.on('error', () => {})
  const [slow] = await once(request, 'response')
  slow.on('error', () => {})
  await expect.poll(() => response?.writableNeedDrain).toBe(true)
  expect(response?.writableLength).toBeLessThan(1024 * 1024)
  expect(sent).toBeLessThan(32 * 1024 * 1024)
  request.destroy()
  await expect.poll(() => isLeft).toBe(true)
  server.close()
})
