import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson, printJson } from '../../json/lossless'
import {
  holdsRedacted,
  isSecretKey,
  REDACTED,
  redact,
  redactAllText,
  redactEvent,
  redactEventText,
  redactPlace,
} from './redact'

const CANARY = 'canary-7d1e'
const SECRET_KEYS = [
  'authorization',
  'Authorization',
  'proxy-authorization',
  'cookie',
  'Cookie',
  'set-cookie',
  'x-api-key',
  'X-Api-Key',
  'X_API_KEY',
  'xApiKey',
  'XApiKey',
  'x-service-key',
  'x-goog-api-key',
  'x-auth-token',
  'x-forwarded-authorization',
  'langgraph_auth_user',
  'graph_auth_user',
  'langgraph_auth_user_id',
  'langgraph_auth_permissions',
  'token',
  'access_token',
  'accessToken',
  'refresh-token',
  'api_key',
  'OPENAI_API_KEY',
  'openaiApiKey',
  'apikey',
  'client_secret',
  'password',
  'db_password',
  'credentials',
  'credential',
  'session_cookie',
  'session-cookies',
  'authUser',
  'authuser',
  'jwt',
  'id_jwt',
  'private_key',
  'cf-access-jwt-assertion',
  'ocp-apim-subscription-key',
]
const PLAIN_KEYS = [
  'thread_id',
  'run_id',
  'graph_id',
  'graph_node',
  'langgraph_node',
  'host',
  'user-agent',
  'x-tenant-id',
  'x-forwarded-for',
  'ls_max_tokens',
  'max_tokens',
  'input_tokens',
  'total_tokens',
  'token_count',
  'created_by',
  'key',
  'author',
  'keyboard',
  'tokenizer',
  'cookies_accepted',
  'secretary',
  'api_key_id',
  'jwtish',
  'x-request-id',
  'ls_provider',
]

test.each(SECRET_KEYS)('%s is a secret', (key) => expect(isSecretKey(key)).toBe(true))
test.each(PLAIN_KEYS)('%s is not', (key) => expect(isSecretKey(key)).toBe(false))

const JWT = 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ'
test.each([
  'Bearer abcdef',
  'bearer   sk-1/2=',
  'Basic YWRhOnNlY3JldA==',
  'Basic  abcdefgh1',
  'lsv2_pt_abc',
  'lsv2_sk_abc',
  `${JWT}.`,
  `${JWT}.sig-nature_1`,
])('%s is a credential, whatever its key', (text) => expect(redactPlace({ note: text })).toEqual({ note: REDACTED }))

test.each([
  'The bearer was late',
  'Bearer abcde',
  'Bearer abcdef of the ring',
  'a Bearer abcdef',
  'Basic knowledge',
  'Basic 12345678 lessons',
  'a Basic YWRhOnNlY3JldA==',
  'see lsv2_pt_abc',
  'lsv2_xx_abc',
  `see ${JWT}.x`,
  `${JWT}.x and more`,
  'eyJhbGci.eyJzdWIiOiJhZGEifQ.x',
  'eyJhbGciOiJub25lIn0.eyJ.x',
])('%s is no credential', (text) => expect(redactPlace({ note: text })).toEqual({ note: text }))

test.each([
  ['It was Bearer  abc/def=1, then', `It was ${REDACTED}, then`],
  ['The bearer of it', 'The bearer of it'],
  ['key lsv2_sk_a-b and lsv2_pt_c.', `key ${REDACTED} and ${REDACTED}.`],
  [`token ${JWT}.sig-nature_1!`, `token ${REDACTED}!`],
  [`token ${JWT}. Next`, `token ${REDACTED} Next`],
  ['token eyJhbGci.eyJzdWIiOiJhZGEifQ.x', 'token eyJhbGci.eyJzdWIiOiJhZGEifQ.x'],
  ['token eyJhbGciOiJub25lIn0.eyJ.x', 'token eyJhbGciOiJub25lIn0.eyJ.x'],
])('the credentials within %j are removed', (text, shown) => expect(redactAllText(text)).toBe(shown))

const secretKey = fc.constantFrom(...SECRET_KEYS)
/** Data with the canary below a secret key, at any depth. */
const tainted: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 6 },
    fc
      .tuple(secretKey, fc.constantFrom(CANARY, [CANARY], { deep: CANARY }, { identity: { token: CANARY } }))
      .map(([key, value]) => ({ [key]: value })),
    fc.tuple(fc.string(), tie('node'), fc.jsonValue()).map(([key, node, other]) => ({ other, [key]: node })),
    tie('node').map((node) => [1, node]),
  ),
})).node

