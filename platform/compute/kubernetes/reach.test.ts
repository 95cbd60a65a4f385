import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readOnceReached } from './reach'

const SILENT = 0
let answers: number[] = []
const server = http.createServer((_request, response) => {
  const answer = answers.shift() ?? 200
  if (answer !== SILENT) response.writeHead(answer, { 'x-pilothouse-authenticates': 'true' }).end()
})
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

function ask(given: number[], limitMs?: number, signal = new AbortController().signal) {
  answers = given
  const { port } = server.address() as AddressInfo
  return readOnceReached({ host: '127.0.0.1', port, secret: 's' }, signal, limitMs)
}

test('a service that leads nowhere at first is asked again', async () => {
  expect(await ask([503, 404])).toBe(true)
})

test('one that does not answer at first is asked again soon', async () => {
  const began = Date.now()
  expect(await ask([SILENT])).toBe(true)
  expect(Date.now() - began).toBeLessThan(5000)
})

test('one that stays out of reach is given up with its last answer', async () => {
  await expect(ask([404], 0)).rejects.toThrow('GET /ok gave 404')
})

test('nothing is asked after the roll-out was interrupted', async () => {
  await expect(ask([503], undefined, AbortSignal.abort())).rejects.toThrow()
  expect(answers).toEqual([503])
})
