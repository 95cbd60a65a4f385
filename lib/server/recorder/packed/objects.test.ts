import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { adoptEnv } from '../../process/env'
import { objectStore, toldBy } from './objects'

type Asked = { method?: string; url?: string; range?: string; authorization?: string; body: string }
let asked: Asked[]
let respond: (response: ServerResponse, request: IncomingMessage) => void
const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const { method, url, headers } = request
  asked.push({ method, url, range: headers.range, authorization: headers.authorization, body })
  respond(response, request)
})
const failing = (status: number, code: string) => (response: ServerResponse) => {
  response.writeHead(status, { 'content-type': 'application/xml' })
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>secret words</Message></Error>`)
}
const settings = (more: Record<string, string> = {}) =>
  adoptEnv({ DATABASE_URL: 'postgres://nobody@127.0.0.1/none', ...more })

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
beforeEach(() => {
  asked = []
  settings({
    ...{ S3_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, S3_BUCKET: 'bucket' },
    ...{ S3_ACCESS_KEY_ID: 'key-id', S3_SECRET_ACCESS_KEY: 'a secret' },
  })
})
afterEach(() => adoptEnv(undefined))
afterAll(() => void server.close())

test('without a bucket there is no store', () => {
  settings()
  expect(objectStore()).toBeUndefined()
})

test('objects are written, read in part and removed with signed requests below the bucket', async () => {
  const store = await objectStore()
  respond = (response, { method }) => {
    if (method === 'GET') response.writeHead(206).end('cde')
    else response.writeHead(method === 'PUT' ? 200 : 204).end()
  }
  await store?.put('a/b.gz', Buffer.from('abcdef'))
  expect((await store?.read('a/b.gz', 2, 3))?.toString()).toBe('cde')
  await store?.remove('a/b.gz')
  expect(asked.map(({ method, url, range, body }) => [method, url?.split('?')[0], range, body])).toEqual([
    ['PUT', '/bucket/a/b.gz', undefined, 'abcdef'],
    ['GET', '/bucket/a/b.gz', 'bytes=2-4', ''],
    ['DELETE', '/bucket/a/b.gz', undefined, ''],
  ])
  for (const { authorization } of asked) expect(authorization).toMatch(/Credential=key-id\//)
})

test.each([
  [404, 'NoSuchKey', 'upstream_failed', /no longer there/],
  [404, 'NoSuchBucket', 'upstream_failed', /bucket does not exist/],
  [401, 'Unauthorized', 'upstream_refused_key', /refuses the console/],
  [403, 'AccessDenied', 'upstream_refused_key', /refuses the console/],
  [400, 'InvalidRequest', 'upstream_unreachable', /does not answer/],
])(
  '%i %s is reported to a reader as what it is, without the words of the response',
  async (status, code, as, message) => {
    respond = failing(status, code)
    const read = (await objectStore())?.read('a', 0, 3)
    await expect(read).rejects.toMatchObject({ code: as, message: expect.stringMatching(message) })
    await expect(read).rejects.not.toMatchObject({ message: expect.stringContaining('secret words') })
    expect(asked).toHaveLength(1)
  },
)

test('a store that fails is asked once more', async () => {
  respond = (response) => (asked.length === 1 ? failing(503, 'SlowDown')(response) : response.writeHead(206).end('abc'))
  expect((await (await objectStore())?.read('a', 0, 3))?.toString()).toBe('abc')
  respond = failing(503, 'SlowDown')
  await expect((await objectStore())?.remove('a')).rejects.toThrow()
  expect(asked).toHaveLength(4)
})

test.each(['', 'ab', 'abcd'])('an object with %j where three bytes are expected is not read', async (text) => {
  respond = (response) => response.writeHead(206).end(text)
  await expect((await objectStore())?.read('a', 0, 3)).rejects.toMatchObject({ code: 'upstream_unreachable' })
})

test('what is logged of an error is its code or name, and its status if there is one', () => {
  const answer = { code: 'NoSuchKey', name: 'Error', message: 'secret words', $metadata: { httpStatusCode: 404 } }
  expect(toldBy(answer)).toEqual({ reason: 'NoSuchKey', status: 404 })
  expect(toldBy({ name: 'AccessDenied', $metadata: {} })).toEqual({ reason: 'AccessDenied' })
  expect(toldBy({})).toEqual({ reason: 'unknown' })
})
