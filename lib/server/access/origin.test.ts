import { afterEach, beforeEach, expect, test } from 'vitest'
import { adoptEnv } from '../process/env'
import { assertOwnOrigin, isLocalRequest, isOwnOrigin } from './origin'

const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none'
const at = (address: string) => adoptEnv({ DATABASE_URL, NEXTAUTH_URL: address })
beforeEach(() => at('https://console.example.com'))
afterEach(() => adoptEnv(undefined))

test.each<Record<string, string>>([
  { origin: 'https://console.example.com' },
  { origin: 'https://console.example.com', host: 'internal:3000', 'x-forwarded-host': 'console.example.com' },
  { origin: 'https://other-name.example.com', host: 'other-name.example.com' },
  { origin: 'https://console.example.com', 'sec-fetch-site': 'same-origin' },
])('a request with %o is accepted', (headers) => {
  expect(isOwnOrigin(new Headers(headers))).toBe(true)
})

test.each<Record<string, string>>([
  {},
  { origin: 'null' },
  { origin: '' },
  { origin: 'https://evil.example.com' },
  { origin: 'https://console.example.com.evil.example' },
  { origin: 'https://console.example.com:8443' },
  { origin: 'http://console.example.com' },
  { origin: 'http://console.example.com', host: 'console.example.com' },
  { origin: 'https://evil.example.com', 'x-forwarded-host': 'evil.example.com' },
  { origin: 'https://evil.example.com', host: 'console.example.com', forwarded: 'host=evil.example.com' },
  { origin: 'https://console.example.com', 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.example.com/', host: 'evil.example.com' },
  { referer: 'https://console.example.com/x' },
])('a request with %o is refused', (headers) => {
  expect(isOwnOrigin(new Headers(headers))).toBe(false)
})

test('a request of another site is refused in words, and one of the console is not', () => {
  const from = (origin: string) => () => assertOwnOrigin(new Headers({ origin }))
  expect(from('https://evil.example.com')).toThrow('did not come from a page of the console')
  expect(from('https://console.example.com')).not.toThrow()
})

test('without TLS the console also accepts its other local names', () => {
  at('http://localhost:3000')
  expect(isOwnOrigin(new Headers({ origin: 'http://127.0.0.1:3000', host: '127.0.0.1:3000' }))).toBe(true)
  expect(isOwnOrigin(new Headers({ origin: 'http://127.0.0.1:3001', host: '127.0.0.1:3000' }))).toBe(false)
})

test.each([
  ['localhost:3000', '127.0.0.1', true],
  ['LOCALHOST', '::1', true],
  ['127.0.0.1:3000', '::ffff:127.0.0.1', true],
  ['[::1]:3000', '::1', true],
  ['rebound.example.com:3000', '127.0.0.1', false],
  ['localhost.example.com', '127.0.0.1', false],
  ['127.0.0.1.example.com:3000', '127.0.0.1', false],
  ['me@rebound.example.com', '127.0.0.1', false],
  ['localhost:3000', '192.168.1.7', false],
  ['192.168.1.7:3000', '192.168.1.7', false],
  ['', '127.0.0.1', false],
  [undefined, '127.0.0.1', false],
  ['localhost:3000', undefined, false],
])('a request for the host %j at the address %s is local: %s', (host, address, expected) => {
  expect(isLocalRequest(host, address)).toBe(expected)
})
