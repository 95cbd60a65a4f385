import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextBlocks } from './text-blocks'

test('the joined blocks equal the text after any growth, replacement or cut', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.constant('line\n'.repeat(400)),
    fc.constant('word '.repeat(5_000)),
    fc.constant('x'.repeat(20_000)),
  )
  fc.assert(
    fc.property(fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 12 }), (steps) => {
      const blocks = new TextBlocks()
      let text = ''
      for (const [part, isAppended] of steps) {
        text = isAppended ? text + part : part
        expect(blocks.update(text).join('')).toBe(text)
      }
    }),
  )
})

test('while the text grows, all blocks except the last keep their identity', () => {
  const blocks = new TextBlocks()
  let text = ''
  let fixed: string[] = []
  for (let token = 0; token < 3_000; token++) {
    text += token % 20 === 19 ? 'end of line\n' : `token ${token} `
    const now = [...blocks.update(text)]
    expect(now.slice(0, fixed.length)).toEqual(fixed)
    fixed = now.slice(0, -1)
  }
  expect(fixed.length).toBeGreaterThan(8)
})
