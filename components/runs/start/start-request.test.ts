import { describe, expect, test } from 'vitest'
import type { ErrorView } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import { checkInput } from './schema/input-check'
import { placeError, remaining } from './start-issues'
import { initialOptions, type StartOptions } from './start-options'
import { startRequest } from './start-request'

const options = (change: Partial<StartOptions> = {}): StartOptions => ({
  ...initialOptions('chat', ''),
  message: 'hi',
  ...change,
})
const schema = {
  type: 'object',
  properties: { query: { type: 'string' }, id: { type: 'integer' } },
  required: ['query'],
}

describe('request', () => {
  test('needs no input from a checkpoint, and requests a fork', () => {
    const from = { ...initialOptions('chat', 'a-thread', 'a-checkpoint') }
    expect(startRequest(from, from.json ?? '', schema, checkInput)).toMatchObject({
      ok: true,
      body: { input: null, checkpoint: { checkpoint_id: 'a-checkpoint' } },
    })
    expect(startRequest({ ...from, checkpoint: '' }, 'null', schema, checkInput).ok).toBe(false)
    const fresh = startRequest({ ...from, threadKind: 'new' }, '{"query":"x"}', schema, checkInput)
    expect(fresh.ok && fresh.body).not.toHaveProperty('checkpoint')
  })

  test('sends files after the text, or alone', () => {
    const blocks = [{ type: 'image', data: 'AA==' }]
    const content = (message: string) => {
      const request = startRequest({ ...options({ message }), blocks }, '', undefined)
      return request.ok && request.body.input
    }
    expect(content('hi')).toEqual({ messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }, ...blocks] }] })
    expect(content(' ')).toEqual({ messages: [{ role: 'user', content: blocks }] })
    expect(startRequest(options({ message: ' ' }), '', undefined).ok).toBe(false)
  })

  test('sends a message as human input, with explicit default modes and strategy', () => {
    expect(startRequest(options(), '', undefined)).toEqual({
      ok: true,
      body: {
        assistant_id: 'chat',
        input: { messages: [{ role: 'user', content: 'hi' }] },
        stream_mode: ['messages-tuple', 'values', 'updates', 'custom', 'tasks'],
        stream_subgraphs: true,
        multitask_strategy: 'enqueue',
      },
    })
  })
  test('sends no strategy for a stateless run', () => {
    const request = startRequest(options({ threadKind: 'stateless' }), '', undefined)
    expect(request.ok && request.body).not.toHaveProperty('multitask_strategy')
  })
  test('sends numbers of a JSON input as typed', () => {
    const request = startRequest(
      options({ inputKind: 'json' }),
      '{"query":"x","id":12345678901234567890}',
      schema,
      checkInput,
    )
    expect(request.ok && printJson(request.body.input)).toBe('{"query":"x","id":12345678901234567890}')
  })
})

describe('form validation', () => {
  const issuesOf = (change: Partial<StartOptions>, json = '{}', ...[check]: [check?: typeof checkInput]) => {
    const request = startRequest(options(change), json, schema, check)
    return request.ok ? [] : request.issues.map(({ field, path, message }) => `${field} ${path}: ${message}`)
  }
  test('reports invalid JSON with line and column, for input and context', () => {
    expect(issuesOf({ inputKind: 'json', context: '{"a":}' }, '{\n  "query": "x",\n}')).toEqual([
      'input : Line 3, column 1: Unexpected comma before "}".',
      'context : Line 1, column 6: Expected a value here.',
    ])
  })
  test('rejects an input that does not match the schema, unless the check is skipped', () => {
    expect(issuesOf({ inputKind: 'json' }, '{"query":1}', checkInput)).toEqual([
      'input query: must be of type string, not number.',
    ])
    expect(issuesOf({ inputKind: 'json' }, '{"query":1}')).toEqual([])
  })
  test('reports everything that is missing at once', () => {
    expect(issuesOf({ assistant: '', threadKind: 'existing', message: ' ', modes: [], context: '[]' })).toEqual([
      'assistant : Choose an assistant.',
      'thread : Choose a thread, or start a new one.',
      'modes : Choose at least one stream mode.',
      'input : Enter a message.',
      'context : The context must be a JSON object.',
    ])
  })
})

describe('server errors', () => {
  const error = (change: Partial<ErrorView>): ErrorView => ({
    code: 'invalid',
    message: 'Refused.',
    fields: [],
    requestId: 'r',
    ...change,
  })
  test('go to the named field, with the path', () => {
    const { issues, rest } = placeError(
      error({ fields: [{ path: ['body', 'input', 'messages', 0, 'role'], message: 'unknown role' }] }),
    )
    expect(issues).toEqual([{ field: 'input', path: 'messages[0].role', message: 'unknown role' }])
    expect(rest).toBeUndefined()
  })
  test('without a field are shown next to the button, each once', () => {
    const { issues, rest } = placeError(
      error({
        message: 'input: too long; webhook: not allowed',
        fields: [
          { path: ['input'], message: 'too long' },
          { path: ['after_seconds'], message: 'not allowed' },
        ],
      }),
    )
    expect(issues).toHaveLength(1)
    expect(rest?.fields).toEqual([{ path: ['after_seconds'], message: 'not allowed' }])
    expect(rest?.message).not.toContain('too long')
  })
  test('our issues clear when their field changes; the server’s stay until the next attempt', () => {
    const ours = { field: 'input', path: 'messages', message: 'must be a list', isOurs: true } as const
    const theirs = { field: 'input', path: '', message: 'too long' } as const
    const both = [ours, theirs]
    expect(remaining(both, { json: '{}' })).toEqual([theirs])
    expect(remaining(both, { subgraphs: true })).toBe(both)
  })
  test('for an unknown thread or graph go to its picker', () => {
    expect(placeError(error({ code: 'not_found', message: 'Thread 123 not found' })).issues[0]?.field).toBe('thread')
    expect(placeError(error({ code: 'not_found', message: 'No graph called x' })).issues[0]?.field).toBe('assistant')
    expect(placeError(error({ code: 'upstream_unreachable', message: 'The thread pool is down' })).rest).toBeDefined()
  })
})
