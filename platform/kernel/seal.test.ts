import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSealer } from './seal'

const sealer = createSealer(randomBytes(32))
const secrets = [{ name: 'TOKEN', value: 'tell-nobody ✓' }]

test('a sealed value opens unchanged, and two seals of one value differ', () => {
  const [one, two] = [sealer.seal(secrets, 'a'), sealer.seal(secrets, 'a')]
  expect(sealer.open(one, 'a')).toEqual(secrets)
  expect(one).not.toBe(two)
  expect(one).not.toContain('tell')
})

test('nothing opens under another key, for another purpose, or after any character was changed', () => {
  const sealed = sealer.seal(secrets, 'a')
  expect(() => createSealer(randomBytes(32)).open(sealed, 'a')).toThrow()
  expect(() => sealer.open(sealed, 'b')).toThrow()
  expect(() => sealer.open('v9.a.b.c', 'a')).toThrow('unknown form')
  for (let at = 0; at < sealed.length; at += 1) {
    if (sealed[at] === '.') continue
    const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
    // The last character of a part may have bits that the encoding ignores.
    if (/^(\.|$)/.test(sealed.slice(at + 1, at + 2))) continue
    expect(() => sealer.open(changed, 'a')).toThrow()
  }
})

test('a key of another length is refused at once', () => {
  expect(() => createSealer(randomBytes(16))).toThrow('damaged')
})
