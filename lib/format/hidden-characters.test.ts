import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasHidden, isTypable, shownText, splitHidden, withEscapes } from './hidden-characters'

const hidden = (text: string) => splitHidden(text).flatMap((piece) => piece.hidden ?? [])

test('plain text, line ends, tabs and other scripts stay in one piece', () => {
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

test('the pieces join to the original text', () => {
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

test('in plain text they are replaced by their names, and a long text is truncated', () => {
  expect(shownText('pay\u202Eroll\u200B')).toBe('pay[RLO]roll[ZWSP]')
  expect(shownText('a'.repeat(300), 80)).toHaveLength(80)
  expect([hasHidden('Ünï 👨‍👩‍👧 שלום'), hasHidden('a\u2066b')]).toEqual([false, true])
})

test('JSON with escapes parses to the same value and contains no hidden characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const json = withEscapes(JSON.stringify({ text }))
      expect(JSON.parse(json)).toEqual({ text })
      expect(hasHidden(json)).toBe(false)
    }),
  )
  expect(withEscapes(JSON.stringify('a\u202E\u{E0041}'))).toBe(String.raw`"a\u202e\udb40\udc41"`)
})

test.each(['concierge', 'Meine Büro-Agenten', '総務', 'מחלקה', '👨‍👩‍👧 team'])('%s can be typed', (name) => {
  expect(isTypable(name)).toBe(true)
})

test.each([
  ['bidi controls', 'pay\u202Elortnoc'],
  ['a zero-width space', 'con\u200Bcierge'],
  ['a no-break space', 'con\u00A0cierge'],
  ['spaces at the end', 'concierge '],
  ['two spaces', 'con  cierge'],
  ['a line end', 'con\ncierge'],
  ['300 characters', 'a'.repeat(300)],
])('a name with %s need not be typed', (_what, name) => {
  expect(isTypable(name)).toBe(false)
})
