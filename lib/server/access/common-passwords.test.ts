import { dictionary } from '@zxcvbn-ts/language-common'
import { expect, test } from 'vitest'
import { isCommonPassword } from './common-passwords'
import { generatePassword, PASSWORD_LENGTH } from './password'

const listed = (dictionary['passwords-common'] ?? []).map(String)
const accepted = async (passwords: string[]) => {
  const results = await Promise.all(passwords.map((one) => isCommonPassword(one, [])))
  return passwords.filter((_, index) => !results[index])
}

test('every listed password of the allowed length is refused', async () => {
  expect(listed.length).toBeGreaterThan(40_000)
  expect(await accepted(listed.filter((one) => one.length >= PASSWORD_LENGTH.min))).toEqual([])
})

// The 3,000 most common ones are mostly shorter, so people lengthen them. Every 40th keeps this quick.
test.each<[string, (word: string) => string]>([
  ['repeated', (word) => word.repeat(Math.ceil(PASSWORD_LENGTH.min / word.length))],
  ['followed by digits', (word) => `${word}1234567890`.slice(0, Math.max(PASSWORD_LENGTH.min, word.length + 3))],
  [
    'capitalised and followed by !',
    (word) => (word[0]?.toUpperCase() + word.slice(1)).padEnd(PASSWORD_LENGTH.min, '!'),
  ],
])('the 3,000 most common passwords %s are refused', async (_, lengthen) => {
  expect(
    await accepted(
      listed
        .slice(0, 3000)
        .filter((_, index) => index % 40 === 0)
        .map(lengthen),
    ),
  ).toEqual([])
})

test("the account's address and name and the product's name make no password", async () => {
  const context = ['grace.hopper@example.com', 'Grace Hopper']
  for (const password of ['grace.hopper@example.com', 'GraceHopper12', 'Pilothouse1234'])
    expect(await isCommonPassword(password, context), password).toBe(true)
})

test.each([
  ['the whole address', 'bartholomew@zephyrine.example'],
  ['the address without its signs', 'onleary77zephyrineexample'],
  ['a part of an address', 'bartholomew12'],
  ['another part of it', 'zephyrine1234'],
  ['a part of the name', 'Marchetande99'],
])('%s makes no password: %s', async (_, password) => {
  const context = ['bartholomew@zephyrine.example', 'o.n-leary77@zephyrine.example', 'Quillonby Marchetande']
  expect(await isCommonPassword(password, context)).toBe(true)
  expect(await isCommonPassword(password, [])).toBe(false)
})

test('a common password is one in any form of its letters, and with any end after 64 characters', async () => {
  for (const password of ['password1234', 'ｐａｓｓｗｏｒｄ１２３４', `${'a'.repeat(64)}${generatePassword()}`])
    expect(await isCommonPassword(password, [])).toBe(true)
  expect(await isCommonPassword(`${'a'.repeat(40)}${generatePassword()}`, [])).toBe(false)
})

test('generated passwords and unrelated words are accepted, of any length', async () => {
  const good = [
    generatePassword(),
    'quiet orbit lantern',
    'Gänseblümchen über Grenoble',
    `${generatePassword()}${'x'.repeat(230)}`,
  ]
  expect(await accepted(good)).toEqual(good)
})
