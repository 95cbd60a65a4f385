import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RowSchemas } from '@/lib/contracts/wire/api'
import type { HttpError } from '../kernel/errors'
import { explainStoreError, parseRequest, type Reply, segmentsOf, toResponse } from './http'

const refusal = (error: unknown) => ({ status: (error as HttpError).status, detail: (error as HttpError).detail })
const tooDeep = [{ loc: ['body'], msg: 'The data is nested too deeply', type: 'value_error' }]

describe('a request', () => {
  const one = z.union([z.string(), z.array(z.string())]).optional()
  const schemas = {
    query: z.strictObject({ mode: one, limit: z.coerce.number().optional() }),
    body: z.strictObject({ a: z.unknown().optional(), in: z.strictObject({ b: z.int().optional() }).optional() }),
    response: z.unknown(),
  } as unknown as RowSchemas
  const parse = (search: string, text = '', given = schemas, ignored: string[] = []) =>
    parseRequest(
      given,
      new URL(`http://localhost/x${search}`),
      async () => text,
      (field) => ignored.push(field),
    )
  const query = async (search: string) => (await parse(search)).query

  test.each<[string, object]>([
    ['', {}],
    ['?mode=a', { mode: 'a' }],
    ['?mode=a&mode=b', { mode: ['a', 'b'] }],
    ['?mode=&mode=a', { mode: 'a' }],
    ['?mode=&limit=%20', {}],
    ['?mode=["a","b"]', { mode: ['a', 'b'] }],
    ['?mode=["a"]&mode=b', { mode: ['a', 'b'] }],
    ['?mode=["a"]', { mode: 'a' }],
    ['?mode=[]', {}],
    ['?mode=["a",1]', { mode: '["a",1]' }],
    ['?mode=[a', { mode: '[a' }],
    ['?mode={"a":1}', { mode: '{"a":1}' }],
    ['?mode="a"', { mode: '"a"' }],
    ['?limit=5', { limit: 5 }],
  ])('with the query %s has the values %j', async (search, values) => {
    expect(await query(search)).toEqual(values)
  })

  test('may have no body where one is expected, but not be anything else than JSON', async () => {
    for (const text of ['', ' \n']) expect((await parse('', text)).body).toEqual({})
    expect((await parse('', '{"a":12345678901234567890}')).body).toMatchObject({ a: { value: '12345678901234567890' } })
    const error = await parse('', '{"a":').catch(refusal)
    expect(error).toEqual({
      status: 422,
      detail: [{ loc: ['body'], msg: expect.stringMatching(/^JSON decode error: ./), type: 'json_invalid' }],
    })
  })

  test('that is nested too deeply is refused', async () => {
    const deep = `{"a":${'['.repeat(600)}${']'.repeat(600)}}`
    expect(await parse('', deep).catch(refusal)).toEqual({ status: 422, detail: tooDeep })
  })

  test('has its wrong fields told by their places', async () => {
    expect(await parse('?limit=x').catch(refusal)).toMatchObject({ status: 422, detail: [{ loc: ['query', 'limit'] }] })
    expect(await parse('', '{"in":{"b":"x"}}').catch(refusal)).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'in', 'b'] }],
    })
  })

  test('has its unknown fields ignored, which are told by their places', async () => {
    const ignored: string[] = []
    const parsed = await parse('?colour=red&mode=a', '{"a":1,"in":{"b":1,"c":2},"d":3}', schemas, ignored)
    expect(parsed).toEqual({ query: { mode: 'a' }, body: { a: 1, in: { b: 1 } } })
    expect(ignored.sort()).toEqual(['body.d', 'body.in.c', 'query.colour'])
    ignored.length = 0
    await parse('?colour=&mode=', '', schemas, ignored)
    expect(ignored).toEqual([])
    const url = new URL('http://localhost/?colour=red')
    expect(await parseRequest(schemas, url, async () => '')).toEqual({ query: {}, body: {} })
  })

  test('of an operation without query and body is not read', async () => {
    const none = { response: z.unknown() } as unknown as RowSchemas
    const read = () => Promise.reject(new Error('read'))
    expect(await parseRequest(none, new URL('http://localhost/?a=1'), read)).toEqual({ query: {}, body: undefined })
  })

  test('that a schema cannot check is no refusal', async () => {
    const broken = z.unknown().transform(() => {
      throw new Error('a defect')
    })
    await expect(parse('', '{}', { body: broken, response: z.unknown() } as never)).rejects.toThrow('a defect')
  })
})

test('an encoded slash is part of its segment, and an invalid encoding is not found', () => {
  expect(segmentsOf('/a//b%2Fc/d%20e/')).toEqual(['a', 'b/c', 'd e'])
  expect(segmentsOf('/')).toEqual([])
  try {
    segmentsOf('/%E0%A4')
    expect.unreachable()
  } catch (error) {
    expect(refusal(error)).toEqual({ status: 404, detail: 'Not Found' })
  }
})

test('of the errors of the store, only those of the caller are told', () => {
  const withCode = (code: string) => Object.assign(new Error('x'), { code })
  for (const code of ['22P05', '22021'])
    expect(explainStoreError(withCode(code))).toMatchObject({
      status: 422,
      detail: [{ loc: ['body'], msg: 'Null characters are not allowed in metadata, configuration and context' }],
    })
  // The message is in the language of the database.
  const half = Object.assign(new Error('ungültige Eingabesyntax'), { code: '22P02', routine: 'json_errsave_error' })
  expect(explainStoreError(half)).toMatchObject({ status: 422, detail: [{ loc: ['body'] }] })
  expect(explainStoreError(new RangeError('Maximum call stack size exceeded'))).toMatchObject({ detail: tooDeep })
  for (const error of [
    withCode('23505'),
    withCode('22P02'),
    Object.assign(withCode('22P02'), { routine: 'string_to_uuid' }),
    Object.assign(withCode('22023'), { routine: 'json_errsave_error' }),
    null,
    undefined,
    new RangeError('Invalid count'),
    new Error('call stack'),
    'call stack',
  ])
    expect(explainStoreError(error)).toBeUndefined()
})

describe('a reply', () => {
  const respond = (reply: Reply) =>
    new Hono().get('/', (context) => toResponse(context, reply)).request('/') as Promise<Response>

  test.each<[string, Reply, number, string, string | null]>([
    ['a record', { body: { a: 1 } }, 200, '{"a":1}', 'application/json'],
    ['null', { body: null }, 200, 'null', 'application/json'],
    ['a record with a status', { body: {}, status: 202 }, 202, '{}', 'application/json'],
    ['nothing', {}, 204, '', null],
    ['nothing with a status', { status: 304 }, 304, '', null],
    ['an empty text', { text: '', body: 1 }, 200, '', null],
    ['a text with headers', { text: 'hi', headers: { 'content-type': 'text/css' } }, 200, 'hi', 'text/css'],
  ])('of %s is sent as it is', async (_, reply, status, text, type) => {
    const response = await respond(reply)
    expect([response.status, await response.text()]).toEqual([status, text])
    if (type) expect(response.headers.get('content-type')).toContain(type)
    else expect(response.headers.get('content-type') ?? '').not.toContain('json')
  })

  test('of a stream is sent with its headers, in place of a body', async () => {
    const stream = new Blob(['data: 1\n\n']).stream() as ReadableStream<Uint8Array>
    const response = await respond({ stream, body: { a: 1 }, headers: { 'content-location': '/runs/1' } })
    expect([response.status, await response.text(), response.headers.get('content-location')]).toEqual([
      200,
      'data: 1\n\n',
      '/runs/1',
    ])
  })
})
