import { afterEach, expect, test, vi } from 'vitest'
import { agentTelemetry, listenerEnv } from './env'

afterEach(() => vi.unstubAllEnvs())

const addressOf = (url: string, more: Record<string, string> = {}) => {
  const given = { PILOTHOUSE_LISTENER_URL: url, PILOTHOUSE_LISTENER_TOKEN: 'phl_token', ...more }
  for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value)
  return listenerEnv().PILOTHOUSE_LISTENER_URL
}

test.each(['https://platform.example.com', 'http://localhost:4100', 'http://127.0.0.1:4100', 'http://[::1]:4100'])(
  'a listener may connect to %s',
  (url) => expect(addressOf(url)).toBe(url),
)

test.each(['http://platform.example.com', 'http://10.0.0.7:4100', 'http://localhost.example.com'])(
  'a listener connects to %s only where that is allowed',
  (url) => {
    expect(() => addressOf(url)).toThrow(
      'PILOTHOUSE_LISTENER_URL: use https://, because work contains secrets. PILOTHOUSE_LISTENER_ALLOW_HTTP=true permits http:// in a network that you trust.',
    )
    expect(addressOf(url, { PILOTHOUSE_LISTENER_ALLOW_HTTP: 'true' })).toBe(url)
  },
)

test.each(['ftp://platform.example.com', 'platform.example.com', ''])('the address "%s" is refused', (url) => {
  expect(() => addressOf(url)).toThrow('The settings are invalid.\n  PILOTHOUSE_LISTENER_URL: Invalid URL')
})

test.each([
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Bearer x'],
  ['OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'x-key=x'],
  ['OTEL_EXPORTER_OTLP_CLIENT_KEY', '/run/secrets/key.pem'],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'https://user:x@collector.example.com/v1/traces'],
])('deployed code gets no settings of OpenTelemetry with a key in %s', (name, value) => {
  const plain = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
  expect(agentTelemetry({ ...plain, OTEL_SERVICE_NAME: 'platform' })).toEqual(plain)
  expect(agentTelemetry({ ...plain, [name]: value })).toEqual({})
})
