import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { allowTracing, readSettings } from './settings'

const SWITCHES = ['LANGSMITH_TRACING', 'LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING', 'LANGCHAIN_TRACING_V2']

beforeEach(() => {
  for (const name of [...SWITCHES, 'LANGSMITH_ENDPOINT', 'LANGCHAIN_ENDPOINT']) vi.stubEnv(name, undefined)
})
afterEach(() => vi.unstubAllEnvs())

test.each([
  ['true', 'http://127.0.0.1:8000/traces', true],
  ['true', 'https://traces.example.com', true],
  ['true', 'https://notlangchain.com', true],
  ['true', 'https://langchain.com.example', true],
  ['true', 'https://api.smith.langchain.com', false],
  ['true', 'https://langchain.com/x', false],
  ['true', 'not an address', false],
  ['true', undefined, false],
  ['false', 'https://traces.example.com', false],
  [undefined, 'https://traces.example.com', false],
])('with tracing %s to %s runs are traced: %s', (isOn, endpoint, isTraced) => {
  vi.stubEnv('LANGSMITH_TRACING', isOn)
  vi.stubEnv('LANGSMITH_ENDPOINT', endpoint)
  expect(allowTracing()).toBe(isTraced)
  // All of the library's switches, because any of them would enable it.
  for (const name of SWITCHES) expect([name, process.env[name]]).toEqual([name, String(isTraced)])
})

test('the settings are read once and removed, because graph code must not see them', () => {
  vi.stubEnv('PILOTHOUSE_AGENT_DATABASE_URL', 'postgres://localhost/x')
  vi.stubEnv('PILOTHOUSE_AGENT_SCHEMA', 'agent_x')
  vi.stubEnv('PILOTHOUSE_AGENT_CONFIG', '/x/graph.json')
  vi.stubEnv('PILOTHOUSE_AGENT_SECRET', 'a secret of the gateway')
  vi.stubEnv('PILOTHOUSE_AGENT_PORT', '8123')
  vi.stubEnv('PILOTHOUSE_AGENT_HOST', '0.0.0.0')
  vi.stubEnv('PILOTHOUSE_AGENT_OWNER', 'me')
  vi.stubEnv('PILOTHOUSE_AGENT_CORS_ORIGINS', 'https://a.example')
  vi.stubEnv('LANGSMITH_TRACING', 'true')
  vi.stubEnv('LANGSMITH_ENDPOINT', 'http://127.0.0.1/')
  expect(readSettings()).toMatchObject({
    databaseUrl: 'postgres://localhost/x',
    schema: 'agent_x',
    configPath: '/x/graph.json',
    secret: 'a secret of the gateway',
    port: 8123,
    host: '0.0.0.0',
    owner: 'me',
    isTracing: true,
    corsOrigins: ['https://a.example'],
  })
  expect(Object.keys(process.env).filter((name) => name.startsWith('PILOTHOUSE_AGENT_'))).toEqual([])
})
