import { describe, expect, test } from 'vitest'
import type { ErrorView } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import { checkInput } from './input-check'
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

describe('what the form sends', () => {
  test('from a checkpoint of a thread no input is needed, and the fork is asked for', () => {
    const from = { ...initialOptions('chat', 'a-thread', 'a-checkpoint') }
    expect(startRequest(from, from.json ?? '', schema, checkInput)).toMatchObject({
      ok: true,
      body: { input: null, checkpoint: { checkpoint_id: 'a-checkpoint' } },
    })
    expect(startRequest({ ...from, checkpoint: '' }, 'null', schema, checkInput).ok).toBe(false)
    const fresh = startRequest({ ...from, threadKind: 'new' }, '{"query":"x"}', schema, checkInput)
    expect(fresh.ok && fresh.body).not.toHaveProperty('checkpoint')
  })

  test('a message becomes the last word of a person, with the default modes and strategy said explicitly', () => {
    expect(startRequest(options(), '', undefined)).toEqual({
      ok: true,
      body: {
        assistant_id: 'chat',
        input: { messages: [{ role: 'user', content: 'hi' }] },
        stream_mode: ['messages-tuple', 'values', 'updates', 'custom'],
        stream_subgraphs: true,
        multitask_strategy: 'enqueue',
      },
    })
  })
  test('a stateless run names no strategy', () => {
    const request = startRequest(options({ threadKind: 'stateless' }), '', undefined)
    expect(request.ok && request.body).not.toHaveProperty('multitask_strategy')
  })
  test('numbers of a JSON input are sent as they were typed', () => {
    const request = startRequest(
      options({ inputKind: 'json' }),
      '{"query":"x","id":12345678901234567890}',
      schema,
      checkInput,
    )
    expect(request.ok && printJson(request.body.input)).toBe('{"query":"x","id":12345678901234567890}')
  })
})

describe('what the form refuses', () => {
  const issuesOf = (change: Partial<StartOptions>, json = '{}', ...[check]: [check?: typeof checkInput]) => {
    const request = startRequest(options(change), json, schema, check)
    return request.ok ? [] : request.issues.map(({ field, path, message }) => `${field} ${path}: ${message}`)
  }
  test('broken JSON is told with line and column, for input and context alike', () => {
    expect(issuesOf({ inputKind: 'json', context: '{"a":}' }, '{\n  "query": "x",\n}')).toEqual([
      'input : Line 3, column 1: Unexpected comma before "}".',
      'context : Line 1, column 6: Expected a value here.',
    ])
  })
  test('an input that does not fit the schema, unless it is to be sent all the same', () => {
    expect(issuesOf({ inputKind: 'json' }, '{"query":1}', checkInput)).toEqual([
      'input query: must be of type string, not number.',
    ])
    expect(issuesOf({ inputKind: 'json' }, '{"query":1}')).toEqual([])
  })
  test('everything that is missing, at once', () => {
    expect(issuesOf({ assistant: '', threadKind: 'existing', message: ' ', modes: [], context: '[]' })).toEqual([
      'assistant : Choose what to run.',
      'thread : Choose a thread, or start a new one.',
      'modes : Choose at least one, else nothing of the run can be seen.',
      'input : Write a message first.',
      'context : The context must be a JSON object.',
    ])
  })
})

describe('what the server refuses', () => {
  const error = (change: Partial<ErrorView>): ErrorView => ({
    code: 'invalid',
    message: 'Refused.',
    fields: [],
    requestId: 'r',
    ...change,
  })
  test('lands on the part of the form that it names, with its path', () => {
    const { issues, rest } = placeError(
      error({ fields: [{ path: ['body', 'input', 'messages', 0, 'role'], message: 'unknown role' }] }),
    )
    expect(issues).toEqual([{ field: 'input', path: 'messages[0].role', message: 'unknown role' }])
    expect(rest).toBeUndefined()
  })
  test('what belongs to no part is said beside the button, and nothing twice', () => {
    const { issues, rest } = placeError(
      error({
        message: 'input: too long; webhook: not allowed',
        fields: [
          { path: ['input'], message: 'too long' },
          { path: ['webhook'], message: 'not allowed' },
        ],
      }),
    )
    expect(issues).toHaveLength(1)
    expect(rest?.fields).toEqual([{ path: ['webhook'], message: 'not allowed' }])
    expect(rest?.message).not.toContain('too long')
  })
  test('what was found here goes when its part changes, what the server said stays until it is asked again', () => {
    const ours = { field: 'input', path: 'messages', message: 'must be a list', isOurs: true } as const
    const theirs = { field: 'input', path: '', message: 'too long' } as const
    const both = [ours, theirs]
    expect(remaining(both, { json: '{}' })).toEqual([theirs])
    expect(remaining(both, { subgraphs: true })).toBe(both)
  })
  test('an unknown thread or graph is told at its picker', () => {
    expect(placeError(error({ code: 'not_found', message: 'Thread 123 not found' })).issues[0]?.field).toBe('thread')
    expect(placeError(error({ code: 'not_found', message: 'No graph called x' })).issues[0]?.field).toBe('assistant')
    expect(placeError(error({ code: 'upstream_unreachable', message: 'The thread pool is down' })).rest).toBeDefined()
  })
})
