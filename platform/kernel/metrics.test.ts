import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseMetrics } from '@/lib/format/prometheus'
import { createFixture, type Fixture, waitFor } from '../testing/platform-fixture'

const TOKEN = 'a token for the scraper'
let fixture: Fixture
beforeAll(async () => {
  fixture = await createFixture({ metricsToken: TOKEN })
})
afterAll(() => fixture.close())

const ask = (headers: Record<string, string>) => fetch(`${fixture.platform.url}/metrics`, { headers })
async function scrape() {
  const response = await ask({ authorization: `Bearer ${TOKEN}` })
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    expect.stringContaining('version=0.0.4'),
  ])
  const families = parseMetrics(await response.text())
  return (name: string, labels: Record<string, string> = {}) =>
    families
      .find((family) => family.name === name)
      ?.samples.find((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))?.value ??
    0
}

test('only the bearer of the token gets metrics, not even the holder of the API key', async () => {
  const given: Record<string, string>[] = [
    {},
    { authorization: 'Bearer other' },
    { 'x-api-key': fixture.platform.apiKey },
  ]
  for (const headers of given) expect((await ask(headers)).status).toBe(401)
})

test('requests, open requests, revisions and the process are counted', async () => {
  const before = await scrape()
  const list = { area: 'control-plane', method: 'GET', status: '200' }
  await fixture.client.get('/v2/deployments')
  await fixture.client.get('/agents/00000000-0000-4000-8000-000000000000/ok')
  await fetch(`${fixture.platform.url}/info`)
  const headers = {
    'x-api-key': fixture.platform.apiKey,
    'user-agent': 'tracer/2.1',
    'content-type': 'application/json',
  }
  for (const _ of [1, 2])
    await fetch(`${fixture.platform.url}/runs/query`, { method: 'POST', headers, body: '{"made_up": 1}' })
  const project = '{"name": "counted", "trace_tier": "long"}'
  await fetch(`${fixture.platform.url}/sessions`, { method: 'POST', headers, body: project })
  const repository = fixture.repository()
  repository.commit({ 'graph.json': 'broken' })
  await fixture.client.create('counted', repository.url)
  let after = await scrape()
  await waitFor('the failed build is counted', async () => {
    after = await scrape()
    return after('platform_revisions', { status: 'BUILD_FAILED' }) === 1
  })
  expect(before('platform_revisions', { status: 'BUILD_FAILED' })).toBe(0)
  expect(after('platform_http_requests_total', list)).toBe(before('platform_http_requests_total', list) + 1)
  expect(after('platform_http_requests_total', { area: 'agents', status: '404' })).toBe(1)
  expect(after('platform_http_requests_total', { area: 'traces', method: 'GET' })).toBe(1)
  const ignored = { client: 'tracer', route: '/runs/query', field: 'body.made_up' }
  expect(after('platform_traces_ignored_fields_total', ignored)).toBe(2)
  const notKept = { client: 'tracer', route: '/sessions', field: 'body.trace_tier' }
  expect(after('platform_traces_ignored_fields_total', notKept)).toBe(1)
  expect(after('platform_http_request_duration_seconds', { area: 'control-plane', part: 'count' })).toBeGreaterThan(1)
  expect(after('platform_database_connections')).toBeGreaterThan(0)
  expect(after('process_resident_memory_bytes')).toBeGreaterThan(1e6)
  expect(after('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)
})

test('while the database is silent, the rest of the scrape is answered', async () => {
  const locked = new pg.Client(fixture.database.url)
  await locked.connect()
  await locked.query('begin; lock table platform.revisions in access exclusive mode')
  const during = await scrape().finally(() => locked.end())
  expect(during('platform_database_up')).toBe(0)
  expect(during('platform_revisions', { status: 'BUILD_FAILED' })).toBe(0)
  expect(during('platform_http_requests_total', { area: 'control-plane' })).toBeGreaterThan(0)
  const after = await scrape()
  expect([after('platform_database_up'), after('platform_revisions', { status: 'BUILD_FAILED' })]).toEqual([1, 1])
})
