import { expect, test } from 'vitest'
import { tokenState } from './api-token'

const expiresAt = '2026-05-01T12:00:00Z'
const at = Date.parse(expiresAt)

test('a token is active until the moment it expires', () => {
  expect(tokenState({ expiresAt, revokedAt: null }, at - 1)).toBe('active')
  expect(tokenState({ expiresAt, revokedAt: null }, at)).toBe('expired')
  expect(tokenState({ expiresAt, revokedAt: null }, at + 1)).toBe('expired')
})

test('a revoked token is revoked, expired or not', () => {
  const revokedAt = '2026-04-01T00:00:00Z'
  expect(tokenState({ expiresAt, revokedAt }, at - 1)).toBe('revoked')
  expect(tokenState({ expiresAt, revokedAt }, at)).toBe('revoked')
})
