import fc from 'fast-check'
import type { z } from 'zod'
import { ProtocolAsk } from '@/lib/contracts/agents/protocol-request'
import type { ApiTable, Operation, RowSchemas } from '@/lib/contracts/wire/api'
import { LivePost } from '@/lib/server/live/subscriptions'
import { HOSTILE_TEXTS, hostileText, hostileValue, spoiled, toText, valuesOf } from './values'

// Requests made from the operation tables and their schemas. A request's number and the seed give it again.

/**
 * A request whose texts may name things of a started product, as in `~thread~`. `client` says whose credentials are sent
 * unless the headers have others.
 */
export type FuzzRequest = {
  client: 'platform' | 'console'
  /** The operation, route or action, for the report. */
  name: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string | Buffer
}

/** Fields whose values name existing things. `~x~` is replaced when the request is sent. */
const FIELDS: Record<string, unknown[]> = {
  assistant_id: ['~assistant~', 'chat', 'approval'],
  graph_id: ['chat', 'approval'],
  thread_id: ['~thread~'],
  thread_ids: [['~thread~']],
  run_id: ['~run~'],
  checkpoint_id: ['~checkpoint~'],
  deployment_id: ['~spare~', '~deployment~'],
  deployment_ids: [['~spare~']],
  revision_id: ['~revision~'],
  cron_id: ['~cron~'],
  trace_id: ['~trace~'],
  session: [['~project~']],
  session_id: ['~project~'],
  session_name: ['concierge'],
  integration_id: ['~integration~'],
  namespace: [['a', 'b']],
  namespace_prefix: [['a']],
  key: ['k', 'fuzz-key-1'],
  schedule: ['0 0 1 1 *'],
  timezone: ['Europe/Berlin'],
  type: ['build', 'deploy'],
  source: ['github', 'external_docker'],
  repo_url: ['/nowhere/repository', 'https://127.0.0.1:1/a/b'],
  image_uri: ['127.0.0.1:1/nowhere:latest'],
  webhook: ['http://127.0.0.1:1/hook'],
  jsonrpc: ['2.0'],
  method: ['tools/list', 'tools/call', 'tasks/get', 'message/send', 'message/stream', 'run.start', 'state.get'],
  workspace: ['local'],
  deployment: ['~deployment~'],
  deploymentId: ['~deployment~'],
  revision: ['~revision~'],
  thread: ['~thread~'],
  recording: ['~recording~'],
  assistant: ['~assistant~'],
  // Writes would otherwise wait for each other, or start again and again.
  after_seconds: [100_000],
  on_disconnect: ['cancel'],
}
const names = (field: string) => (Object.hasOwn(FIELDS, field) ? FIELDS[field] : undefined)

/** Text for a place in a path, encoded; now and then as it is, which `node:http` must still be able to send. */
const segment = (field: string): fc.Arbitrary<string> => {
  const known = [names(field) ?? []].flat(2).filter((one) => typeof one === 'string')
  return fc.oneof(
    ...(known.length > 0 ? [{ weight: 6, arbitrary: fc.constantFrom(...known) }] : []),
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: hostileText.map((text) => encodeURIComponent(text.toWellFormed()).slice(0, 6_000)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('%00', '%zz', '%c0%80', '%2f', '..', '.', '%2e%2e', '~~', '', ';x=1', '%ff'),
    },
  )
}

const fill = (path: string): fc.Arbitrary<string> => {
  const fields = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  return fc.tuple(...fields.map(segment)).map((values) => {
    let at = 0
    return path.replace(/\{\w+\}/g, () => values[at++] ?? '')
  })
}

type Query = Record<string, unknown>
const encoded = (text: unknown) =>
  encodeURIComponent(typeof text === 'object' ? toText(text) : String(text).toWellFormed()).slice(0, 3_000)
const printQuery = (query: Query) =>
  Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .flatMap(([name, value]) => [value].flat().map((one) => `${encoded(name)}=${encoded(one)}`))
