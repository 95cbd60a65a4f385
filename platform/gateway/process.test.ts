import { expect, test } from 'vitest'
import { startGateway } from './process'

const AWAY = {
  databaseUrl: 'postgres://127.0.0.1:1/none',
  gatewayKey: 'a key of forty characters for all gateways',
  platformUrl: undefined,
  drainMs: 0,
  log: () => {},
}

test('a gateway tells the bearer of the token how it is, also without its database', async () => {
  const metricsToken = 'a token for metrics'
  const gateway = await startGateway({ ...AWAY, metricsToken })
  const scrape = (authorization: string) => fetch(`${gateway.url}/metrics`, { headers: { authorization } })
  expect((await scrape('Bearer another token')).status).toBe(401)
  expect((await fetch(`${gateway.url}/agents/none/ok`)).status).toBe(503)
  const text = await (await scrape(`Bearer ${metricsToken}`)).text()
  expect(text).toContain('\nplatform_gateway_connected 0\n')
  expect(text).toContain('\nplatform_http_requests_total{area="agents",method="GET",status="503"} 1\n')
  await gateway.stop()
})

test.each([
  ['127.0.0.2', /^http:\/\/127\.0\.0\.2:\d+$/],
  ['::1', /^http:\/\/\[::1\]:\d+$/],
  [undefined, /^http:\/\/127\.0\.0\.1:\d+$/],
])('a gateway for %s says that it listens there', async (host, address) => {
  const gateway = await startGateway({ ...AWAY, host })
  expect(gateway.url).toMatch(address)
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  await gateway.stop()
})
