import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { openIndex, textsOf } from './embeddings'

const folder = mkdtempSync(path.join(os.tmpdir(), 'embeddings-'))
writeFileSync(
  path.join(folder, 'own.mjs'),
  `export default async (texts) => texts.map(() => [3, 4])
   export const zero = async (texts) => texts.map(() => [0, 0])
   export const model = { length: 5, async embedDocuments(texts) { return texts.map(() => [this.length, 0]) } }
   export const broken = async () => { throw new Error('no memory') }
   export const nothing = { embedDocuments: 1 }`,
)
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.unstubAllEnvs())

async function open(config: Parameters<typeof openIndex>[0]) {
  const lines: string[] = []
  return { index: await openIndex(config, folder, (line) => lines.push(line)), lines }
}

describe('an index', () => {
  test('is none where the graph file asks for none', async () => {
    for (const config of [undefined, null, {}, { embed: null }, { embed: '' }, { fields: ['a'] }])
      expect(await open(config)).toEqual({ index: undefined, lines: [] })
  })

  test('has vectors of length 1 by a function or a model of the deployment', async () => {
    const vectors = async (embed: string) => (await open({ embed })).index?.embed(['a', 'b'])
    expect(await vectors('./own.mjs')).toEqual([
      [0.6, 0.8],
      [0.6, 0.8],
    ])
    expect(await vectors('./own.mjs:model')).toEqual([
      [1, 0],
      [1, 0],
    ])
    expect(await vectors('./own.mjs:zero')).toEqual([
      [0, 0],
      [0, 0],
    ])
    expect(await vectors(path.join(folder, 'own.mjs'))).toHaveLength(2)
  })

  test('is of the whole value unless fields are named, and asks no model for no text', async () => {
    const { index } = await open({ embed: './own.mjs:broken' })
    expect([index?.fields, await index?.embed([])]).toEqual([['$'], []])
    expect((await open({ embed: './own.mjs', fields: [] })).index?.fields).toEqual(['$'])
    expect((await open({ embed: './own.mjs', fields: ['a', 'b'] })).index?.fields).toEqual(['a', 'b'])
    await expect(index?.embed(['a'])).rejects.toMatchObject({
      status: 502,
      detail: 'The texts cannot be embedded: no memory',
    })
  })

  test('of a module without a model stops the start', async () => {
    for (const name of ['nothing', 'missing'])
      await expect(open({ embed: `./own.mjs:${name}` })).rejects.toThrow(
        `store.index.embed: ./own.mjs:${name} exports neither a function nor embeddings`,
      )
  })

  test.each([
    ['cohere:small', 'cohere:small is not available; use openai:MODEL'],
    ['openai', 'openai is not available'],
    ['openai:', 'openai: is not available'],
    ['openai:small', 'openai:small needs OPENAI_API_KEY.'],
    ['own.mjs:model', 'own.mjs:model is not available'],
  ])('of %s is none, which is logged', async (embed, reason) => {
    vi.stubEnv('OPENAI_API_KEY', undefined)
    const { index, lines } = await open({ embed })
    expect([index, lines]).toEqual([
      undefined,
      [expect.stringContaining(`Items are not searched by meaning: ${reason}`)],
    ])
  })
})

describe('an OpenAI-compatible endpoint', () => {
  const asked: [string | undefined, IncomingMessage['headers'], unknown][] = []
  let status = 200
  const endpoint = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString())
    asked.push([`${request.method} ${request.url}`, request.headers, body])
    const data = (body.input as string[]).map((text, index) => ({ index, embedding: [text.length, 0] })).reverse()
    response.writeHead(status).end(JSON.stringify({ data }))
  })
  beforeAll(() => new Promise<void>((resolve) => void endpoint.listen(0, '127.0.0.1', resolve)))
  afterAll(() => void endpoint.close())

  test('is asked for all texts at once, and its vectors are in their order', async () => {
    vi.stubEnv('OPENAI_BASE_URL', `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/v1`)
    vi.stubEnv('OPENAI_API_KEY', 'key')
    const { index } = await open({ embed: 'openai:org/small:free', dims: 2 })
    expect(await index?.embed(['', 'abc'])).toEqual([
      [0, 0],
      [1, 0],
    ])
    expect(asked).toEqual([
      [
        'POST /v1/embeddings',
        expect.objectContaining({ authorization: 'Bearer key', 'content-type': 'application/json' }),
        { model: 'org/small:free', input: ['', 'abc'], dimensions: 2 },
      ],
    ])
    const plain = (await open({ embed: 'openai:small' })).index
    await plain?.embed(['a'])
    expect(asked[1]?.[2]).toEqual({ model: 'small', input: ['a'] })
    status = 429
    await expect(plain?.embed(['a'])).rejects.toMatchObject({
      status: 502,
      detail: 'The texts cannot be embedded: The embedding model responded with status 429.',
    })
  })
})

test.each<[string, string[]]>([
  ['$', ['{"a":{"b":"one"},"list":[{"t":"two"},{"t":"three"},7],"n":4,"none":null}']],
  ['a.b', ['one']],
  ['a', ['{"b":"one"}']],
  ['list[*].t', ['two', 'three']],
  ['list[0].t', ['two']],
  ['list[-2]', ['{"t":"three"}']],
  ['list[9]', []],
  ['list[*]', ['{"t":"two"}', '{"t":"three"}', '7']],
  ['a[0]', []],
  ['a[*]', []],
  ['n', ['4']],
  ['n.deeper', []],
  ['none', []],
  ['none.deeper', []],
  ['missing.at.all', []],
])('the field %s of an item has the texts %j', (field, texts) => {
  const value = { a: { b: 'one' }, list: [{ t: 'two' }, { t: 'three' }, 7], n: 4, none: null }
  expect(textsOf(value, [field])).toEqual(texts)
  expect(textsOf(value, [field, 'n'])).toEqual([...texts, '4'])
})