const oddPart = (parts: string[]) => {
  const name = fc.constantFrom(
    ...parts.map((part) => part.split('=')[0] as string),
    'limit',
    'cursor',
    'x',
    '__proto__',
  )
  const value = fc.oneof(
    fc.constantFrom(
      '',
      '%',
      '%00',
      '%ff',
      '-1',
      '0',
      '1e9',
      'NaN',
      'null',
      '%20',
      '[]',
      '%5B%22a%22%5D',
      '99999999999999999999',
    ),
    fc.constantFrom(...HOSTILE_TEXTS).map(encoded),
  )
  return fc
    .tuple(name, value, fc.constantFrom('=', '[]=', '[a]=', '=='))
    .map(([one, other, sign]) => one + sign + other)
}

/** A query as its schema wants it, or with blank, repeated, unknown or broken values. */
function queryText(values: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return values.chain((value) => {
    const parts = typeof value === 'object' && value !== null ? printQuery(value as Query) : []
    return fc
      .oneof(
        { weight: 3, arbitrary: fc.constant([] as string[]) },
        { weight: 3, arbitrary: fc.array(oddPart(parts), { minLength: 1, maxLength: 3 }) },
        { weight: 1, arbitrary: fc.constant(parts) },
      )
      .map((odd) => [...parts, ...odd].join('&'))
  })
}

const BROKEN_BODIES = [
  ...[
    '',
    ' ',
    'null',
    '[]',
    '"x"',
    '{',
    '{"a":',
    '{"a":1}x',
    'NaN',
    "{'a':1}",
    '\0',
    '{"a":"\u0000"}',
    '{"\\ud800":1}',
  ],
  ...['['.repeat(10_000), '{"a":'.repeat(3_000), '1'.repeat(2_000), `"${'x'.repeat(100_000)}"`, 'a=1&b=2', '\ufeff{}'],
]
const brokenBody: fc.Arbitrary<string | Buffer> = fc.oneof(
  fc.constantFrom(...BROKEN_BODIES),
  fc.uint8Array({ maxLength: 50 }).map((bytes) => Buffer.from(bytes)),
)

/** A body: half of them valid. */
const bodyText = (values: fc.Arbitrary<unknown>): fc.Arbitrary<string | Buffer> =>
  fc.oneof(
    { weight: 4, arbitrary: values.map(toText) },
    { weight: 4, arbitrary: spoiled(values).map(toText) },
    { weight: 1, arbitrary: hostileValue.map(toText) },
    { weight: 1, arbitrary: brokenBody },
  )

const JSON_TYPE = { 'content-type': 'application/json' }
const CONTENT_TYPES = [
  'text/plain',
  'application/json; charset=utf-16',
  'multipart/form-data',
  'multipart/form-data; boundary=',
]
const ODD_HEADERS: Record<string, string>[] = [
  ...CONTENT_TYPES.map((type) => ({ 'content-type': type })),
  ...[
    { accept: 'text/event-stream' },
    { accept: '*/*;q=x' },
    { 'accept-encoding': 'br;q=0, gzip' },
    { range: 'bytes=5-1' },
  ],
  ...['gzip', 'br', 'zstd', 'x'].map((coding) => ({ 'content-encoding': coding })),
  ...['', '0', '-1', '999999999999999999999', 'abc', '1-0'].map((id) => ({ 'last-event-id': id })),
  ...[
    { 'x-http-method-override': 'DELETE' },
    { 'if-none-match': '*' },
    { 'x-tenant-id': 'nobody' },
    { 'x-user-id': '\u00e9' },
  ],
]
const PLATFORM_HEADERS = [...ODD_HEADERS, { 'x-api-key': '' }, { 'x-api-key': 'wrong' }, { authorization: 'Bearer' }]
const CONSOLE_HEADERS: Record<string, string>[] = [
  ...ODD_HEADERS,
  ...[
    '',
    'a',
    '=;=',
    'a=%',
    `a=${'x'.repeat(7_000)}`,
    '__Host-x=1; __proto__=1',
    '~cookie~; ~cookie~',
    '~session~=x',
    '~session~=a.b.c.d.e',
    '~session~.0=x',
  ].map((cookie) => ({ cookie })),
  ...['null', 'https://evil.example.com', ''].map((origin) => ({ origin })),
  ...[
    { 'sec-fetch-site': 'cross-site' },
    { 'x-forwarded-for': '1.1.1.1, x' },
    { 'x-forwarded-host': 'evil.example.com' },
  ],
  ...['1', '%5B%22%22%5D', 'x'].map((tree) => ({ rsc: '1', 'next-router-state-tree': tree })),
  ...[{ rsc: '1' }, { rsc: '1', 'next-router-prefetch': '1' }, { rsc: '1', 'next-router-segment-prefetch': '/_tree' }],
  ...[
    { 'next-url': '/x' },
    { 'x-nextjs-data': '1' },
    { 'x-middleware-subrequest': 'proxy:proxy' },
    { 'x-nonce': '"><script>' },
  ],
]
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY']