const PLACES: [string, (place: unknown) => unknown][] = [
  ['config.configurable of a thread', (place) => ({ thread_id: 't', config: { configurable: place } })],
  ['metadata of a run', (place) => ({ run_id: 'r', metadata: place })],
  ['kwargs.config of a run', (place) => [{ run_id: 'r', kwargs: { input: {}, config: place } }]],
  ['metadata of a checkpoint', (place) => ({ values: {}, metadata: place, tasks: [] })],
  ['metadata of a subgraph state', (place) => ({ values: {}, tasks: [{ state: { metadata: place } }] })],
  ['the request of a cron', (place) => ({ cron_id: 'c', payload: { config: { configurable: place } } })],
  ['metadata of a traced run', (place) => ({ runs: [{ id: 'r', extra: { metadata: place } }] })],
]

describe('no credential remains', () => {
  test.each(PLACES)('in %s', (_, put) => {
    fc.assert(
      fc.property(tainted, (place) => {
        expect(JSON.stringify(redact(put(place)))).not.toContain(CANARY)
      }),
    )
  })

  test.each([
    ['messages', (place: unknown) => [{ content: 'hello' }, place]],
    ['messages|agent:1', (place: unknown) => [{ content: 'hello' }, place]],
    ['messages/metadata', (place: unknown) => ({ id1: { metadata: place } })],
    ['debug', (place: unknown) => ({ type: 'checkpoint', payload: { config: { configurable: place }, values: {} } })],
    ['checkpoints', (place: unknown) => ({ config: { configurable: place }, metadata: place })],
    ['tasks|a:1', (place: unknown) => ({ id: '1', metadata: place })],
    ['events', (place: unknown) => ({ event: 'on_chain_start', metadata: place })],
  ] as const)('in an event %s, as value and as text', (event, put) => {
    fc.assert(
      fc.property(tainted, (place) => {
        expect(JSON.stringify(redactEvent(event, put(place)))).not.toContain(CANARY)
        expect(redactEventText(event, JSON.stringify(put(place)))).not.toContain(CANARY)
      }),
    )
  })

  test.each([
    `Bearer ${CANARY}`,
    `bearer ${CANARY}`,
    `lsv2_pt_${CANARY}`,
    'eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl',
    'Basic dXNlcjpwYXNz',
  ])('under a neutral key: %s', (value) => {
    expect(redactPlace({ other: [value] })).toEqual({ other: [REDACTED] })
  })

  test('an auth object is removed even directly inside a record', () => {
    expect(redact({ langgraph_auth_user: { token: CANARY } })).toEqual({ langgraph_auth_user: REDACTED })
  })

  test('escaped letters hide nothing', () => {
    const text = `[{},{"\\u0061uthorization":"${CANARY}"}]`
    expect(redactEventText('messages', text)).not.toContain(CANARY)
  })
})

describe('user data is kept', () => {
  const own = { authorization: 'mine', metadata: { token: 'mine' }, messages: [{ cookie: 'mine' }] }

  test.each(['values', 'input', 'output', 'context', 'value', 'result', 'update'])(
    '%s of a record, by reference',
    (key) => {
      const record = redact({ [key]: own, metadata: { token: 'x' } }) as Record<string, unknown>
      expect(record[key]).toBe(own)
      expect(record.metadata).toEqual({ token: REDACTED })
    },
  )

  test.each(['values', 'updates', 'custom', 'values|child:1', 'messages/partial'])(
    'the data of an event %s',
    (event) => {
      expect(redactEvent(event, own)).toBe(own)
    },
  )

  test('the message of a pair', () => {
    const [message] = redactEvent('messages', [own, { token: 'x' }]) as unknown[]
    expect(message).toBe(own)
  })

  test('a text from which nothing was removed stays identical', () => {
    for (const text of [
      '[{"content":"a"},{"graph_node":"b","ls_max_tokens":5}]',
      'not json, token',
      '{ "metadata": { "author": 1 } }',
    ])
      expect(redactEventText('messages', text)).toBe(text)
  })

  test('ordinary metadata', () => {
    const record = { metadata: Object.fromEntries(PLAIN_KEYS.map((key) => [key, 'some text'])) }
    expect(redact(record)).toEqual(record)
  })
})

