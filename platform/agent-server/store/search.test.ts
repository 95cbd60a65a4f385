import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { query, testDatabase } from '@/scripts/testing'
import { fixtures, type TestServer, testServer } from '../testing'
import { textsOf } from './embeddings'

/** Searches by meaning. The models count letters, so that similar words are near each other. */

const folder = mkdtempSync(path.join(os.tmpdir(), 'search-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

writeFileSync(
  path.join(folder, 'letters.mjs'),
  `const count = (text) => Array.from('abcdefghijklmnopqrstuvwxyz', (letter) => text.split(letter).length - 1)
   export const embed = async (texts) => texts.map(count)
   export const embeddings = { offset: 0, embedDocuments(texts) { return Promise.resolve(texts.map((text) => count(text).map((n) => n + this.offset))) } }
   export const pair = async (texts) => texts.map(() => [1, 1])
   export const nothing = 1`,
)
function configure(index: object): string {
  const file = path.join(folder, 'graph.json')
  const graph = path.join(path.dirname(fixtures), 'memory.mjs:graph')
  writeFileSync(file, JSON.stringify({ graphs: { memory: graph }, store: { index } }))
  return file
}
const put = (server: TestServer, key: string, value: object, more: object = {}) =>
  server.request('PUT', '/store/items', { namespace: ['words'], key, value, ...more })
const search = async (server: TestServer, body: object) =>
  (await server.post('/store/items/search', { namespace_prefix: ['words'], ...body })).json.items as {
    key: string
    score?: number
  }[]
const keys = async (server: TestServer, body: object) => (await search(server, body)).map(({ key }) => key)

test.each(['embed', 'embeddings'])('with a model of a module (%s) finds the most similar first', async (name) => {
  const server = await testServer({ configPath: configure({ embed: `./letters.mjs:${name}`, fields: ['text'] }) })
  await put(server, 'cat', { text: 'cat', kind: 'animal' })
  await put(server, 'dog', { text: 'dog', kind: 'animal' })
  await put(server, 'hidden', { text: 'tact' }, { index: false })
  await put(server, 'other', { text: 'dog', title: 'act' }, { index: ['title'] })
  expect(await keys(server, { query: 'taco' })).toEqual(['other', 'cat', 'dog', 'hidden'])
  const [first] = await search(server, { query: 'act' })
  expect(first?.score).toBeCloseTo(1)
  expect(await keys(server, { query: 'good', filter: { kind: 'animal' }, limit: 1 })).toEqual(['dog'])
  await put(server, 'cat', { text: 'good' })
  expect(await keys(server, { query: 'good', limit: 1 })).toEqual(['cat'])
  expect((await search(server, {})).every((item) => !('score' in item))).toBe(true)
  await server.close()
})

test('with an OpenAI-compatible endpoint asks its model', async () => {
  const asked: unknown[] = []
  const endpoint = createServer((request, response) => {
    let text = ''
    request.on('data', (data) => {
      text += data
    })
    request.on('end', () => {
      const { input, ...more } = JSON.parse(text) as { input: string[] }
      asked.push([request.url, request.headers.authorization, more])
      const data = input.map((one, index) => ({ index, embedding: [one.includes('sun') ? 1 : 0, 1] })).reverse()
      response.writeHead(input[0] === 'break' ? 500 : 200).end(JSON.stringify({ data }))
    })
  })
  await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve))
  vi.stubEnv('OPENAI_BASE_URL', `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1/`)
  vi.stubEnv('OPENAI_API_KEY', 'key')
  const server = await testServer({ configPath: configure({ embed: 'openai:small', dims: 2, fields: ['text'] }) })
  await put(server, 'rain', { text: 'rain' })
  await put(server, 'sun', { text: 'sunny' })
  await put(server, 'more', { text: 'wind' })
  expect((await keys(server, { query: 'sun' }))[0]).toBe('sun')
  expect(asked[0]).toEqual(['/v1/embeddings', 'Bearer key', { model: 'small', dimensions: 2 }])
  expect(await server.post('/store/items/search', { namespace_prefix: [], query: 'break' })).toMatchObject({
    status: 502,
    json: { detail: expect.stringContaining('responded with status 500') },
  })
  await server.close()
  endpoint.close()
})

test('a model that is not available is logged, and one that cannot be loaded stops the start', async () => {
  vi.stubEnv('OPENAI_API_KEY', undefined)
  for (const [embed, reason] of [
    ['openai:small', 'OPENAI_API_KEY'],
    ['cohere:small', 'not available'],
  ] as const) {
    const server = await testServer({ configPath: configure({ embed }) })
    expect(server.logs.join()).toContain(reason)
    await server.close()
  }
  await expect(testServer({ configPath: configure({ embed: './letters.mjs:nothing' }) })).rejects.toThrow(
    'exports neither',
  )
})

test('fields lead into the value', () => {
  const value = { a: { b: 'one' }, list: [{ t: 'two' }, { t: 'three' }], n: 4 }
  expect(textsOf(value, ['a.b', 'list[*].t', 'list[-1].t', 'n', 'none.at.all'])).toEqual([
    'one',
    'two',
    'three',
    'three',
    '4',
  ])
  expect(textsOf({ a: 1 }, ['$'])).toEqual(['{"a":1}'])
})

test('items of a model of other dimensions have no score', async () => {
  const database = await testDatabase()
  const open = (embed: string) =>
    testServer({ databaseUrl: database.url, configPath: configure({ embed: `./letters.mjs:${embed}` }) })
  const before = await open('embed')
  await put(before, 'old', { text: 'cat' })
  await before.close()
  const after = await open('pair')
  await put(after, 'new', { text: 'cat' })
  const found = await search(after, { query: 'cat' })
  expect(found.map(({ key, score }) => [key, score])).toEqual([
    ['new', expect.closeTo(1)],
    ['old', undefined],
  ])
  await after.close()
  await database.drop()
})

const hasPgvector = async (url: string) =>
  (await query(url, "select 1 from pg_available_extensions where name = 'vector'")).length > 0

test('with pgvector in the database finds the same, by its operator', async ({ skip }) => {
  const database = await testDatabase()
  if (!(await hasPgvector(database.url))) {
    await database.drop()
    return skip('PostgreSQL has no pgvector')
  }
  await query(
    database.url,
    'create schema "my ext"; create extension vector schema "my ext"; grant usage on schema "my ext" to public',
  )
  const server = await testServer({
    databaseUrl: database.url,
    configPath: configure({ embed: './letters.mjs:embed' }),
  })
  const plain = await testServer({ configPath: configure({ embed: './letters.mjs:embed' }) })
  for (const text of ['cat', 'dog', 'tact', 'harbour', 'goodness'])
    for (const one of [server, plain]) await put(one, text, { text })
  const scores = async (one: TestServer) =>
    (await search(one, { query: 'taco' })).map(({ key, score }) => [key, score?.toFixed(5)])
  expect(await scores(server)).toEqual(await scores(plain))
  // Without the extension the search fails, so it was used.
  await query(database.url, 'drop extension vector')
  expect(await server.post('/store/items/search', { namespace_prefix: [], query: 'act' })).toMatchObject({
    status: 500,
  })
  await Promise.all([server.close(), plain.close()])
  await database.drop()
})
