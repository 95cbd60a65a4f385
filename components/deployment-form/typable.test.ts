import { expect, test } from 'vitest'
import { isTypable } from './typable'

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
])('a name with %s is never asked for', (_what, name) => {
  expect(isTypable(name)).toBe(false)
})
