import { Headers } from 'undici'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Operation } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { JsonText } from '@/lib/json/lossless'
import type { Destination } from './destination'
import { readResponse, responseError, responseOutput, withoutCredentials } from './response'

const to: Destination = {
  what: 'agent server',
  base: new URL('https://agent.example/a'),
  reach: 'listed',
  credentials: { 'x-api-key': 'canary-key', authorization: 'Bearer canary-token' },
  isKeyWithheld: false,
}
const op = (one: unknown) => one as Operation
const thread = op(agentServer.getThread)
const response = (status: number, text: string, headers: Record<string, string> = {}) => ({
  status,
  text,
  contentType: headers['content-type'] ?? 'application/json',
  headers: new Headers(headers),
})
const failure = (status: number, text: string, headers = {}, at = to) =>
  responseError(thread, at, response(status, text, headers))
function thrown(work: () => unknown): AppError {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error
  }
  throw new Error('It should have thrown an AppError.')
}

test('our own credentials are removed from what a server says, with and without their scheme', () => {
  expect(withoutCredentials('a canary-key b Bearer canary-token c canary-token canary-key', to)).toBe(
    'a [redacted] b [redacted] c [redacted] [redacted]',
  )
  expect(withoutCredentials('as it is', { ...to, credentials: { 'x-api-key': '' } })).toBe('as it is')
  expect(failure(400, '{"detail":"canary-key is wrong"}').message).toBe('[redacted] is wrong')
  const odd = { ...to, credentials: { authorization: 'a Bearer b' } }
  expect(withoutCredentials('a b, Bearer b, a Bearer b', odd)).toBe('a b, Bearer b, [redacted]')
})

describe('a failed response', () => {
  test.each([
    [400, '{"detail":"Bad id."}', 'invalid', 'Bad id.'],
    [404, '{"detail":"Thread not found"}', 'not_found', 'Thread not found'],
    [409, '', 'conflict', 'The agent server responded with status 409.'],
    [500, '{"detail":"boom!"}', 'upstream_failed', 'The agent server responded with status 500: boom.'],
    [500, '', 'upstream_failed', 'The agent server responded with status 500.'],
    [
      401,
      '{"detail":"Unknown key."}',
      'upstream_refused_key',
      "The agent server refused this workspace's API key: Unknown key. Check the key in the workspace's settings.",
    ],
    [
      403,
      '',
      'upstream_refused_key',
      "The agent server refused this workspace's API key. Check the key in the workspace's settings.",
    ],
    [
      500,
      '{"detail":"v1.2 is broken."}',
      'upstream_failed',
      'The agent server responded with status 500: v1.2 is broken.',
    ],
    [
      401,
      '{"detail":"Key v1.2 has expired!"}',
      'upstream_refused_key',
      "The agent server refused this workspace's API key: Key v1.2 has expired. Check the key in the workspace's settings.",
    ],
    [
      429,
      '{"detail":"Slow down."}',
      'rate_limited',
      "The agent server limits requests, and this workspace's key has reached the limit (“Slow down”). Try again later.",
    ],
  ])('with status %i and %s is %s', (status, text, code, message) => {
    expect(failure(status, text)).toMatchObject({ code, message, view: { upstreamStatus: status } })
  })

  test('says where a key is withheld, and which tenant is missing', () => {
    const withheld = { ...to, isKeyWithheld: true }
    expect(failure(401, '', {}, withheld).message).toContain('at https://agent.example requires a key')
    const text = '{"detail":"org_scoped_key_requires_workspace"}'
    expect(failure(403, text, {}, { ...to, what: 'control plane' }).message).toContain('belongs to an organization')
    expect(failure(403, text).message).toContain('refused this workspace')
  })

  test('of an operation that the server lacks says so', () => {
    expect(responseError(op(agentServer.sendMcp), to, response(404, 'Not Found'))).toMatchObject({
      code: 'unsupported',
      message: 'This agent server does not offer MCP endpoints (it responded with status 404).',
      view: { upstreamStatus: 404 },
    })
  })

  test('keeps the invalid fields', () => {
    const text = '{"detail":[{"loc":["body","a"],"msg":"Bad","type":"x"}]}'
    expect(failure(422, text).view.fields).toEqual([{ path: ['a'], message: 'Bad' }])
  })

  describe('with a time to try again', () => {
    beforeEach(() => {
      vi.useFakeTimers({ now: Date.parse('2026-01-01T00:00:00Z') })
    })
    afterEach(() => {
      vi.useRealTimers()
    })
    test.each([
      ['5', 5_000, '5 s'],
      ['0', 0, '1 s'],
      ['119', 119_000, '119 s'],
      ['120', 120_000, '2 min'],
      ['121', 121_000, '3 min'],
      ['Thu, 01 Jan 2026 00:00:30 GMT', 30_000, '30 s'],
    ])('%s waits', (header, ms, words) => {
      const error = failure(429, '', { 'retry-after': header })
      expect([error.view.retryAfterMs, error.message.endsWith(`Try again in ${words}.`)]).toEqual([ms, true])
    })
    test.each(['-1', 'soon', '', 'Wed, 31 Dec 2025 23:59:59 GMT', 'Infinity'])('%j does not', (header) => {
      const error = failure(429, '', { 'retry-after': header })
      expect([error.view.retryAfterMs, error.message.endsWith('Try again later.')]).toEqual([undefined, true])
    })
  })
})

