import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitHidden } from './hidden-characters'

const hidden = (text: string) => splitHidden(text).flatMap((piece) => piece.hidden ?? [])

test('plain text, line ends, tabs and other scripts stay one piece', () => {
  for (const text of ['', 'hello', 'a\tb\nc\r\nd', 'Ünïcode Ω שלום 漢字', '👍🏽 👨‍👩‍👧 ✊️ 🏳️‍🌈'])
    expect(splitHidden(text)).toEqual([{ text }])
})

test('characters that reorder or hide text become named tokens', () => {
  expect(splitHidden('user\u202E admin')).toEqual([
    { text: 'user' },
    { text: '\u202E', hidden: 'RLO' },
    { text: ' admin' },
  ])
  expect(hidden('\u0000\u001b[31m\u0085')).toEqual(['NUL', 'ESC', 'U+0085'])
  expect(hidden('a\u200Bb\u200Dc\uFEFF\u2066\u2069')).toEqual(['ZWSP', 'ZWJ', 'BOM', 'LRI', 'PDI'])
  expect(hidden('overwritten\rline')).toEqual(['CR'])
  expect(hidden('\u{E0041}\u{E007F}')).toEqual(['U+E0041', 'U+E007F'])
  expect(hidden('\uD800 and \uDC00')).toEqual(['U+D800', 'U+DC00'])
})

test('the pieces joined give the text again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(
        splitHidden(text)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text)
    }),
  )
})
