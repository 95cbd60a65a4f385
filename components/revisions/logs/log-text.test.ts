import { expect, test } from 'vitest'
import { linesOf, momentOf, shownText } from './log-text'

test('colours, cursor moves, titles and links are removed', () => {
  expect(shownText('\u001b[31;1mred\u001b[0m and \u001b[2Kplain')).toBe('red and plain')
  expect(shownText('\u001b]8;;https://example.com\u0007link\u001b]8;;\u0007')).toBe('link')
  expect(shownText('\u001b]0;title\u001b\\text')).toBe('text')
  expect(shownText('\u009b32mgreen')).toBe('green')
})

test('an unterminated sequence hides nothing', () => {
  expect(shownText('\u001b]0;title and all that follows')).toBe('⟦ESC⟧]0;title and all that follows')
})

test('characters that hide or reorder others are shown by name', () => {
  expect(shownText('user\u202Egnp.exe')).toBe('user⟦RLO⟧gnp.exe')
  expect(shownText('50%\r100%')).toBe('50%⟦CR⟧100%')
  expect(shownText('a\tb é 👩‍👧')).toBe('a\tb é 👩‍👧')
})

test('a multi-line message is split into lines', () => {
  expect(linesOf('a\nb\r\nc\n')).toEqual(['a', 'b', 'c'])
  expect(linesOf('')).toEqual([''])
})

test('times are read as text or milliseconds', () => {
  const iso = '2026-01-02T03:04:05.000Z'
  for (const given of [iso, Date.parse(iso), String(Date.parse(iso))]) expect(momentOf(given)?.toISOString()).toBe(iso)
  for (const given of [null, undefined, '', 'soon']) expect(momentOf(given)).toBeUndefined()
})