/** The request, one in ten with another method, a broken path or odd headers. */
function odd(
  request: fc.Arbitrary<FuzzRequest>,
  headers: readonly Record<string, string>[],
): fc.Arbitrary<FuzzRequest> {
  return fc
    .tuple(request, fc.nat({ max: 39 }), fc.constantFrom(...METHODS), fc.constantFrom(...headers))
    .map(([one, way, method, more]) => {
      if (way === 0) return { ...one, method }
      if (way === 1) return { ...one, path: one.path.replace(/\?|$/, (end) => `/${end}`) }
      if (way === 2) return { ...one, path: one.path.replace('/', '//') }
      if (way === 3) return { ...one, path: one.path.replace(/\?|$/, (end) => `/x/../%2e%2e/y${end}`) }
      if (way < 8) return { ...one, headers: { ...one.headers, ...more } }
      return one
    })
}

export type Surface = { name: string; weight: number; requests: fc.Arbitrary<FuzzRequest> }

/** Requests to a table's operations. `prefix` comes before each path; `isWanted` leaves out some. */
export function operationRequests(
  table: ApiTable,
  schemas: Record<string, RowSchemas>,
  at: { client: FuzzRequest['client']; prefix: string; headers?: Record<string, string> },
  isWanted: (row: Operation) => boolean = () => true,
): fc.Arbitrary<FuzzRequest>[] {
  return Object.values(table)
    .filter(isWanted)
    .map((row) => {
      const { query, body } = schemas[row.id] ?? {}
      const queries = queryText(query ? valuesOf(query, names) : fc.constant({}))
      const bodies = body ? bodyText(valuesOf(body, names)) : fc.oneof(fc.constant(undefined), brokenBody)
      const isBare = row.method === 'GET' || row.method === 'DELETE'
      return odd(
        fc
          .tuple(fill(at.prefix + row.path), queries, isBare && !body ? fc.constant(undefined) : bodies)
          .map(([path, search, text]) => ({
            client: at.client,
            name: `${row.api}.${row.id}`,
            method: row.method,
            path: search ? `${path}?${search}` : path,
            headers: { ...(text !== undefined && JSON_TYPE), ...at.headers },
            ...(text !== undefined && { body: text }),
          })),
        at.client === 'platform' ? PLATFORM_HEADERS : CONSOLE_HEADERS,
      )
    })
}

const PART_NAMES = [
  'post.~trace~',
  'post.~trace~.inputs',
  'patch.~trace~.outputs',
  'feedback.~trace~',
  'attachment.~trace~.a',
  'x',
]

/** The intake's multipart bodies, of runs with hostile parts. */
export function multipartRequests(run: z.ZodType): fc.Arbitrary<FuzzRequest> {
  const part = fc.tuple(fc.oneof(fc.constantFrom(...PART_NAMES), hostileText), bodyText(valuesOf(run, names)))
  return fc.tuple(fc.array(part, { maxLength: 4 }), fc.constantFrom('--', '', '\r\n')).map(([parts, end]) => {
    const pieces = parts.flatMap(([name, text]) => [
      Buffer.from(`--fuzz\r\ncontent-disposition: form-data; name="${name}"\r\ncontent-type: application/json\r\n\r\n`),
      Buffer.from(text),
      Buffer.from('\r\n'),
    ])
    return {
      client: 'platform',
      name: 'traces.createTraceRunMultipart',
      method: 'POST',
      path: '/runs/multipart',
      headers: { 'content-type': 'multipart/form-data; boundary=fuzz' },
      body: Buffer.concat([...pieces, Buffer.from(`--fuzz${end}`)]),
    }
  })
}

