import { expect, test } from 'vitest'
import { failureOf, readRpc, rpcProblem, sentenceOf } from './rpc'

const post = (body: string) => new Request('http://localhost/mcp/', { method: 'POST', body })

test('a body is read as JSON under any content type, and what is no JSON is refused', async () => {
  expect(await readRpc(post('{"a":[1]}'))).toEqual({ body: { a: [1] } })
  for (const status of [undefined, 200]) {
    const read = await readRpc(post('{"a":'), status)
    const { refusal } = read as { refusal: Response }
    expect([refusal.status, await refusal.json()]).toEqual([
      status ?? 400,
      { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error: the body is not JSON' } },
    ])
  }
})

test('a body that cannot be read at all is not called malformed', async () => {
  const broken = new ReadableStream({ start: (controller) => controller.error(new RangeError('too large')) })
  const request = new Request('http://localhost/', { method: 'POST', body: broken, duplex: 'half' } as RequestInit)
  await expect(readRpc(request)).rejects.toThrow('too large')
})

test('a problem has its code, its message and no id', async () => {
  const response = rpcProblem(-32600, 'No request', 404)
  expect([response.status, await response.json()]).toEqual([
    404,
    { jsonrpc: '2.0', id: null, error: { code: -32600, message: 'No request' } },
  ])
})

test.each<[unknown, string]>([
  ['Not found.', 'Not found.'],
  [
    [
      { loc: ['body', 'input', 0, 'a'], msg: 'Field required', type: 'missing' },
      { loc: ['body'], msg: 'Too deep', type: 'x' },
    ],
    'input.0.a: Field required; Too deep.',
  ],
  [{ other: 1 }, '{"other":1}'],
])('the detail %j of an HTTP error is a sentence', (detail, sentence) => {
  expect(sentenceOf(detail)).toBe(sentence)
})

test.each([
  ['Error', 'It broke.', 'Error: It broke.'],
  ['ZodError', '[{"path":["a",0],"message":"wrong"},{"path":[],"message":"odd"}]', 'Invalid input: a.0: wrong; odd.'],
  ['$ZodError', '[{"path":["a"],"message":"wrong"}]', 'Invalid input: a: wrong.'],
  ['Error', '[{"path":["a"],"message":"wrong"}]', 'Error: [{"path":["a"],"message":"wrong"}]'],
  ['ZodErrors', '[{"path":["a"],"message":"wrong"}]', 'ZodErrors: [{"path":["a"],"message":"wrong"}]'],
  ['ZodError', '[]', 'ZodError: []'],
  ['ZodError', '[broken', 'ZodError: [broken'],
  ['ZodError', 'plain', 'ZodError: plain'],
])('the failure %s of a run is told as a sentence: %s', (error, message, sentence) => {
  expect(failureOf({ error, message })).toBe(sentence)
})
