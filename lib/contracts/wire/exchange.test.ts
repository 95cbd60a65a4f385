import { expect, test } from 'vitest'
import { exchangesOf, methodOf, responsesTo, rpcResponse, type WireEntry } from './exchange'

const sent = (at: number, message: object | null): WireEntry => ({
  kind: 'request',
  at,
  method: message ? 'POST' : 'DELETE',
  url: 'http://agent/mcp/',
  headers: [],
  body: message && JSON.stringify(message),
})
const told = (at: number, text: string): WireEntry => ({ kind: 'message', at, text })

test('entries become exchanges in order, next to any failure', () => {
  const error = { code: 'internal' as const, message: 'gone', fields: [], requestId: '' }
  const { exchanges, error: failed } = exchangesOf([
    told(0, 'belongs to nothing'),
    sent(1, { id: 1, method: 'a' }),
    { kind: 'response', at: 2, status: 200, headers: [] },
    told(3, '{}'),
    { kind: 'end', at: 4 },
    sent(5, null),
    { kind: 'failed', at: 6, error },
  ])
  expect(exchanges.map((one) => [methodOf(one), one.response?.status, one.messages.length, one.endedAt])).toEqual([
    ['a', 200, 1, 4],
    [undefined, undefined, 0, undefined],
  ])
  expect(failed).toBe(error)
})

test('responses are matched to their request; notifications, requests, other responses and invalid messages are not', () => {
  const { exchanges } = exchangesOf([
    sent(0, { id: 7, method: 'a' }),
    told(1, '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}'),
    told(2, '{"id":8,"result":1}'),
    told(3, 'no JSON'),
    told(4, '[{"id":7,"result":1}]'),
    told(5, '{"id":7,"result":null,"error":null}'),
    told(6, '{"id":null,"error":{"code":-32700,"message":5}}'),
    sent(7, { id: 7, method: 'b' }),
    told(8, '{"id":7,"result":"of b"}'),
  ])
  expect(responsesTo(exchanges, 'a')).toEqual([
    { id: 7, result: null },
    { id: null, error: { code: -32700, message: '' } },
  ])
})

test('an error keeps its message and data, and has none that the server did not send', () => {
  expect(rpcResponse('{"id":1,"error":{"code":-1,"message":"no","data":{"a":1}}}')).toEqual({
    id: 1,
    error: { code: -1, message: 'no', data: { a: 1 } },
  })
  expect(Object.keys(rpcResponse('{"error":{"code":1}}') ?? {})).toEqual(['id', 'error'])
  const { error } = rpcResponse('{"id":1,"error":{"code":1}}') as { error: object }
  expect(Object.keys(error)).toEqual(['code', 'message'])
})

test('a request without an id or without valid JSON has no responses', () => {
  const { exchanges } = exchangesOf([
    { ...(sent(0, {}) as object), body: 'no JSON' } as WireEntry,
    told(1, '{"result":1}'),
  ])
  expect(exchanges.map(methodOf)).toEqual([undefined])
  expect(responsesTo(exchanges, 'a')).toEqual([])
})
