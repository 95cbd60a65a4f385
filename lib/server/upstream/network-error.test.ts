import { expect, test } from 'vitest'
import { REFUSED_ADDRESS } from './address-guard'
import { ConnectionError, connectionError, lateError } from './network-error'

const failed = (code: string, more: object = {}) => Object.assign(new Error('fetch failed'), { code, ...more })
const wrapped = (error: Error, times: number): Error =>
  times === 0 ? error : new TypeError('fetch failed', { cause: wrapped(error, times - 1) })

// Code, reason, whether the request was sent, whether a retry can help.
test.each<[string, string, boolean, boolean]>([
  ['ECONNREFUSED', 'connection refused', false, true],
  ['ENOTFOUND', 'unknown host name', false, false],
  ['EAI_AGAIN', 'its name could not be looked up', false, true],
  ['ENETUNREACH', 'no route to it', false, true],
  ['EHOSTUNREACH', 'no route to it', false, true],
  ['ETIMEDOUT', 'no connection in time', false, false],
  ['UND_ERR_CONNECT_TIMEOUT', 'no connection in time', false, false],
  ['ECONNRESET', 'the connection broke', true, true],
  ['EPIPE', 'the connection broke', true, true],
  ['UND_ERR_SOCKET', 'the connection broke', true, true],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'the response was cut off', true, true],
  ['HPE_HEADER_OVERFLOW', 'its response has too many headers', true, false],
  ['UND_ERR_HEADERS_OVERFLOW', 'its response has too many headers', true, false],
  ['HPE_INVALID_CONSTANT', 'it does not speak HTTP', true, false],
  ['CERT_HAS_EXPIRED', 'its certificate was not accepted: CERT_HAS_EXPIRED', false, false],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'its certificate was not accepted: SELF_SIGNED_CERT_IN_CHAIN', false, false],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'its certificate was not accepted: ERR_TLS_CERT_ALTNAME_INVALID', false, false],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    'its certificate was not accepted: UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    false,
    false,
  ],
  ['SOMETHING_NEW', 'the connection failed', true, true],
])('%s means "%s"', (code, why, wasSent, isRetryable) => {
  for (const times of [0, 1, 4]) {
    const error = connectionError(wrapped(failed(code), times), 'agent server at http://a')
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error).toMatchObject({
      code: 'upstream_unreachable',
      message: `The agent server at http://a cannot be reached (${why}).`,
      wasSent,
      isRetryable,
    })
  }
})

test('a reason is not looked for without end, and a thrown text has none', () => {
  const deep = connectionError(wrapped(failed('ECONNREFUSED'), 5), 'server')
  expect(deep).toMatchObject({ message: 'The server cannot be reached (the connection failed).', wasSent: true })
  expect(connectionError('broken', 'server').message).toBe('The server cannot be reached (the connection failed).')
  const parser = Object.assign(new Error('x'), { name: 'HTTPParserError' })
  expect(connectionError(parser, 'server').message).toBe('The server cannot be reached (it does not speak HTTP).')
})

test('the outermost known reason counts', () => {
  const error = failed('ECONNRESET', { cause: failed('ECONNREFUSED') })
  expect(connectionError(error, 'server').message).toContain('the connection broke')
})

test.each([
  ['10.0.0.1', 'it is at 10.0.0.1, which is not a public address'],
  ['8.8.8.8', 'an address that is not listed has to be https on its usual port'],
])('an address that is not allowed is refused with what to do: %s', (address, why) => {
  for (const times of [0, 4]) {
    const error = connectionError(wrapped(failed(REFUSED_ADDRESS, { address }), times), 'agent server')
    expect(error).not.toBeInstanceOf(ConnectionError)
    expect(error.code).toBe('forbidden')
    expect(error.message).toContain(`does not connect to the agent server: ${why}.`)
  }
})

test('a passed deadline names whole seconds, and is no reason to try again', () => {
  expect(lateError('agent server', 8_000)).toMatchObject({
    message: 'The agent server did not respond within 8 seconds.',
    isRetryable: false,
    wasSent: true,
  })
  expect(lateError('agent server', 1_001).message).toContain('within 2 seconds')
})
