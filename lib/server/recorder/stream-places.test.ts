import { afterAll, beforeAll, expect, test } from 'vitest'
import { adoptEnv } from '../process/env'
import type { Destination } from '../upstream/destination'
import { holdStream } from './stream-places'

beforeAll(() =>
  adoptEnv({
    ...{ DATABASE_URL: 'postgres://nobody@127.0.0.1/none' },
    ...{ PILOTHOUSE_STREAMS: '1', PILOTHOUSE_QUEUED_STARTS: '0' },
  }),
)
afterAll(() => adoptEnv(undefined))

test('a start takes one stream until it is released, and again if it comes later', () => {
  const to = { what: 'agent server', base: new URL('http://127.0.0.3:1') } as Destination
  const isFree = () => {
    try {
      holdStream(to, undefined)()
      return true
    } catch {
      return false
    }
  }
  const release = holdStream(to, 'one')
  holdStream(to, 'one')() // a repeat, which takes nothing and gives nothing back
  expect(isFree()).toBe(false)
  release()
  release()
  expect(isFree()).toBe(true)
  const again = holdStream(to, 'one')
  expect(isFree()).toBe(false)
  again()
})
