import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wordDiff } from './word-diff'

const text = (from: string, to: string) =>
  wordDiff(from, to)
    ?.map(({ kind, text: of }) => ({ same: of, added: `+${of}+`, removed: `-${of}-` })[kind])
    .join('')

test.each([
  ['', '', ''],
  ['a b', 'a b', 'a b'],
  ['', 'new', '+new+'],
  ['old', '', '-old-'],
  ['the red fox', 'the blue fox', 'the -red-+blue+ fox'],
  ['one two', 'one two three', 'one two+ three+'],
])('%j to %j', (from, to, expected) => {
  expect(text(from, to)).toBe(expected)
})

test('what is left out or added gives the two texts', () => {
  const words = fc
    .array(fc.constantFrom('a', 'b', 'c', ' ', '\n', 'word'), { maxLength: 30 })
    .map((all) => all.join(''))
  fc.assert(
    fc.property(words, words, (from, to) => {
      const parts = wordDiff(from, to)
      const without = (kind: string) => (parts ?? []).map((part) => (part.kind === kind ? '' : part.text)).join('')
      expect([without('added'), without('removed')]).toEqual([from, to])
    }),
  )
})

test('texts that are too long are not compared', () => {
  const long = 'word '.repeat(3_000)
  expect(wordDiff(long, `${long}more`)).toBeUndefined()
  expect(wordDiff(long, long)).toEqual([{ kind: 'same', text: long }])
})
