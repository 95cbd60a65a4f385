import { afterEach, expect, test, vi } from 'vitest'
import { isDisabled } from './disabled-groups'
import { refusalByConfig, webhookRules } from './webhook-rules'

afterEach(() => vi.unstubAllEnvs())

test.each([
  [{ require_https: true }, 'http://example.com/', 'https'],
  [{ allowed_domains: ['example.com', '*.example.org'] }, 'https://evil.example.com/', 'evil.example.com'],
  [{ allowed_domains: ['*.example.org'] }, 'https://example.org/', 'example.org'],
  [{ allowed_ports: [443] }, 'http://example.com/', 'port 80'],
  [{ allowed_ports: [443] }, 'https://example.com:8443/', 'port 8443'],
  [{ max_url_length: 20 }, 'https://example.com/too/long', '20 characters'],
  [{ disable_loopback: true }, 'http://localhost:1/', 'own machine'],
  [{ disable_loopback: true }, 'http://[::1]:1/', 'own machine'],
  [{ disable_loopback: true }, 'http://127.0.0.1/', 'own machine'],
  [{ disable_loopback: true }, 'http://my.app.localhost/', 'own machine'],
])('webhooks.url %j refuses %s', (url, address, reason) => {
  expect(refusalByConfig(address, webhookRules({ url }, []))).toContain(reason)
})

test.each([
  [{ max_url_length: 20 }, 'https://example.com/'],
  [{ allowed_domains: ['Example.com', '*.example.org'] }, 'https://example.com/'],
  [{ allowed_domains: ['Example.com', '*.Example.org'] }, 'https://a.b.example.org/'],
  [{ allowed_ports: [80, 8443] }, 'http://example.com/'],
  [{ allowed_ports: [80, 8443] }, 'https://example.com:8443/'],
  [{ disable_loopback: true }, 'https://notlocalhost/'],
  [{ disable_loopback: true }, 'https://localhost.example.com/'],
  [{ disable_loopback: true }, 'https://a127.0.0.1.example/'],
  [{ disable_loopback: false }, 'http://localhost/'],
  [{ require_https: false }, 'http://example.com/'],
])('webhooks.url %j allows %s', (url, address) => {
  expect(refusalByConfig(address, webhookRules({ url }, []))).toBeUndefined()
})

test('a graph file without rules adds none to those of the operator', () => {
  for (const config of [undefined, null])
    expect(webhookRules(config, [])).toEqual({ ranges: [], headers: {}, url: {}, isOff: false })
})

test('webhooks.url allows the rest, and disable_webhooks nothing', () => {
  const url = { require_https: true, allowed_domains: ['*.example.org'], allowed_ports: [443], disable_loopback: true }
  expect(refusalByConfig('https://a.example.org/x', webhookRules({ url }, []))).toBeUndefined()
  expect(refusalByConfig('https://a.example.org/x', webhookRules({}, [], true))).toContain('no webhooks')
})

const variable = (name: string) => `\${{ env.${name} }}`

test('webhook headers take variables with the prefix only', () => {
  vi.stubEnv('LG_WEBHOOK_KEY', 'k1')
  vi.stubEnv('OWN_KEY', 'k2')
  const headersOf = (headers: Record<string, string>, env_prefix?: string) =>
    webhookRules({ headers, env_prefix }, []).headers
  expect(headersOf({ Authorization: `Bearer ${variable('LG_WEBHOOK_KEY')}`, 'X-A': 'plain' })).toEqual({
    authorization: 'Bearer k1',
    'x-a': 'plain',
  })
  expect(headersOf({ a: variable('OWN_KEY') }, 'OWN_')).toEqual({ a: 'k2' })
  expect(() => headersOf({ a: variable('OWN_KEY') })).toThrow('names OWN_KEY, which does not begin with LG_WEBHOOK_')
  expect(() => headersOf({ a: variable('LG_WEBHOOK_NONE') })).toThrow('which is not set')
})

test.each([
  ['disable_runs', ['/runs/wait', '/threads/{thread_id}/runs', '/threads/{thread_id}/commands'], ['/threads', '/ok']],
  ['disable_threads', ['/threads', '/threads/{thread_id}/state'], ['/threads/{thread_id}/runs']],
  ['disable_assistants', ['/assistants/search'], ['/threads']],
  ['disable_store', ['/store/items'], ['/runs']],
  ['disable_mcp', ['/mcp/'], ['/a2a/{assistant_id}']],
  ['disable_a2a', ['/a2a/{assistant_id}', '/.well-known/agent-card.json'], ['/mcp/']],
  ['disable_meta', ['/info', '/docs', '/openapi.json', '/metrics'], ['/ok']],
])('http.%s switches its routes off and no others', (group, off, on) => {
  for (const path of off) expect([path, isDisabled(path, { [group]: true })]).toEqual([path, true])
  for (const path of on) expect([path, isDisabled(path, { [group]: true })]).toEqual([path, false])
  for (const path of off) expect(isDisabled(path, {})).toBe(false)
})