const LIST_NAMES = [
  'q',
  'sort',
  'order',
  'status',
  'page',
  'cursor',
  'limit',
  'offset',
  'after',
  'before',
  'from',
  'to',
  'tab',
  'view',
  'format',
  'type',
  'level',
  'deployment',
  'assistant',
  'thread',
  'checkpoint',
  'at',
  'with',
  'graph',
  'metadata',
  'error',
  'callbackUrl',
  'name',
  'source',
  'a',
  'b',
  'left',
  'right',
]
const listQuery = queryText(
  fc.dictionary(
    fc.constantFrom(...LIST_NAMES),
    fc.oneof(
      hostileText,
      fc.constantFrom('1', 'name', 'created_at', '-created_at', 'error', '~thread~', '~run~', 'json', 'csv', 'build'),
    ),
    { maxKeys: 3 },
  ),
)
const AUTH_PATHS = [
  'csrf',
  'session',
  'providers',
  'signin',
  'signin/credentials',
  'signin/oidc',
  'callback/credentials',
  'callback/oidc',
  'callback/x',
  'signout',
  'error',
  '_log',
  'verify-request',
  'x',
  '__proto__',
]

/** The console's pages and route handlers by their folders in `app`, such as `/api/runs/[workspace]`. */
export function routeRequests(routes: { path: string; method: string }[]): fc.Arbitrary<FuzzRequest>[] {
  return routes
    .filter(({ path }) => !path.includes('/api/relay/'))
    .map(({ path, method }) => {
      const places = fill(path.replace(/\[(?:\.\.\.)?(\w+)\]/g, '{$1}'))
      const paths = path.includes('nextauth')
        ? fc.oneof(fc.constantFrom(...AUTH_PATHS.map((one) => `/api/auth/${one}`)), places)
        : places
      const bodies =
        method === 'GET'
          ? fc.constant(undefined)
          : path === '/api/live'
            ? bodyText(valuesOf(LivePost, names))
            : path.startsWith('/api/protocols')
              ? bodyText(valuesOf(ProtocolAsk, names))
              : path.startsWith('/api/auth')
                ? fc.oneof(
                    brokenBody,
                    queryText(fc.record({ email: hostileText, password: hostileText, callbackUrl: hostileText })),
                  )
                : brokenBody
      const form = path.startsWith('/api/auth') ? { 'content-type': 'application/x-www-form-urlencoded' } : JSON_TYPE
      return odd(
        fc.tuple(paths, fc.oneof(fc.constant(''), listQuery), bodies).map(([place, search, body]) => ({
          client: 'console',
          name: `${method} ${path}`,
          method,
          path: search ? `${place}?${search}` : place,
          headers: { origin: '~origin~', ...(body !== undefined && form) },
          ...(body !== undefined && { body }),
        })),
        CONSOLE_HEADERS,
      )
    })
}

/** Calls of server actions: `id` from the build, `example` a list of arguments that the action accepts. */
export const actionRequests = (
  actions: { name: string; id: string; example: unknown[] }[],
): fc.Arbitrary<FuzzRequest>[] =>
  actions.map(({ name, id, example }) =>
    odd(
      bodyText(fc.constant(example)).map((body) => ({
        client: 'console',
        name: `action ${name}`,
        method: 'POST',
        path: '/local/deployments',
        headers: {
          origin: '~origin~',
          'next-action': id,
          'content-type': 'text/plain;charset=UTF-8',
          accept: 'text/x-component',
        },
        body,
      })),
      CONSOLE_HEADERS,
    ),
  )

/** Each surface gets its weight's part of the requests, whatever the number of its operations. */
export const surface = (name: string, weight: number, requests: fc.Arbitrary<FuzzRequest>[]): Surface => ({
  name,
  weight,
  requests: fc.oneof(...requests),
})

/** Request number `number` of a seed, always the same one. */
export function requestOf(surfaces: readonly Surface[], seed: number, number: number): FuzzRequest {
  const all = fc.oneof(...surfaces.map(({ weight, requests }) => ({ weight, arbitrary: requests })))
  const [request] = fc.sample(fc.noBias(all), { seed: (seed * 1_000_003 + number) | 0, numRuns: 1 })
  return request as FuzzRequest
}
