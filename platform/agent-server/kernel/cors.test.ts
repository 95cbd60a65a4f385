import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { allowOrigins, CorsConfig } from './cors'

const OWN = 'https://chat.example.com'
const OTHER = 'https://other.example.com'

/** What a page of an origin gets from a server with these settings, for a preflight or for the request itself. */
async function asked(config: object, operator: '*' | string[], origin: string, preflight?: { headers: string }) {
  const app = new Hono().use(allowOrigins(CorsConfig.parse(config), operator)).get('/', (context) => context.text('ok'))
  const headers = { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': '' }
  const response = await app.request('/', {
    method: preflight ? 'OPTIONS' : 'GET',
    headers: preflight ? { ...headers, 'access-control-request-headers': preflight.headers } : { origin },
  })
  const of = (name: string) => response.headers.get(name)
  return {
    status: response.status,
    origin: of('access-control-allow-origin'),
    credentials: of('access-control-allow-credentials'),
    headers: of('access-control-allow-headers'),
    methods: of('access-control-allow-methods'),
    maxAge: of('access-control-max-age'),
    exposed: of('access-control-expose-headers')?.toLowerCase().split(',') ?? [],
    vary: of('vary')?.toLowerCase() ?? '',
  }
}
const allowed = async (config: object, operator: '*' | string[], origin: string) =>
  (await asked(config, operator, origin)).origin

test('without settings every origin may call, without credentials and with every header', async () => {
  expect(await asked({}, '*', OWN)).toMatchObject({ status: 200, origin: '*', credentials: null })
  const preflight = await asked({}, '*', OWN, { headers: 'x-api-key,x-custom' })
  expect(preflight).toMatchObject({ status: 204, origin: '*', headers: 'x-api-key,x-custom', maxAge: '600' })
  expect(preflight.methods?.split(',')).toEqual(expect.arrayContaining(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']))
})

test('an OPTIONS request that is no preflight goes on to the router', async () => {
  const app = new Hono().use(allowOrigins({}, '*')).options('/', (context) => context.text('methods'))
  const options = (headers: Record<string, string>) => app.request('/', { method: 'OPTIONS', headers })
  expect(await (await options({ origin: OWN })).text()).toBe('methods')
  const preflight = await options({ origin: OWN, 'access-control-request-method': 'POST' })
  expect([preflight.status, await preflight.text()]).toEqual([204, ''])
})

test('a pattern that is none is refused, by its key', () => {
  const { success, error } = CorsConfig.safeParse({ allow_origin_regex: '(' })
  expect([success, error?.issues[0]]).toMatchObject([
    false,
    { path: ['allow_origin_regex'], message: 'is not a regular expression' },
  ])
  expect(CorsConfig.safeParse({ allow_origin_regex: 'https://.*' }).success).toBe(true)
})

test('the headers that clients read are always exposed, and those of the graph file as well', async () => {
  for (const config of [{}, { expose_headers: ['X-Own'] }, { allow_origins: [OWN] }])
    expect((await asked(config, '*', OWN)).exposed).toEqual(
      expect.arrayContaining(['content-location', 'location', 'x-pagination-total']),
    )
  expect((await asked({ expose_headers: ['X-Own'] }, '*', OWN)).exposed).toContain('x-own')
  expect((await asked({}, '*', OWN)).exposed).toHaveLength(6)
})

test.each([
  ['a list of origins', { allow_origins: [OWN] }],
  ['a pattern', { allow_origin_regex: 'https://chat\\.example\\.(com|org)' }],
  ['a pattern beside a list', { allow_origins: ['https://a.example'], allow_origin_regex: 'https://chat\\..*' }],
])('the graph file narrows the origins by %s', async (_what, config) => {
  expect(await allowed(config, '*', OWN)).toBe(OWN)
  expect(await allowed(config, '*', OTHER)).toBeNull()
  expect((await asked(config, '*', OTHER, { headers: 'x-api-key' })).origin).toBeNull()
  // A cache must not give one origin the answer for another.
  expect((await asked(config, '*', OWN)).vary).toContain('origin')
})

test('a pattern fits the whole origin, not a part of it', async () => {
  const config = { allow_origin_regex: 'https://chat\\.example\\.com' }
  expect(await allowed(config, '*', 'https://chat.example.com.evil.example')).toBeNull()
  expect(await allowed(config, '*', 'https://x.example/?https://chat.example.com')).toBeNull()
})

test('the operator narrows what the graph file allows, and the graph file what the operator allows', async () => {
  expect(await allowed({}, [OWN], OWN)).toBe(OWN)
  expect(await allowed({}, [OWN], OTHER)).toBeNull()
  expect(await allowed({ allow_origins: ['*'] }, [OWN], OTHER)).toBeNull()
  expect(await allowed({ allow_origins: [OWN, OTHER] }, [OWN], OTHER)).toBeNull()
  expect(await allowed({ allow_origins: [OTHER] }, [OWN], OWN)).toBeNull()
})

test('credentials are allowed only where the graph file says so, and then for the origin by name', async () => {
  const config = { allow_credentials: true, max_age: 5, allow_methods: ['GET'], allow_headers: ['x-a'] }
  const preflight = await asked(config, '*', OWN, { headers: 'x-a,x-b' })
  expect(preflight).toMatchObject({ origin: OWN, credentials: 'true', headers: 'x-a', methods: 'GET', maxAge: '5' })
  expect((await asked({ allow_origins: [OWN] }, '*', OWN)).credentials).toBeNull()
})
