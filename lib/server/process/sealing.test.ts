import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { adoptEnv } from './env'
import { readOrCreateKey } from './key-file'
import { derivedKey, fingerprint, seal, unseal } from './sealing'

const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none'
const home = { owner: 'workspace staging', origin: 'https://api.example.com' }
let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-sealing-'))
  adoptEnv({ DATABASE_URL, PILOTHOUSE_DATA: dataDir })
})
afterEach(() => {
  adoptEnv(undefined)
  rmSync(dataDir, { recursive: true, force: true })
})

describe('sealed keys', () => {
  test('open for their owner and origin, and are not readable', () => {
    const sealed = seal('lsv2_very_secret', home)
    expect(unseal(sealed, home)).toBe('lsv2_very_secret')
    expect(sealed).not.toContain('secret')
    expect(Buffer.from(sealed.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('secret')
    expect(seal('lsv2_very_secret', home)).not.toBe(sealed)
  })

  test.each([
    { ...home, owner: 'workspace production' },
    { ...home, origin: 'https://evil.example.com' },
    { ...home, origin: 'http://api.example.com' },
    { owner: 'workspace ', origin: 'staginghttps://api.example.com' },
  ])('do not open for %o', (other) => {
    const sealed = seal('key', home)
    expect(() => unseal(sealed, other)).toThrow(/another workspace or origin/)
  })

  test('do not open after a single bit was changed', () => {
    const [version, id, nonce, body] = seal('key', home).split('.') as [string, string, string, string]
    for (let at = 0; at < Buffer.from(body, 'base64url').length; at += 1) {
      const bytes = Buffer.from(body, 'base64url')
      bytes[at] = (bytes[at] ?? 0) ^ 1
      expect(() => unseal([version, id, nonce, bytes.toString('base64url')].join('.'), home)).toThrow()
    }
    for (const damaged of ['', 'v1', `v2.${id}.${nonce}.${body}`, `v1.${id}.${nonce}.AAAA`])
      expect(() => unseal(damaged, home)).toThrow()
  })

  test('of another installation are recognized as such', () => {
    const sealed = seal('key', home)
    adoptEnv({ DATABASE_URL, PILOTHOUSE_DATA: dataDir, PILOTHOUSE_SEALING_KEY: 'k'.repeat(32) })
    expect(() => unseal(sealed, home)).toThrow(/sealed with another sealing key/)
    expect(unseal(seal('key', home), home)).toBe('key')
  })
})

test('the sealing key is created once, complete, and readable by this user only', () => {
  const made = readOrCreateKey('sealing-key')
  expect(made.length).toBeGreaterThanOrEqual(43)
  expect(readOrCreateKey('sealing-key')).toBe(made)
  expect(statSync(path.join(dataDir, 'sealing-key')).mode & 0o777).toBe(0o600)
  expect(readdirSync(dataDir)).toEqual(['sealing-key'])
  expect(readFileSync(path.join(dataDir, 'sealing-key'), 'utf8')).toBe(made)
})

test('each purpose has its own key', () => {
  const keys = (['workspace-keys', 'audit', 'fingerprint'] as const).map((purpose) =>
    derivedKey(purpose).toString('hex'),
  )
  expect(new Set(keys).size).toBe(3)
})

test('a fingerprint reveals a change and is useless without the key', () => {
  const one = fingerprint('here', 'value')
  expect(one).toMatch(/^[0-9a-f]{32}$/)
  expect(fingerprint('here', 'value')).toBe(one)
  expect(fingerprint('here', 'valuf')).not.toBe(one)
  expect(fingerprint('there', 'value')).not.toBe(one)
  expect(fingerprint('here', '\ud800')).not.toBe(fingerprint('here', '\ud801'))
  adoptEnv({ DATABASE_URL, PILOTHOUSE_DATA: dataDir, PILOTHOUSE_SEALING_KEY: 'k'.repeat(32) })
  expect(fingerprint('here', 'value')).not.toBe(one)
})
