import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MarkdownParts } from './markdown-parts'

const joined = (parts: readonly { text: string }[]) => parts.map(({ text }) => text).join('')
const partsOf = (text: string) => new MarkdownParts().update(text)

test('the joined parts equal the text after any growth, replacement or cut', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.constantFrom(
      'line\n'.repeat(400),
      'word '.repeat(5_000),
      'x'.repeat(20_000),
      '\n\n```\n',
      '\n\n',
      '| a |\n|--|\n',
      '$$',
    ),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 12 }), (steps) => {
      const cutter = new MarkdownParts()
      let text = ''
      for (const [part, isAppended] of steps) {
        text = isAppended ? text + part : part
        expect(joined(cutter.update(text))).toBe(text)
      }
      // However it arrived, it is cut in the same way.
      expect(cutter.update(text)).toEqual(partsOf(text))
    }),
  )
})

test('while the text grows, all parts except the last keep their identity', () => {
  const cutter = new MarkdownParts()
  let text = ''
  let fixed: unknown[] = []
  for (let token = 0; token < 3_000; token++) {
    text += token % 20 === 19 ? 'end\n\n' : `token ${token} `
    const now = [...cutter.update(text)]
    expect(fixed.every((part, index) => part === now[index])).toBe(true)
    fixed = now.slice(0, -1)
  }
  expect(fixed.length).toBeGreaterThan(8)
})

const filler = 'A sentence of some length.\n'

test.each([
  ['a paragraph', filler.repeat(60)],
  ['code with empty lines', `\`\`\`js\n${`${filler}\n`.repeat(60)}\`\`\`\n`],
  ['a list with empty lines', `- ${filler}\n`.repeat(60)],
  ['a numbered list', `1. ${filler}\n   more\n\n`.repeat(40)],
  ['a table', `| a | b |\n|---|---|\n${`| ${filler.trim()} | x |\n`.repeat(60)}`],
  ['a formula', `$$\n${filler.repeat(60)}$$\n`],
])('is not cut within %s', (_, block) => {
  const before = `${filler.repeat(40)}\n`
  const parts = partsOf(`${before}${block}\n# Next block, a heading\n`)
  expect(parts.some(({ text }) => text.includes(block))).toBe(true)
})

test('code and tables of many parts are continued with their opening line', () => {
  const code = partsOf(`~~~js\n${'let a = 1\n'.repeat(4_000)}~~~\n`)
  expect(code.length).toBeGreaterThan(2)
  expect(code.map(({ opening }) => opening)).toEqual(['', ...code.slice(1).map(() => '~~~js\n')])
  const rows = partsOf(`| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(2_000)}`)
  expect(rows.length).toBeGreaterThan(2)
  expect(rows.at(-1)?.opening).toBe('| a | b |\n|---|---|\n')
})