describe('a successful response', () => {
  test('is read by its kind', () => {
    expect(readResponse(thread, to, response(200, '{"a":"canary-key"}'))).toEqual({ a: '[redacted]' })
    expect(readResponse(thread, to, response(200, ' \n '))).toBeUndefined()
    expect(readResponse(op(agentServer.putItem), to, response(200, '{"a":1}'))).toBeUndefined()
    expect(readResponse(op(agentServer.getMetrics), to, response(200, '# canary-token'))).toBe('# [redacted]')
    expect(readResponse(thread, to, response(200, '{"a":1,"values":{ "b" : 2 }}'), 'values')).toEqual({
      a: 1,
      values: new JsonText('{ "b" : 2 }'),
    })
  })

  test.each([
    ['{"a":', 'application/json; charset=utf-8', 'JSON that is broken or cut off'],
    ['{"a":', 'application/problem+json', 'JSON that is broken or cut off'],
    ['<html>', 'text/html; charset=utf-8', 'something other than JSON (text/html)'],
    ['<html>', 'text/html ; charset=utf-8', 'something other than JSON (text/html)'],
    ['{"a":1}\n{"a":2}', 'application/json-seq', 'something other than JSON (application/json-seq)'],
    ['<html>', '', 'something other than JSON'],
  ])('%s as %s cannot be read', (text, contentType, what) => {
    const error = thrown(() => readResponse(thread, to, response(200, text, { 'content-type': contentType })))
    expect(error).toMatchObject({
      code: 'upstream_shape',
      message: `The agent server responded to getThread with ${what}.`,
      view: { upstreamStatus: 200 },
    })
  })
})

describe('what leaves the console', () => {
  const output = (one: unknown, value: unknown, options?: { isPartial: boolean }) =>
    responseOutput(op(one), to, 200, value, options)

  test('has our keys, no echoed credentials and nothing that the schema does not know', () => {
    const record = { thread_id: 't', metadata: { langgraph_node: 'n', api_key: 'x' }, extra: 1 }
    expect(output(agentServer.getThread, record)).toEqual({
      thread_id: 't',
      metadata: { graph_node: 'n', api_key: '[redacted]' },
    })
  })

  test('is a graph’s final state or a text as it came', () => {
    const state = { langgraph_node: 'n', metadata: { api_key: 'mine' } }
    expect(output(agentServer.joinRun, state)).toBe(state)
    expect(output(agentServer.getMetrics, 'text')).toBe('text')
  })

  test('may be part of a record only if a part was asked for', () => {
    const part = [{ name: 'a' }]
    expect(output(agentServer.searchAssistants, part, { isPartial: true })).toMatchObject(part)
    const error = thrown(() => output(agentServer.searchAssistants, part))
    expect(error.message).toMatch(
      /^The agent server responded to searchAssistants in an unknown form: 0\.assistant_id \(/,
    )
    expect([error.view.upstreamStatus, error.cause instanceof z.ZodError]).toEqual([200, true])
    expect(thrown(() => output(agentServer.getAssistant, part[0], { isPartial: true })).code).toBe('upstream_shape')
  })

  test('is refused as a whole if it is something else', () => {
    expect(thrown(() => output(agentServer.getThread, 7)).message).toContain('in an unknown form: the whole response (')
  })
})
