import { afterAll, beforeAll, expect, test } from 'vitest'
import { adoptEnv } from '../process/env'
import { sealChannel, unsealChannel } from './alert-channel-secrets'

beforeAll(() => {
  adoptEnv({
    ...{ DATABASE_URL: 'postgres://nowhere.invalid/x', NEXTAUTH_SECRET: 's'.repeat(32) },
    PILOTHOUSE_SEALING_KEY: 'k'.repeat(32),
  })
})
afterAll(() => adoptEnv(undefined))

const url = 'https://hooks.example.com/services/canary'

test('the address and secret of a channel can be read again', () => {
  for (const secrets of [{ url }, { url, secret: 'signing' }]) {
    const sealed = sealChannel('one', secrets)
    expect(sealed).not.toContain('canary')
    expect(unsealChannel('one', sealed, 'https://hooks.example.com')).toEqual(secrets)
  }
})

test('they serve no other channel, and no other origin', () => {
  const sealed = sealChannel('one', { url })
  expect(() => unsealChannel('two', sealed, 'https://hooks.example.com')).toThrow('belong to another')
  expect(() => unsealChannel('one', sealed, 'https://evil.example.com')).toThrow('belong to another')
  expect(() => unsealChannel('one', 'damaged', 'https://hooks.example.com')).toThrow('damaged')
})
