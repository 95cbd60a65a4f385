import { expect, test } from 'vitest'
import { startGateway } from './process'

test.each([
  ['127.0.0.2', /^http:\/\/127\.0\.0\.2:\d+$/],
  ['::1', /^http:\/\/\[::1\]:\d+$/],
  [undefined, /^http:\/\/127\.0\.0\.1:\d+$/],
])('a gateway for %s says that it listens there', async (host, address) => {
  const gateway = await startGateway({
    databaseUrl: 'postgres://127.0.0.1:1/none',
    gatewayKey: 'a key of forty characters for all gateways',
    platformUrl: undefined,
    host,
    drainMs: 0,
    log: () => {},
  })
  expect(gateway.url).toMatch(address)
  expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200)
  await gateway.stop()
})
