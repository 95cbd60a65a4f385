import { expect, test } from 'vitest'
import { plainMarkdown } from './plain-markdown'

test.each([
  ['**42**. The *answer* is `6 * 7`.', '42. The answer is 6 * 7.'],
  ['# Plan\n\n1. Read\n2. **Write**\n- [x] done\n> said', 'Plan\n\nRead\nWrite\ndone\nsaid'],
  ['See [the docs](https://a.example/x_(y) "t") and ![a boat](b.png).', 'See the docs and a boat.'],
  ['```js\nlet a_b = 1\n```\nafter', '\nlet a_b = 1\n\nafter'],
  ['| a | b |\n|---|:-:|\n| 1 | 2 |', ' a   b \n\n 1   2 '],
  ['~~old~~ __new__ _soft_', 'old new soft'],
  ['> - quoted item\n###   Deep\n12) Twelve\n- [ ]  open', 'quoted item\nDeep\nTwelve\nopen'],
  ['a\n* * *\nb\n  ---  \nc\n-\t-\t-\nd', 'a\n\nb\n\nc\n\nd'],
  ['a | b\n:--- | ---:\n1 | 2', 'a | b\n\n1 | 2'],
  ['[a](u(v)w "t"), [b](u(longer)more), [c](u   "title"), [d](u "")', 'a, b, c, d'],
  ['``code`` and `` x ``, _a_ b, _c_.', 'code and x, a b, c.'],
  // Marks that are text.
  ['a ---\n--- no rule\n--\nx---\n-x-x-\nb ```js', 'a ---\n--- no rule\n--\nx---\n-x-x-\nb ```js'],
  ['_a_b and _a_é and _a_1', '_a_b and _a_é and _a_1'],
  ['2 * 3 * 4 and snake_case_name and a*b*c', '2 * 3 * 4 and snake_case_name and a*b*c'],
  ['`**kept**` and [1] and 5 > 3', '**kept** and [1] and 5 > 3'],
  ['**unclosed', '**unclosed'],
])('%s', (markdown, plain) => {
  expect(plainMarkdown(markdown)).toBe(plain)
})

test('a long hostile text is read in no time', () => {
  const began = performance.now()
  for (const one of ['**a', '[', '`a', '_a ', '* ', '|-']) plainMarkdown(one.repeat(20_000))
  expect(performance.now() - began).toBeLessThan(500)
})
