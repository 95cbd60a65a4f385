import { expect, test } from 'vitest'
import { controlPlane } from '@/lib/contracts/control-plane'
import { controlPlaneSchemas } from '@/lib/contracts/control-plane.schemas'
import { buildPath, type RowSchemas } from '@/lib/contracts/wire/api'
import { conformance, OPERATIONS, refusedFields, UNKNOWN_ID } from './testing'

const it = conformance()

const paramNames = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
const filled = (path: string, value: string) => Object.fromEntries(paramNames(path).map((name) => [name, value]))
const schemasOf = (id: (typeof OPERATIONS)[number]): RowSchemas => controlPlaneSchemas[id]
/** Valid for every operation with a body, except the two that create something. */
const bodyFor = (id: string) => {
  if (id === 'updateDeploymentTier') return { tier: 'prod' }
  return /^update|^createRevision$/.test(id) ? {} : undefined
}
const REQUIRED_QUERY: Record<string, Record<string, string>> = {
  listRevisionLogs: { type: 'build' },
  listDeploymentLogs: { type: 'build' },
  searchDeploymentLogs: { deployment_id: UNKNOWN_ID },
  listRepositoryRefs: { repo_url: '/nowhere/at/all' },
  inspectRepository: { repo_url: '/nowhere/at/all', repo_ref: 'main', graph_config_path: 'graph.json' },
}

test.each(OPERATIONS)('%s: no key is a 401, a wrong key, bearer or tenant a 403, each with a detail', async (id) => {
  const { url, apiKey } = it.fixture.platform
  const row = controlPlane[id]
  const ask = async (headers: Record<string, string>) => {
    const response = await fetch(url + buildPath(row, filled(row.path, UNKNOWN_ID)), { method: row.method, headers })
    expect(await response.json()).toEqual({ detail: expect.any(String) })
    return response.status
  }
  expect(await ask({})).toBe(401)
  expect(await ask({ 'x-api-key': '' })).toBe(401)
  expect(await ask({ 'x-api-key': 'wrong' })).toBe(403)
  expect(await ask({ authorization: 'Bearer wrong' })).toBe(403)
  expect(await ask({ 'x-api-key': apiKey, 'x-tenant-id': UNKNOWN_ID })).toBe(403)
})

test('a key is accepted in X-Api-Key or as a bearer token, with or without its tenant, in any header case', async () => {
  const { url, apiKey } = it.fixture.platform
  const id = await it.park('access')
  const { body } = await it.call('getDeployment', { params: { deployment_id: id } })
  for (const headers of [
    { 'x-api-key': apiKey },
    { 'X-API-KEY': apiKey, 'X-TENANT-ID': body.tenant_id },
    { 'x-api-key': apiKey, 'x-tenant-id': body.tenant_id.toUpperCase() },
    { authorization: `Bearer ${apiKey}`, 'x-tenant-id': body.tenant_id },
    { Authorization: `bearer ${apiKey}` },
  ] as Record<string, string>[])
    expect((await fetch(`${url}/v2/deployments`, { headers })).status).toBe(200)
})

test.each(OPERATIONS.filter((id) => schemasOf(id).query))(
  '%s: an unknown query parameter is a 422 with its location',
  async (id) => {
    const params = filled(controlPlane[id].path, UNKNOWN_ID)
    const response = await it.call(id, { params, query: { ...REQUIRED_QUERY[id], nonsense: 1 }, body: bodyFor(id) })
    expect(refusedFields(response)).toContain('query.nonsense: extra_forbidden')
  },
)

test.each(OPERATIONS.filter((id) => schemasOf(id).body))(
  '%s: an unknown field, no body, and a body that is not JSON are 422s with their locations',
  async (id) => {
    const params = filled(controlPlane[id].path, UNKNOWN_ID)
    expect(refusedFields(await it.call(id, { params, body: { nonsense: 1 } }))).toContain(
      'body.nonsense: extra_forbidden',
    )
    expect(refusedFields(await it.call(id, { params }))).toEqual(['body: missing'])
    expect(refusedFields(await it.call(id, { params, body: '{"name":' }))).toEqual(['body: json_invalid'])
    expect(refusedFields(await it.call(id, { params, body: '[]' }))).toEqual(['body: dict_type'])
    expect(refusedFields(await it.call(id, { params, body: { name: 'a\0b' } }))).toEqual(['body: value_error'])
  },
)

test.each(OPERATIONS.filter((id) => paramNames(controlPlane[id].path).length))(
  '%s: a malformed id is a 422 with its location, an unknown one a 404 that names it',
  async (id) => {
    const { path } = controlPlane[id]
    const request = { query: REQUIRED_QUERY[id], body: bodyFor(id) }
    const malformed = await it.call(id, { ...request, params: filled(path, 'nonsense') })
    expect(refusedFields(malformed)).toEqual([`path.${paramNames(path)[0]}: uuid_parsing`])
    const unknown = await it.call(id, { ...request, params: filled(path, UNKNOWN_ID) })
    expect(unknown).toMatchObject({ status: 404, body: { detail: expect.stringContaining(UNKNOWN_ID) } })
  },
)

test('an unknown path is a 404, an unsupported method a 405 that lists the allowed ones', async () => {
  const { client } = it.fixture
  expect(await client.get('/v2/nothing')).toMatchObject({ status: 404, body: { detail: expect.any(String) } })
  const wrong = await client.request('PUT', '/v2/deployments')
  expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET, POST, DELETE'])
  expect(wrong.body).toEqual({ detail: expect.any(String) })
})

test('an oversized body is a 413, and the connection can be reused', async () => {
  const response = await it.call('createDeployment', { body: { name: 'x'.repeat(5_000_000) } })
  expect(response.status).toBe(413)
  expect((await it.call('listDeployments')).status).toBe(200)
})

test('no response may be cached', async () => {
  expect((await it.call('listDeployments')).headers.get('cache-control')).toBe('no-store')
})