test('the argument is not changed, and numbers and keys are kept exactly', () => {
  const text = '{"metadata":{"id":12345678901234567890,"__proto__":{"a":1},"token":"x"}}'
  const value = parseJson(text)
  expect(printJson(redact(value))).toBe(text.replace('"x"', `"${REDACTED}"`))
  expect(printJson(value)).toBe(text)
})

test('redacting twice changes nothing more', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (metadata) => {
      const once = redact({ metadata })
      expect(redact(once)).toEqual(once)
    }),
  )
})

test('200,000 levels are walked without overflowing the stack', () => {
  let deep: unknown = { authorization: CANARY }
  for (let level = 0; level < 200_000; level++) deep = { a: deep }
  let at = redact({ metadata: deep }) as Record<string, unknown> | undefined
  for (at = at?.metadata as typeof at; at?.a !== undefined; at = at.a as typeof at);
  expect(at).toEqual({ authorization: REDACTED })
  expect(holdsRedacted({ metadata: deep })).toBe(false)
})

test('redacted values are detected before they are sent upstream', () => {
  expect(holdsRedacted({ config: { configurable: [redactPlace({ token: 'x' })] } })).toBe(true)
  expect(holdsRedacted({ config: { configurable: [null, undefined, 'redacted'] } })).toBe(false)
})

test('a text for readers without an account has no credentials in the user’s data either', () => {
  const text = `{"values":{"api_key":"${CANARY}","n":12345678901234567890,"said":"Bearer ${CANARY}"}}`
  expect(redactAllText(text)).toBe(`{"values":{"api_key":"${REDACTED}","n":12345678901234567890,"said":"${REDACTED}"}}`)
  expect(redactAllText(`["Bearer ${CANARY}"]`)).toBe(`["${REDACTED}"]`)
})

test('nor has JSON within it, nor a sentence with a credential of a known form', () => {
  const call = { arguments: JSON.stringify({ nested: JSON.stringify({ api_key: CANARY }), city: 'Bern' }) }
  const redacted = JSON.parse(redactAllText(JSON.stringify(call)))
  expect(JSON.parse(redacted.arguments)).toEqual({ nested: `{"api_key":"${REDACTED}"}`, city: 'Bern' })
  expect(redactAllText(`The key lsv2_pt_${CANARY} is not valid.`)).toBe(`The key ${REDACTED} is not valid.`)
  expect(redactAllText(`{"said":"Use Bearer ${CANARY}, then"}`)).toBe(`{"said":"Use ${REDACTED}, then"}`)
})

test('a text without credentials stays as it is, to the byte', () => {
  for (const text of ['{ "a" : 1.0 }', '{ "keys" : 1.0 }', 'no JSON with a token', '{"token'])
    expect(redactAllText(text)).toBe(text)
})

describe('outside of the places that hold credentials', () => {
  test('a record keeps its own keys and texts, whatever they look like', () => {
    const record = { token: 'a', name: `Bearer ${CANARY}`, tasks: [{ name: `Bearer ${CANARY}`, api_key: 'b' }] }
    expect(redact(record)).toEqual(record)
    expect(redactEvent('tasks', record)).toEqual(record)
    expect(redactEvent('debug', [record])).toEqual([record])
  })
  test('a list stays a list, and null stays null', () => {
    expect(redact([{ metadata: { token: null, list: [1, null, 'x'] } }, 7, null])).toEqual([
      { metadata: { token: null, list: [1, null, 'x'] } },
      7,
      null,
    ])
  })
  test('only a list has a message of the user', () => {
    expect(redactEvent('messages', { metadata: { token: 'x' } })).toEqual({ metadata: { token: REDACTED } })
    expect(redactEvent('checkpoints', [{ metadata: { token: 'x' } }])).toEqual([{ metadata: { token: REDACTED } }])
  })
})

test('a value that was redacted is found at any depth, next to nothing', () => {
  expect(holdsRedacted({ a: [null, undefined, { b: REDACTED }] })).toBe(true)
  expect(holdsRedacted(REDACTED)).toBe(true)
  for (const value of [null, undefined, 7, `${REDACTED} `, { a: [null, { [REDACTED]: 1 }] }])
    expect(holdsRedacted(value)).toBe(false)
})
