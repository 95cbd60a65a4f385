import type { Token } from 'marked'
import { expect, test } from 'vitest'
import { readMarkdown } from './markdown-model'
import { finishMarkdown } from './unfinished'

/** The text that is shown, without that of code, which is shown as it is. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => {
      if (token.type === 'code' || token.type === 'codespan' || token.type === 'math') return ''
      if (token.type === 'checkbox') return ''
      if (token.type === 'list')
        return token.items.map((item: Token) => plainText('tokens' in item ? (item.tokens ?? []) : [])).join('')
      if (token.type === 'table')
        return [token.header, ...token.rows].flatMap((row) => row.map((cell: Token) => plainText([cell]))).join(' ')
      if ('tokens' in token && token.tokens) return plainText(token.tokens)
      return 'text' in token ? String(token.text) : token.raw
    })
    .join(' ')
}

const EXAMPLES = [
  'Some **bold text** and *emphasis*, __both__ and ~~gone~~.',
  '**Bold with `code` inside and _more_ of it** after',
  '***All of it*** now',
  '* item **one**\n* item `two`\n  * **nested** item',
  '## A **heading**\n\nText',
  'Before\n\n```js\nconst a = `**x**`\n```\n\nAfter **it**',
  'A formula:\n\n$$\n\\frac{a}{b}\n$$\n\nand \\(x_1\\) and $$y$$ here',
  'A \\[ z^2 \\] and **bold**',
  'Use ``a ` b`` now',
  'See [the docs](https://docs.example/a) for **more**',
  '> **quoted** text\n\n1. **First**: one\n2. **Second**: two',
  'Sales:\n\n| Region | Sum **now** |\n|:-------|--------:|\n| North | `1` |\n| South | 2 |\n\nAfter it',
]

test.each(EXAMPLES)('no mark is shown that is hidden later: %j', (text) => {
  expect(plainText(readMarkdown(text))).not.toMatch(/[*`$~_]|\]\(/)
  for (let end = 1; end <= text.length; end++) {
    const part = text.slice(0, end)
    expect(plainText(readMarkdown(finishMarkdown(part))), part).not.toMatch(/[*`$~]|__|\]\(/)
  }
})

test.each([
  'Sales:\n\n| Region | Sum |\n| :--- | ---: |\n| North | 1 |\n| South | 2 |\n\nAfter it',
  '- [x] collected\n- [ ] reviewed\n  - [ ] nested',
  'It costs more.[^1] Or less.',
])('neither a row of a table nor a box or a note is shown by its marks: %j', (text) => {
  for (let end = 1; end <= text.length; end++) {
    const shown = plainText(readMarkdown(finishMarkdown(text.slice(0, end)))).replace('[^1]', '')
    expect(shown, text.slice(0, end)).not.toMatch(/[|[\]^]|--/)
  }
})

test('a table is one from its first cell on, with the cells that have come', () => {
  expect(finishMarkdown('| a | b')).toBe('| a | b\n|---|---|')
  expect(finishMarkdown('| a | b |\n|:-')).toBe('| a | b |\n|---|---|')
  expect(finishMarkdown('| a | b |\n|:-|-:|\n| c')).toBe('| a | b |\n|:-|-:|\n| c')
  expect(finishMarkdown('a\n\n|')).toBe('a\n')
})

test('an open emphasis and an open formula are shown as they will be', () => {
  expect(finishMarkdown('a **b')).toBe('a **b**')
  expect(finishMarkdown('a **b _c ')).toBe('a **b _c_**')
  expect(finishMarkdown('a $$x^')).toBe('a `x^`')
  expect(finishMarkdown('a [b](https://c')).toBe('a b')
})

test.each(EXAMPLES)('complete text is left as it is: %j', (text) => expect(finishMarkdown(text).trim()).toBe(text))

test('text within a fence that an earlier part opened is code', () => {
  expect(finishMarkdown('a ** b', '```js\n')).toBe('a ** b')
  expect(finishMarkdown('a\n``', '```js\n')).toBe('a')
})
