import { once } from 'node:events'
import { createServer, type Server, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getPathMatch } from 'next/dist/shared/lib/router/utils/path-match'
import { afterAll, beforeAll, expect, test } from 'vitest'
import config from '@/next.config.mjs'
import { adoptEnv } from '../process/env'
import { startRequestGuard } from './request-guard'
import { offerShortcut } from './shortcut'

let server: Server
let at: string
let seen: { text: string; cookie: string | null; signal: AbortSignal } | undefined
let body: () => ReadableStream<Uint8Array> | string

beforeAll(async () => {
  adoptEnv({ DATABASE_URL: 'postgres://x@127.0.0.1:1/x', NEXTAUTH_SECRET: 'x'.repeat(32) })
  startRequestGuard()
  server = createServer((_, response) => response.end('the framework'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  expect(await (await fetch(`${at}/api/live`, { method: 'POST' })).text()).toBe('the framework')
  offerShortcut('/api/live', async (request) => {
    seen = { text: await request.text(), cookie: request.headers.get('cookie'), signal: request.signal }
    return new Response(body(), { status: 202, headers: { vary: 'cookie', 'x-content-type-options': 'other' } })
  })
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  adoptEnv(undefined)
})

test('a request reaches the handler whole, and only one with its method and path', async () => {
  body = () => 'answered'
  const headers = { cookie: 'a=1; b=2' }
  const response = await fetch(`${at}/api/live`, { method: 'POST', headers, body: 'é'.repeat(5_000) })
  expect([response.status, await response.text()]).toEqual([202, 'answered'])
  expect(seen).toMatchObject({ text: 'é'.repeat(5_000), cookie: 'a=1; b=2' })
  for (const [method, path] of [
    ['GET', '/api/live'],
    ['POST', '/api/live/'],
    ['POST', '/api/live?x=1'],
    ['POST', '/api/other'],
  ])
    expect(await (await fetch(at + path, { method })).text(), `${method} ${path}`).toBe('the framework')
})

test('its response has the headers that every other response of the API has', async () => {
  body = () => 'answered'
  const rules = (await config.headers?.()) ?? []
  for (const proto of ['http', 'https', 'https,http']) {
    const { headers } = await fetch(`${at}/api/live`, { method: 'POST', headers: { 'x-forwarded-proto': proto } })
    const due = rules
      .filter(({ source }) => getPathMatch(source)('/api/live'))
      .filter(({ has = [] }) => has.every(({ value }) => new RegExp(`^${value}$`).test(proto)))
      .flatMap((rule) => rule.headers)
    expect(due.length).toBeGreaterThan(5)
    for (const { key, value } of due) expect(headers.get(key), key).toBe(value)
    expect(headers.get('vary')).toBe('cookie')
    expect(headers.has('strict-transport-security')).toBe(proto !== 'http')
  }
})

test('a client that leaves ends the body and is told by the signal', async () => {
  let onCancel = () => {}
  const cancelled = new Promise<void>((resolve) => {
    onCancel = resolve
  })
  body = () => new ReadableStream({ start: (one) => one.enqueue(Buffer.from('first')), cancel: onCancel })
  const client = send(`${at}/api/live`, { method: 'POST' }).end()
  client.on('error', () => {})
  const [response] = await once(client, 'response')
  await once(response, 'data')
  client.destroy()
  await cancelled
  await expect.poll(() => seen?.signal.aborted).toBe(true)
})

test('a handler that fails ends the connection, and the server goes on', async () => {
  body = () => {
    throw new Error('broken')
  }
  await expect(fetch(`${at}/api/live`, { method: 'POST' })).rejects.toThrow()
  body = () => 'answered'
  expect((await fetch(`${at}/api/live`, { method: 'POST' })).status).toBe(202)
})
