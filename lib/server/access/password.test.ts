import { describe, expect, test } from 'vitest'
import { generatePassword, hashPassword, isPassword } from './password'

test('a hash names its parameters, does not contain the password and differs each time', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')])
  expect(one).toMatch(/^scrypt\$65536\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
  expect(one).not.toContain('correct')
  expect(one).not.toBe(two)
})

test('only the right password matches, in any Unicode composition', async () => {
  const hash = await hashPassword('é-secret-Å')
  expect(await isPassword('é-secret-Å'.normalize('NFD'), hash)).toBe(true)
  expect(await isPassword('e-secret-A', hash)).toBe(false)
  expect(await isPassword('', hash)).toBe(false)
})

test('a hash with other parameters still works', async () => {
  const { scryptSync } = await import('node:crypto')
  const salt = Buffer.from('0123456789abcdef')
  const old = [
    'scrypt',
    1024,
    8,
    1,
    salt.toString('base64url'),
    scryptSync('old password', salt, 32, { N: 1024, r: 8, p: 1 }).toString('base64url'),
  ].join('$')
  expect(await isPassword('old password', old)).toBe(true)
  expect(await isPassword('new password', old)).toBe(false)
})

test('no password matches a missing account, and the check takes as long', async () => {
  const hash = await hashPassword('something')
  const time = async (stored: string | undefined) => {
    const began = performance.now()
    expect(await isPassword('something else', stored)).toBe(false)
    return performance.now() - began
  }
  const [known, unknown] = [[], []] as [number[], number[]]
  for (let round = 0; round < 5; round += 1) {
    known.push(await time(hash))
    unknown.push(await time(undefined))
  }
  const least = (times: number[]) => Math.min(...times)
  expect(least(unknown) / least(known)).toBeGreaterThan(0.5)
  expect(least(unknown) / least(known)).toBeLessThan(2)
})

test('many concurrent sign-ins queue and are all served', async () => {
  const hash = await hashPassword('shared')
  const results = await Promise.all(
    Array.from({ length: 8 }, (_, index) => isPassword(index % 2 ? 'shared' : 'other', hash)),
  )
  expect(results).toEqual([false, true, false, true, false, true, false, true])
})

describe('checks at once', () => {
  // Quick parameters; no password has this hash.
  const quick = ['scrypt', 16, 8, 1, 'c2FsdHNhbHQ', 'aGFzaGhhc2g'].join('$')
  const many = () => Promise.allSettled(Array.from({ length: 103 }, () => isPassword('x', quick)))
  const busy = { code: 'rate_limited', view: { retryAfterMs: 5000 } }

  test('are two, with a hundred waiting, and one more is refused', async () => {
    for (let round = 0; round < 2; round += 1) {
      const results = await many()
      expect(results.slice(0, 102)).toEqual(Array(102).fill({ status: 'fulfilled', value: false }))
      expect(results[102]).toMatchObject({ status: 'rejected', reason: busy })
    }
    expect(await isPassword('x', quick)).toBe(false)
  })

  test('go on after one that failed', async () => {
    const impossible = quick.replace('$16$', '$15$')
    for (let round = 0; round < 5; round += 1) await expect(isPassword('x', impossible)).rejects.toThrow()
    expect((await many()).filter(({ status }) => status === 'rejected')).toHaveLength(1)
  })

  test.each([
    '',
    'plain',
    'md5$16$8$1$c2FsdA$aGFzaA',
    'scrypt$16$8$1$$aGFzaA',
    'scrypt$16$8$1$c2FsdA$',
    'scrypt$16$8$1',
  ])('say that the stored hash %j is damaged', async (hash) => {
    await expect(isPassword('x', hash)).rejects.toThrow('damaged')
  })
})

test('generated passwords differ and avoid ambiguous characters', () => {
  const made = Array.from({ length: 200 }, generatePassword)
  expect(new Set(made).size).toBe(200)
  for (const one of made) expect(one).toMatch(/^([a-km-zA-HJ-NP-Z2-9]{5}-){3}[a-km-zA-HJ-NP-Z2-9]{5}$/)
})
